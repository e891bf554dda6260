import { AssertionError } from 'node:assert/strict'
import type { AuthUser, LoginIdentifier, UserStore } from '../../users/contract.js'

/** A user who has an address. */
export type UserWithEmail = UserToAdd & { readonly email: string }

/** What a test of the suite works with. */
export type Subject = Pick<UserStoreHarness, 'users' | 'addUser'> & {
  /** A user with names of its own, and what `change` says. */
  newUser(change?: Partial<UserWithEmail>): UserWithEmail
}

/** A promise, and how it is tried. */
export type Promised = readonly [name: string, run: (subject: Subject) => Promise<void>]

/** A user as a login names one. */
export const by = (kind: LoginIdentifier['kind'], value: string): LoginIdentifier => ({
  kind,
  value,
})

/** A user as the suite asks for one. */
export interface UserToAdd {
  /** In lower case; within one harness as good as unique, but for twins. */
  readonly username: string
  /**
   * In lower case. Null in one test of stores that have `updateEmail`: if each of your users has an
   * address, let `addUser` reject.
   */
  readonly email: string | null
  readonly name: string
  readonly passwordHash: string | null
  readonly disabled: boolean
  /** Whether the address is proven. Only for stores that have `findContact`. */
  readonly emailVerified: boolean
}

/** A store of users, and the way to put users into it. */
export interface UserStoreHarness {
  readonly users: UserStore
  /** Adds a user to the host's table, and answers the id, as text. */
  addUser(user: UserToAdd): Promise<string>
  /**
   * Removes what `makeHarness` opened and what was added. Default: nothing.
   */
  close?(): Promise<void>
}

/** One test of the suite, for the runner of your choice. */
export interface UserStoreTest {
  /** What is promised. */
  readonly name: string
  /** Rejects, with what to mend, where the promise is not kept. */
  run(): Promise<void>
}

/** Fails with a text for the author of the store. */
export function check(kept: boolean, broken: string): asserts kept {
  if (!kept)
    throw new AssertionError({
      message: broken,
      actual: false,
      expected: true,
      operator: 'userStoreContract',
    })
}

/** What the store finds; a rejection fails with the remedy. */
export async function found(
  users: UserStore,
  asked: LoginIdentifier | string,
  remedy: string,
): Promise<AuthUser | null> {
  const method = typeof asked === 'string' ? 'findById' : 'findByIdentifier'
  try {
    const user =
      typeof asked === 'string' ? await users.findById(asked) : await users.findByIdentifier(asked)
    return user ?? null
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    throw new AssertionError({
      message: `${method} rejected (${name}) for ${said(asked)}: the client is told 503. ${remedy}`,
      actual: error,
      operator: 'userStoreContract',
    })
  }
}

/** What a method answers; a rejection fails with the remedy. */
export async function answered<Answer>(
  method: keyof UserStore,
  remedy: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    throw new AssertionError({
      message: `${method} rejected (${name}): the client is told 503. ${remedy}`,
      actual: error,
      operator: 'userStoreContract',
    })
  }
}

/** What was asked, short enough to be read. */
export function said(asked: LoginIdentifier | string): string {
  const text = JSON.stringify(asked)
  return text.length > 80 ? `${text.slice(0, 60)}… (${text.length} characters)` : text
}
