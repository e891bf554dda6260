import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { sha256 } from '../lib/secrets.js'
import type { ProofPurpose } from '../stores/one-time-contract.js'
import type { FoundProof, Proofs, Sealed } from './proofs.js'

/**
 * Notes a name until it expires. False if it is noted already: of several calls one gets true.
 * Rejects with 503.
 */
export async function noteOnce(
  proofs: Pick<Proofs, 'openLink' | 'findLink'>,
  purpose: ProofPurpose,
  { name, lifetime, sealed = {} }: { name: string; lifetime: number; sealed?: Sealed },
  context: RequestContext,
): Promise<boolean> {
  const token = sha256(name)
  try {
    await proofs.openLink({ purpose, userId: null, mark: null, sealed, lifetime }, token)
    return true
  } catch (error) {
    // An outage of the store leads here, too: then `isNoted` rejects as well.
    if (await isNoted(proofs, purpose, name, context)) return false
    throw error
  }
}

/** Whether a name is noted. Rejects with 503. */
export async function isNoted(
  proofs: Pick<Proofs, 'findLink'>,
  purpose: ProofPurpose,
  name: string,
  context: RequestContext,
): Promise<boolean> {
  return (await findNote(proofs, purpose, name, context)) !== null
}

/** The note of a name; null without. Rejects with 503. */
export function findNote(
  proofs: Pick<Proofs, 'findLink'>,
  purpose: ProofPurpose,
  name: string,
  context: RequestContext,
): Promise<FoundProof | null> {
  return proofs.findLink(purpose, sha256(name), context).catch(noneIfRefused)
}

/** For the search of a proof that may be missing. */
export function noneIfRefused(error: unknown): null {
  if (error instanceof AuthError && error.code === 'proof-refused') return null
  throw error
}
