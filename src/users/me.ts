import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { AuthUser, PresenceStatus } from './contract.js'

/** The `me` object of the answers. */
export type Me = Readonly<Record<string, unknown>> & {
  readonly _id: string
  readonly name: string
  readonly username: string
  readonly status: PresenceStatus
}

/** The host's extra fields of `me`. */
export type DescribeUser = (user: AuthUser) => object | undefined | Promise<object | undefined>

const presences: readonly unknown[] = [
  'online',
  'away',
  'busy',
  'offline',
] satisfies PresenceStatus[]

/**
 * Makes the function that says what clients see of a user: the four published fields, and what the
 * host adds. Nothing else.
 */
export function createDescribeMe(
  describeUser: DescribeUser | undefined,
  call: HostCall,
): (user: AuthUser) => Promise<Me> {
  if (describeUser === undefined) return async (user) => published(user)
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
 * What the host has answered as JSON has it. Throws for what is no object: here, where a failure is
 * the host's and nothing has been promised yet.
 */
export function asJsonObject(extra: object | undefined): object {
  const parsed: unknown = JSON.parse(JSON.stringify(extra ?? {}))
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new UnexpectedAnswer('the answer is not an object')
}
