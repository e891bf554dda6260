import { AuthError } from '../errors.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { AppsKit } from './apps-kit.js'

/** What an `id_token_hint` says: it is an ID token issued to the client, expired or not. */
export interface IdTokenHint {
  readonly userId: string
  /** The session of the client, by the name that the client knows; null without. */
  readonly sid: string | null
}

/**
 * Reads an `id_token_hint` of a client; null for anything else. Without `verifyIdToken` in the
 * signer every hint is unknown. Rejects with 503.
 */
export async function readIdTokenHint(
  { signer, call }: AppsKit,
  hint: string,
  audience: string,
): Promise<IdTokenHint | null> {
  if (signer.verifyIdToken === undefined) return null
  return call('signer.verifyIdToken', async () => {
    try {
      return hintOf(await signer.verifyIdToken?.(hint, { audience }))
    } catch (error) {
      // A refusal is an answer, not a failure.
      if (error instanceof AuthError && error.code === 'Unauthorized') return null
      throw error
    }
  })
}

type GivenClaims = { readonly sub?: unknown; readonly sid?: unknown } | null | undefined

function hintOf(claims: GivenClaims): IdTokenHint {
  const { sub, sid } = claims ?? {}
  if (typeof sub !== 'string' || sub === '')
    throw new UnexpectedAnswer('the signer did not return claims')
  return { userId: sub, sid: typeof sid === 'string' ? sid : null }
}
