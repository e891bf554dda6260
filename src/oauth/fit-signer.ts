import type { HostCall } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'
import { probeSignerAudience } from '../tokens/check-signer.js'

/**
 * Passes where a token for another API is nothing here. Rejects with 503 where the signer takes it
 * for one of its own, or fails.
 */
export type RequireFitSigner = () => Promise<void>

/**
 * Makes it. The signer is tried once; until it has passed, at each call. It is tried at the start
 * as well, as soon as it is ready, so that the host is told of it before the first app is.
 */
export function createRequireFitSigner(
  signer: TokenSigner,
  call: HostCall,
  clock: () => Date,
): RequireFitSigner {
  let hasPassed = false

  async function requireFitSigner(): Promise<void> {
    if (hasPassed) return
    await call('signer.audience', () => probeSignerAudience(signer, clock()))
    hasPassed = true
  }

  // What fails here has been reported, and is asked once more when it matters.
  Promise.resolve()
    .then(() => signer.ready?.())
    .then(requireFitSigner)
    .catch(() => {})
  return requireFitSigner
}
