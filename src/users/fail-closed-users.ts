import {
  bool,
  type Check,
  optional,
  orNull,
  record,
  requireExpected,
  text,
  theOneAsked,
} from '../lib/check-answer.js'
import { forgetRejection } from '../lib/forget-rejection.js'
import type { HostCall } from '../lib/host-call.js'
import type { AuthUser, UserStore } from './contract.js'

/**
 * Wraps the host's user store: a failure is 503, and so is an answer that is not a user or is
 * another user. `undefined`, which many database libraries return for a missing row, counts as
 * null.
 */
export function failClosedUsers(store: UserStore, call: HostCall): UserStore {
  const { updatePasswordHash } = store
  return {
    findByIdentifier: (identifier) =>
      call('users.findByIdentifier', async () =>
        userOrNull(await store.findByIdentifier(identifier), anyUser),
      ),
    findById: (userId) =>
      call('users.findById', async () =>
        userOrNull(await store.findById(userId), thatUser, userId),
      ),
    ...(updatePasswordHash === undefined
      ? {}
      : {
          updatePasswordHash: (userId: string, from: string, to: string) =>
            call(
              'users.updatePasswordHash',
              async () => (await updatePasswordHash.call(store, userId, from, to)) === true,
            ),
        }),
  }
}

const isId: Check = (value) =>
  typeof value === 'string' && value !== '' ? null : 'is not a non-empty string'
const userShape = { id: isId, username: text, name: text, disabled: optional(orNull(bool)) }
const anyUser = record<AuthUser>(userShape)
const thatUser = record<AuthUser>({ ...userShape, id: theOneAsked })

// Returns the object itself, not a copy: `describeUser` and `beforeLogin` need the host's fields.
// Does not check the password hash: an unreadable one must look like a wrong password.
function userOrNull(answer: unknown, check: Check, asked?: string): AuthUser | null {
  if (answer === null || answer === undefined) return null
  const user = withoutPollution(answer as Partial<Record<keyof AuthUser, unknown>>)
  forgetRejection(user.passwordHash)
  requireExpected(check(user, asked))
  return user as AuthUser
}

const fields = ['id', 'username', 'name', 'status', 'passwordHash', 'disabled', 'locale'] as const

// A missing column must not come from a polluted Object.prototype, where a hash would be the
// password of all users. Members of the object's own class, such as getters, are fine.
function withoutPollution(
  user: Partial<Record<keyof AuthUser, unknown>>,
): Partial<Record<keyof AuthUser, unknown>> {
  const inherited = fields.filter((field) => field in Object.prototype && !isOfItsOwn(user, field))
  if (inherited.length === 0) return user
  return Object.create(
    user,
    Object.fromEntries(inherited.map((field) => [field, { value: nothing[field] }])),
  )
}

const nothing: Partial<Record<keyof AuthUser, unknown>> = Object.assign(Object.create(null), {
  passwordHash: null,
})

function isOfItsOwn(object: object, field: string): boolean {
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    if (Object.hasOwn(at, field)) return true
  }
  return false
}
