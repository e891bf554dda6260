import type { BaseKit } from '../kits/ground-kit.js'
import {
  type Answers,
  bool,
  type Check,
  failClosed,
  ifThere,
  orNull,
  record,
  text,
  unread,
} from '../lib/check-answer.js'
import { type HostCall, withTimeout } from '../lib/host-call.js'
import { failClosedOnce, failClosedPasskeys } from '../stores/fail-closed-stores.js'
import type { KeptCodes } from '../two-factor/recovery-codes.js'
import { createChallenges } from './challenges.js'
import type { PasskeyVerifier, VerifiedAssertion, VerifiedCreation } from './contract.js'
import type { PasskeyServer } from './passkey-kit.js'
import type { CheckedPasskeysOptions } from './passkeys-options.js'

/** Wraps the host's stores and verifier in their contracts, and builds the shared parts on them. */
export function createPasskeyServer(
  kit: BaseKit,
  options: CheckedPasskeysOptions,
  keptCodes: KeptCodes,
): PasskeyServer {
  const { rpId, rpName, origins, asSecondFactor } = options
  const { call } = kit
  const once = failClosedOnce(options.once, call)
  return {
    relyingParty: { rpId, origins },
    rpId,
    rpName,
    asSecondFactor,
    passkeyStore: failClosedPasskeys(options.store, call),
    keptCodes,
    once,
    verifier: failClosedVerifier(options.verifier, call),
    challenges: createChallenges(kit, once),
  }
}

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
  ready: ifThere(unread),
}

/** Milliseconds: loading megabytes takes longer than a store may take to answer. */
const readyTimeoutMs = 30_000

/**
 * Holds the verifier to its contract: a failure is a 503, and never a valid passkey. Loading is
 * awaited first, and does not count towards the time of an answer.
 * @internal
 */
export function failClosedVerifier(verifier: PasskeyVerifier, call: HostCall): PasskeyVerifier {
  const guarded = failClosed('verifier', verifier, call, answers)
  if (verifier.ready === undefined) return guarded
  const ready = onceReady(verifier, call)
  return {
    ready,
    async verifyCreation(input) {
      await ready()
      return guarded.verifyCreation(input)
    },
    async verifyAssertion(input) {
      await ready()
      return guarded.verifyAssertion(input)
    },
  }
}

// Concurrent callers share one loading; after a failure there is another.
function onceReady(verifier: PasskeyVerifier, call: HostCall): () => Promise<void> {
  let loading: Promise<void> | null = null
  const load = async () => {
    try {
      await withTimeout(() => verifier.ready?.(), readyTimeoutMs)
    } catch (cause) {
      loading = null
      await call('verifier.ready', () => Promise.reject(cause))
    }
  }
  return () => {
    loading ??= load()
    return loading
  }
}
