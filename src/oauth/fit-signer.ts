import type { HostCall } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'
import { probeSignerAudience } from '../tokens/check-signer.js'

/**
 * Checks that this server does not accept a token for another API. Rejects with 503 if the signer
 * accepts it as its own, or fails.
 */
export type RequireFitSigner = () => Promise<void>

/**
 * The signer is tested once; until it has passed, at each call. It is also tested at the start, as
 * soon as it is ready, so that the host learns of it before the first app does.
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

  // A failure here has been reported, and the test is repeated when it matters.
  Promise.resolve()
    .then(() => signer.ready?.())
    .then(requireFitSigner)
    .catch(() => {})
  return requireFitSigner
}
