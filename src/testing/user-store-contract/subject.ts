import type { LoginIdentifier } from '../../users/contract.js'
import type { UserStoreHarness, UserToAdd } from './harness.js'

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
