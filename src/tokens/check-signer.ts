import { AuthConfigError, AuthError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { randomId } from '../lib/secrets.js'
import type { AccessTokenClaims, TokenSigner } from '../signers/contract.js'

/** Signs and verifies a token. Rejects if the signer fails or refuses its own token. */
export async function checkAccessTokens(signer: TokenSigner, now: Date): Promise<void> {
  const claims = harmlessClaims(now)
  const verified = await signer.verify(await signer.sign(claims))
  if (verified.jti !== claims.jti)
    throw new UnexpectedAnswer('the signer verified another token than it signed')
}

/**
 * Signs and verifies an ID token with the RS256 keys, if there are any. Other ID tokens use the
 * keys of access tokens.
 */
export async function checkRs256(signer: TokenSigner, now: Date): Promise<void> {
  if (signer.idTokenAlgorithms?.includes('RS256') !== true) return
  const { sub, iat, exp } = harmlessClaims(now)
  const audience = randomId()
  const token = await signer.signIdToken?.({ sub, aud: audience, iat, exp }, { algorithm: 'RS256' })
  if (token === undefined) throw new UnexpectedAnswer('the signer signs no ID tokens')
  const verified = await signer.verifyIdToken?.(token, { audience })
  if (verified !== undefined && verified.sub !== sub)
    throw new UnexpectedAnswer('the signer verified another ID token than it signed')
}

/**
 * Rejects with AuthConfigError if a signer accepts a token for another API as its own: such tokens
 * of apps would then give full access here. Rejects with the signer's own error if it fails.
 */
export async function probeSignerAudience(signer: TokenSigner, now: Date): Promise<void> {
  if (signer.audience === undefined) throw unfit('has no audience, so none of its tokens has one.')
  const aud = `urn:uuid:${randomId()}`
  const token = await signer.sign({ ...harmlessClaims(now), aud })
  const verifyExpired = signer.verifyExpired?.bind(signer)
  const taken = await Promise.all([
    isTaken(() => signer.verify(token)),
    verifyExpired !== undefined && isTaken(() => verifyExpired(token)),
  ])
  if (taken.includes(true)) throw unfit('takes a token for another API for one of its own.')
}

async function isTaken(verify: () => Promise<AccessTokenClaims>): Promise<boolean> {
  try {
    await verify()
    return true
  } catch (error) {
    if (error instanceof AuthError && error.code === 'Unauthorized') return false
    throw error
  }
}

function unfit(problem: string): AuthConfigError {
  return new AuthConfigError(
    'signer',
    problem,
    'have sign() put the aud of the claims into the token, verify() refuse every aud but its ' +
      'own, and audience say which that is; or use joseSigner.',
  )
}

// Without a session and without a scope, a leaked token would be useless.
function harmlessClaims(now: Date): AccessTokenClaims {
  const iat = Math.floor(now.getTime() / 1000)
  return {
    sub: randomId(),
    sid: randomId(),
    iat,
    exp: iat + 60,
    jti: randomId(),
    auth_time: iat,
    amr: [],
    scope: '',
  }
}
