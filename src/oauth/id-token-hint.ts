import { AuthError } from '../errors.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'

/** What an `id_token_hint` says: it is an ID token issued to the client, expired or not. */
export interface IdTokenHint {
  readonly userId: string
  /** The session of the client, by the name that the client knows; null without. */
  readonly sid: string | null
}

/** Reads an `id_token_hint` of a client; null for anything else. Rejects with 503. */
export type ReadIdTokenHint = (hint: string, clientId: string) => Promise<IdTokenHint | null>

/** Without `verifyIdToken` in the signer every hint is unknown. */
export function createReadIdTokenHint(
  signer: Pick<TokenSigner, 'verifyIdToken'>,
  call: HostCall,
): ReadIdTokenHint {
  const verifyIdToken = signer.verifyIdToken?.bind(signer)
  return async function readIdTokenHint(hint, audience) {
    if (verifyIdToken === undefined) return null
    return call('signer.verifyIdToken', async () => {
      try {
        return hintOf(await verifyIdToken(hint, { audience }))
      } catch (error) {
        // A refusal is an answer, not a failure.
        if (error instanceof AuthError && error.code === 'Unauthorized') return null
        throw error
      }
    })
  }
}

type GivenClaims = { readonly sub?: unknown; readonly sid?: unknown } | null | undefined

function hintOf(claims: GivenClaims): IdTokenHint {
  const { sub, sid } = claims ?? {}
  if (typeof sub !== 'string' || sub === '')
    throw new UnexpectedAnswer('the signer did not return claims')
  return { userId: sub, sid: typeof sid === 'string' ? sid : null }
}
