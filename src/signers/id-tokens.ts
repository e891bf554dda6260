import type { KeyObject } from 'node:crypto'
import { notSignedIn } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { IdTokenAlgorithm, IdTokenClaims, LogoutTokenClaims, TokenSigner } from './contract.js'
import type { ImportedKeys } from './imported-keys.js'
import { headerOf, verifySignature } from './read-token.js'
import { compactJws } from './signing-algorithms.js'

export interface IdTokensDeps {
  /** The current issuer, then former ones. */
  readonly issuers: [string, ...string[]]
  /** The keys of each offered algorithm. */
  readonly keys: ReadonlyMap<IdTokenAlgorithm, ImportedKeys>
}

/**
 * Signs and reads ID tokens,
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken), and
 * signs logout tokens with the same keys.
 */
export function createIdTokens({
  issuers,
  keys,
}: IdTokensDeps): Required<Pick<TokenSigner, 'signIdToken' | 'signLogoutToken' | 'verifyIdToken'>> {
  async function sign(
    typ: string,
    claims: IdTokenClaims | LogoutTokenClaims,
    algorithm: IdTokenAlgorithm,
  ): Promise<string> {
    const active = await keys.get(algorithm)?.active()
    if (active === undefined)
      throw new UnexpectedAnswer(`this signer signs no ID tokens with ${algorithm}`)
    // After a change of its algorithm, a ring signs with the old one until it is rotated.
    if (active.algorithm !== algorithm)
      throw new UnexpectedAnswer(
        `ID tokens are signed with ${algorithm}, and the key whose time it is is one of ` +
          `${active.algorithm}: rotate the ring`,
      )
    const header = JSON.stringify({ alg: algorithm, typ, kid: active.kid })
    const payload = JSON.stringify({ ...claims, iss: issuers[0] })
    return compactJws(algorithm, active.signingKey as KeyObject, header, payload)
  }

  return {
    signIdToken: (claims, { algorithm }) => sign('JWT', claims, algorithm),

    signLogoutToken: (claims, { algorithm }) => sign('logout+jwt', claims, algorithm),

    async verifyIdToken(token, { audience }) {
      const { kid, alg } = headerOf(token)
      // The header only selects the ring; the key determines the algorithm.
      const key = (await keys.get(alg as IdTokenAlgorithm)?.byKid(kid)) ?? null
      if (key === null || key.algorithm !== alg)
        throw notSignedIn('token names no key for ID tokens')
      const payload = await verifySignature(token, key, {
        typ: 'JWT',
        issuer: issuers,
        audience,
        requiredClaims: ['sub', 'iat', 'exp'],
        // Accepts expired tokens; jose has no other option for that.
        clockTolerance: Number.MAX_SAFE_INTEGER,
      })
      return checkedClaims(payload, audience)
    },
  }
}

// A list in `aud` would mean other audiences besides this client.
function checkedClaims(
  payload: Readonly<Record<string, unknown>>,
  audience: string,
): IdTokenClaims {
  const { sub, aud, iat, exp } = payload
  const isWhole =
    typeof sub === 'string' &&
    sub !== '' &&
    aud === audience &&
    Number.isSafeInteger(iat) &&
    Number.isSafeInteger(exp)
  if (!isWhole) throw notSignedIn('token claims incomplete or of the wrong type')
  return payload as IdTokenClaims
}
