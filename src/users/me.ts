import type { Soon } from '../lib/async.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { AuthUser, PresenceStatus } from './contract.js'

/** The `me` object in answers. */
export type Me = Readonly<Record<string, unknown>> & {
  readonly _id: string
  readonly name: string
  readonly username: string
  readonly status: PresenceStatus
}

/** The host's function for extra fields of `me`. */
export type DescribeUser = (user: AuthUser) => object | undefined | Promise<object | undefined>

const presences: readonly unknown[] = [
  'online',
  'away',
  'busy',
  'offline',
] satisfies PresenceStatus[]

/**
 * The members of a user that clients see: four fields, the fields that the host adds, and nothing
 * else.
 */
export function createDescribeMe(
  describeUser: DescribeUser | undefined,
  call: HostCall,
): (user: AuthUser) => Soon<Me> {
  if (describeUser === undefined) return published
  return (user) =>
    call('describeUser', async () => {
      const extra = asJsonObject(await describeUser(user))
      return { ...extra, ...published(user) }
    })
}

function published({ id: _id, name, username, status }: AuthUser): Me {
  const isKnown = presences.includes(status)
  return { _id, name, username, status: isKnown ? (status as PresenceStatus) : 'offline' }
}

/**
 * The host's object after a round trip through JSON. Throws for anything else here, where a failure
 * counts as the host's and nothing has been stored yet.
 */
export function asJsonObject(extra: object | undefined): object {
  const parsed: unknown = JSON.parse(JSON.stringify(extra ?? {}))
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new UnexpectedAnswer('the answer is not an object')
}
