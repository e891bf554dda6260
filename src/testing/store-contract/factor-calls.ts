import { enrolling } from '../../stores/new-records.js'
import type { SecondFactorRecord, SecondFactorStore } from '../../stores/second-factor-contract.js'
import { codesLeft } from './harness.js'

type Call = () => Promise<unknown>

/** The calls for one user, to be made when it is their turn in a table. */
export interface FactorCalls {
  readonly find: Call
  /** The enrolment that waits. */
  readonly pending: Call
  /** How many recovery codes are left. */
  readonly left: Call
  readonly deactivate: Call
  use(hash: string): Call
  activate(factor: SecondFactorRecord, ...hashes: string[]): Call
  step(step: number): Call
  reseal(from: string, to: string): Call
}

/** The calls for this user. */
export function callsFor(
  factors: SecondFactorStore,
  { userId }: { readonly userId: string },
): FactorCalls {
  return {
    find: () => factors.find(userId),
    pending: () => factors.findPending(userId, enrolling),
    left: () => codesLeft(factors, userId),
    deactivate: () => factors.deactivate(userId),
    use: (hash) => () => factors.consumeRecoveryCode(userId, hash),
    activate:
      (factor, ...hashes) =>
      () =>
        factors.activate(factor, hashes),
    step: (step) => () => factors.advanceStep(userId, step),
    reseal: (from, to) => () => factors.reseal(userId, from, to),
  }
}
