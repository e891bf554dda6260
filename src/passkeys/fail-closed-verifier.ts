import {
  type Answers,
  bool,
  type Check,
  failClosed,
  orNull,
  record,
  text,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { PasskeyVerifier, VerifiedAssertion, VerifiedCreation } from './contract.js'

const counter: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
    ? null
    : 'is not a signature counter'

const answers: Answers<PasskeyVerifier> = {
  verifyCreation: orNull(
    record<VerifiedCreation>({
      credentialId: text,
      publicKey: text,
      counter,
      backupEligible: bool,
      backedUp: bool,
      aaguid: text,
    }),
  ),
  verifyAssertion: orNull(
    record<VerifiedAssertion>({ counter, backedUp: bool, userVerified: bool }),
  ),
  ready: unread,
}

/** The verifier behind its contract: a failure is a 503, and never a passkey. */
export function failClosedVerifier(verifier: PasskeyVerifier, call: HostCall): PasskeyVerifier {
  const guarded = failClosed('verifier', verifier, call, answers)
  if (verifier.ready === undefined) return guarded
  return { ...guarded, ready: () => readyInItsTime(verifier, call) }
}

// Nobody waits for it, and on a busy machine a library takes longer to load than an answer may.
// Only a failure is told of, as any other is.
async function readyInItsTime(verifier: PasskeyVerifier, call: HostCall): Promise<void> {
  try {
    await verifier.ready?.()
  } catch (cause) {
    await call('verifier.ready', () => Promise.reject(cause))
  }
}
