import { AuthError } from '../errors.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'

/**
 * The account named by an `id_token_hint`: an ID token issued to this client, expired or not. Null
 * for anything else. Rejects with 503.
 */
export type ReadIdTokenHint = (hint: string, clientId: string) => Promise<string | null>

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
        return subjectOf(await verifyIdToken(hint, { audience }))
      } catch (error) {
        // A refusal is an answer, not a failure.
        if (error instanceof AuthError && error.code === 'Unauthorized') return null
        throw error
      }
    })
  }
}

function subjectOf(claims: { readonly sub?: unknown } | null | undefined): string {
  const sub = claims?.sub
  if (typeof sub === 'string' && sub !== '') return sub
  throw new UnexpectedAnswer('the signer did not return claims')
}
