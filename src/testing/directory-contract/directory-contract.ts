import { AuthConfigError } from '../../errors.js'
import { randomId } from '../../lib/secrets.js'
import { findingTests } from './finding.js'
import type { DirectoryHarness, DirectoryTest } from './harness.js'
import { passwordTests } from './passwords.js'

/** Options of {@link directoryContract}. */
export interface DirectoryContractOptions {
  /** Makes a directory for one test. It need not be empty. */
  readonly create: () => DirectoryHarness | Promise<DirectoryHarness>
}

/**
 * The tests that a `Directory` of yours must pass, to be registered with any runner. Each says what
 * is promised; one that fails says what happened and what to mend. Names are random.
 *
 * @throws AuthConfigError for a `create` that is no function
 *
 * @example
 * ```ts
 * import { type Directory } from 'messaging-auth-router/directories'
 * import { directoryContract, type PersonToAdd } from 'messaging-auth-router/testing'
 *
 * // import { it } from 'vitest'
 * declare function it(name: string, run: () => Promise<void>): void
 * declare const directory: Directory // yours
 * declare const server: {
 *   insert(person: PersonToAdd): Promise<void>
 *   update(username: string, change: object): Promise<void>
 *   delete(username: string): Promise<void>
 * }
 *
 * const tests = directoryContract({
 *   create: () => ({
 *     directory,
 *     add: (person) => server.insert(person),
 *     disable: (username) => server.update(username, { disabled: true }),
 *     setPassword: (username, password) => server.update(username, { password }),
 *     remove: (username) => server.delete(username),
 *   }),
 * })
 * for (const { name, run } of tests) it(name, run)
 * ```
 */
export function directoryContract(options: DirectoryContractOptions): readonly DirectoryTest[] {
  const { create } = options ?? {}
  if (typeof create !== 'function')
    throw new AuthConfigError(
      'directoryContract()',
      'was given no function create.',
      'pass one that answers { directory, add, disable, setPassword, remove }.',
    )
  return [...findingTests, ...passwordTests].map(([name, run]) => ({
    name,
    async run() {
      const harness = await create()
      try {
        const { directory } = harness
        await run({
          directory,
          newName,
          async add() {
            const username = newName()
            const email = `${username}@mail.example`
            const person = { username, email, password: `password of ${username}` }
            await harness.add(person)
            return person
          },
          disable: (username) => harness.disable(username),
          remove: (username) => harness.remove(username),
          setPassword: (username, password) => harness.setPassword(username, password),
          ...(harness.down !== undefined && { down: harness.down.bind(harness) }),
        })
      } finally {
        await harness.close?.()
      }
    },
  }))
}

function newName(): string {
  const letters = randomId().replaceAll(/[^A-Za-z0-9]/g, '')
  return `u${letters.toLowerCase().slice(0, 16)}`
}
