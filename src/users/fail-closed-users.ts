import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { AuthUser, UserStore } from './contract.js'

/**
 * The host's user store behind its contract: a failure is a 503, and so is an answer that is not a user, or not the one that was
 * asked for. `undefined`, which many database libraries answer for "no such row", counts as null.
 */
export function failClosedUsers(store: UserStore, call: HostCall): UserStore {
  const { updatePasswordHash } = store
  return {
    findByIdentifier: (identifier) =>
      call('users.findByIdentifier', async () => userOrNull(await store.findByIdentifier(identifier))),
    findById: (userId) =>
      call('users.findById', async () => {
        const user = userOrNull(await store.findById(userId))
        if (user !== null && user.id !== userId) throw new UnexpectedAnswer('answered another user than was asked for')
        return user
      }),
    ...(updatePasswordHash === undefined
      ? {}
      : {
          updatePasswordHash: (userId: string, from: string, to: string) =>
            call('users.updatePasswordHash', async () => (await updatePasswordHash.call(store, userId, from, to)) === true),
        }),
  }
}

// The object itself is passed on, not a copy: `describeUser` and `beforeLogin` want the host's own fields. The password hash is
// not judged here; an unreadable one must look like a wrong password.
function userOrNull(answer: unknown): AuthUser | null {
  if (answer === null || answer === undefined) return null
  const user = answer as Partial<Record<keyof AuthUser, unknown>>
  if (typeof user.id !== 'string' || user.id === '') throw new UnexpectedAnswer('id is not a non-empty string')
  if (typeof user.username !== 'string') throw new UnexpectedAnswer('username is not a string')
  if (typeof user.name !== 'string') throw new UnexpectedAnswer('name is not a string')
  if (user.disabled !== undefined && user.disabled !== null && typeof user.disabled !== 'boolean') {
    throw new UnexpectedAnswer('disabled is not a boolean')
  }
  return answer as AuthUser
}
