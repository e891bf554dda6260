import { AuthConfigError } from '../../errors.js'
import { randomId } from '../../lib/secrets.js'
import { arrivalTests } from './arrivals.js'
import { contactTests, emailTests } from './emails.js'
import { findingTests, hashTests } from './finding.js'
import type { UserStoreHarness, UserStoreTest, UserWithEmail } from './harness.js'
import { phoneTests } from './phones.js'
import { requiredTests } from './required.js'

/**
 * The tests that a `UserStore` of yours must pass, to be registered with any runner. Each says what
 * is promised; one that fails says what happened and what to mend.
 *
 * `makeHarness` is called once for each test. Names are random, so that your table need not be
 * empty; only `twins` needs two users of one e-mail address or name: where your database refuses
 * that (a unique index), `addUser` may reject, and the promise is kept. The tests of an optional
 * method pass if the store does not have it.
 *
 * The suite takes names as they are by default: in lower case. It says nothing of a
 * `canonicalIdentifier` of yours.
 *
 * @throws AuthConfigError for a `makeHarness` that is no function
 *
 * @example
 * ```ts
 * import type { UserStore } from 'messaging-auth-router'
 * import { userStoreContract } from 'messaging-auth-router/testing'
 *
 * // import { it } from 'vitest'
 * declare function it(name: string, run: () => Promise<void>): void
 * declare const users: UserStore // yours
 * declare function insert(row: object): Promise<number>
 *
 * const tests = userStoreContract(async () => ({
 *   users,
 *   addUser: async (user) => String(await insert(user)),
 * }))
 * for (const { name, run } of tests) it(name, run)
 * ```
 */
export function userStoreContract(
  makeHarness: () => UserStoreHarness | Promise<UserStoreHarness>,
): readonly UserStoreTest[] {
  if (typeof makeHarness !== 'function')
    throw new AuthConfigError(
      'userStoreContract()',
      'was given no function.',
      'pass one that answers { users, addUser }.',
    )
  const all = [
    ...findingTests,
    ...hashTests,
    ...requiredTests,
    ...contactTests,
    ...emailTests,
    ...phoneTests,
    ...arrivalTests,
  ]
  return all.map(([name, run]) => ({
    name,
    async run() {
      const harness = await makeHarness()
      try {
        await run({
          users: harness.users,
          addUser: (user) => harness.addUser(user),
          newUser,
        })
      } finally {
        await harness.close?.()
      }
    },
  }))
}

function newUser(change: Partial<UserWithEmail> = {}): UserWithEmail {
  const username = `u${randomId()
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
    .slice(0, 16)}`
  return {
    username,
    email: `${username}@mail.example`,
    name: `Name of ${username}`,
    passwordHash: `$2b$12$hash.of.${username}`,
    disabled: false,
    emailVerified: false,
    ...change,
  }
}
