import { AuthConfigError, AuthError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { randomId } from '../lib/random.js'
import type { AccessTokenClaims, TokenSigner } from '../signers/contract.js'

/** Has a signer sign and verify. Rejects where it fails, or does not know its own tokens. */
export async function checkAccessTokens(signer: TokenSigner, now: Date): Promise<void> {
  const claims = harmlessClaims(now)
  const verified = await signer.verify(await signer.sign(claims))
  if (verified.jti !== claims.jti)
    throw new UnexpectedAnswer('the signer verified another token than it signed')
}

/**
 * The same for the ring of RS256, where it has one; ID tokens of other algorithms are signed with
 * the keys of access tokens.
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
 * Rejects with AuthConfigError where a signer takes the token for another API for one of its own:
 * with apps that are given such tokens, each would open everything here. Rejects with the signer's
 * own error where that fails.
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

// The token names no session and has no scope: if it leaked, it would be worth nothing.
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
