// The entry point messaging-auth-router/testing: helpers for the tests of hosts.
import { decodeBase32 } from '../lib/typed-codes.js'
import { stepAt, totpAt } from '../two-factor/totp.js'

export {
  type DirectoryContractOptions,
  directoryContract,
} from './directory-contract/directory-contract.js'
export type {
  DirectoryHarness,
  DirectoryTest,
  PersonToAdd,
} from './directory-contract/harness.js'
export type { StoreOutage } from './store-contract/every-store/outages.js'
export type {
  ContractRunner,
  StoreContractName,
  StoresUnderTest,
} from './store-contract/harness.js'
export { type StoreContractOptions, storeContract } from './store-contract/store-contract.js'
export type {
  UserStoreHarness,
  UserStoreTest,
  UserToAdd,
} from './user-store-contract/harness.js'
export { userStoreContract } from './user-store-contract/user-store-contract.js'

/**
 * The code an authenticator app shows for a base32 secret at a moment: what a test types into
 * `code`.
 *
 * @throws TypeError when the secret is not base32
 *
 * @example
 * ```ts
 * import { totpCode } from 'messaging-auth-router/testing'
 *
 * const code = totpCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', new Date())
 * ```
 */
export function totpCode(secret: string, at: Date = new Date()): string {
  const seed = decodeBase32(secret)
  if (seed === null) throw new TypeError('the secret is not base32')
  return totpAt(seed, stepAt(at))
}

/** A clock that stands still until it is moved. */
export interface ManualClock {
  /** Hand this to `createAuthRouter({ clock })` and to `joseSigner({ clock })`. */
  (): Date
  /** Moves it forward by this many seconds. A negative number moves it back. */
  advance(seconds: number): void
  /** Sets it to this moment. */
  set(moment: Date): void
}

/**
 * Makes a clock for tests, so that expiry is tested by moving time, not by waiting.
 *
 * @example
 * ```ts
 * import { manualClock } from 'messaging-auth-router/testing'
 *
 * const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
 * clock.advance(61)
 * ```
 */
export function manualClock(start: Date = new Date()): ManualClock {
  let now = start.getTime()
  return Object.assign(() => new Date(now), {
    advance: (seconds: number) => {
      now += seconds * 1000
    },
    set: (moment: Date) => {
      now = moment.getTime()
    },
  })
}
