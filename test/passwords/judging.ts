// A judge of new passwords, and somebody whose password it is.
import type { AuthUser, PasswordHasher, PasswordReason, PasswordRules } from '../../src/index.js'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import { failClosedHasher } from '../../src/passwords/fail-closed-hasher.js'
import { createJudgePassword, type PasswordOwner } from '../../src/passwords/judge-password.js'
import {
  type CheckedPasswordRules,
  checkPasswordRules,
} from '../../src/passwords/password-rules.js'

export const ada: AuthUser = {
  id: 'u-ada',
  username: 'augusta-ada-king',
  name: 'Countess of Lovelace',
  passwordHash: null,
}

const owner: PasswordOwner = {
  user: ada,
  email: 'ada.of.lovelace@mail.example',
  hasSecondFactor: false,
  serviceName: 'Example Chat Team',
}

const wholeHasher: PasswordHasher = {
  hash: async (plain) => `whole:${plain}`,
  verify: async () => false,
  needsRehash: () => false,
}

export interface Judging {
  readonly rules: CheckedPasswordRules
  reasonsOf(plain: unknown, change?: Partial<PasswordOwner>): Promise<readonly PasswordReason[]>
  /** Outages of `breached`. */
  readonly failures: readonly HostFailure[]
  /** Other failures of the host. */
  readonly reported: readonly HostFailure[]
}

export function judging(given: PasswordRules = {}, hasher: PasswordHasher = wholeHasher): Judging {
  const failures: HostFailure[] = []
  const reported: HostFailure[] = []
  const rules = checkPasswordRules(given)
  const report = (failure: HostFailure) => reported.push(failure)
  const call = createHostCall(2000, report)
  const judge = createJudgePassword(rules, {
    call,
    hasher: failClosedHasher(hasher, call, report),
    onBreachCheckFailed: (failure) => failures.push(failure),
  })
  return {
    rules,
    reasonsOf: (plain, change = {}) => judge(plain, { ...owner, ...change }),
    failures,
    reported,
  }
}
