import type { KeyObject } from 'node:crypto'
import { notSignedIn } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { IdTokenAlgorithm, IdTokenClaims, TokenSigner } from './contract.js'
import type { ImportedKeys } from './imported-keys.js'
import { headerOf, verifySignature } from './read-token.js'
import { compactJws } from './signing-algorithms.js'

export interface IdTokensDeps {
  /** What signs them, and former ones that are still known. */
  readonly issuers: [string, ...string[]]
  /** The keys of each algorithm that is offered. */
  readonly keys: ReadonlyMap<IdTokenAlgorithm, ImportedKeys>
}

/**
 * Signs and reads ID tokens,
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken).
 */
export function createIdTokens({
  issuers,
  keys,
}: IdTokensDeps): Required<Pick<TokenSigner, 'signIdToken' | 'verifyIdToken'>> {
  return {
    async signIdToken(claims, { algorithm }) {
      const active = await keys.get(algorithm)?.active()
      if (active === undefined)
        throw new UnexpectedAnswer(`this signer signs no ID tokens with ${algorithm}`)
      // A ring whose algorithm was changed signs with the former one until it is rotated.
      if (active.algorithm !== algorithm)
        throw new UnexpectedAnswer(
          `ID tokens are signed with ${algorithm}, and the key whose time it is is one of ` +
            `${active.algorithm}: rotate the ring`,
        )
      const header = JSON.stringify({ alg: algorithm, typ: 'JWT', kid: active.kid })
      const payload = JSON.stringify({ ...claims, iss: issuers[0] })
      return compactJws(algorithm, active.signingKey as KeyObject, header, payload)
    },

    async verifyIdToken(token, { audience }) {
      const { kid, alg } = headerOf(token)
      // The header chooses where the key is looked for; what verifies is the algorithm of the key.
      const key = (await keys.get(alg as IdTokenAlgorithm)?.byKid(kid)) ?? null
      if (key === null || key.algorithm !== alg)
        throw notSignedIn('token names no key for ID tokens')
      const payload = await verifySignature(token, key, {
        typ: 'JWT',
        issuer: issuers,
        audience,
        requiredClaims: ['sub', 'iat', 'exp'],
        // It may have expired long ago; jose knows no other way to leave the time out.
        clockTolerance: Number.MAX_SAFE_INTEGER,
      })
      return checkedClaims(payload, audience)
    },
  }
}

// `aud` as a list would be a token for others besides this client.
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
