import { z } from 'zod'
import type { SessionRecord } from '../contract.js'
import { identifier, keyOf } from './scripts.js'

/**
 * The fields of a session that hold the number of a cutoff: the cutoff of its user, of its client,
 * of the two together, and of the session that opened it.
 */
export type AfterField = 'after' | 'afterClient' | 'afterPair' | 'afterParent'

/** The owner that sessions have in common which are ended together. */
export interface Owner {
  readonly field: AfterField
  /** The key of its index and its cutoff. */
  readonly key: string
  /** Sessions of a client and a user together are found by the index of the user. */
  readonly isIndexed: boolean
  /**
   * Whether its cutoff tells that it has had sessions at all. Every session ends as a parent, and
   * most of them have opened none: those leave no cutoff behind.
   */
  readonly leavesTrace: boolean
}

/** A session, its owners, and the numbers of their cutoffs that it was opened after. */
export interface OwnedSession extends Pick<SessionRecord, 'id' | 'userId'> {
  readonly clientId: string | null
  readonly parentId: string | null
  readonly after: Readonly<Record<AfterField, number>>
}

/** Names the owners of sessions. */
export interface Owners {
  user(userId: string): Owner
  client(clientId: string): Owner
  pair(clientId: string, userId: string): Owner
  parent(parentId: string): Owner
  /** All owners of a session; its user is the first. */
  of(session: Pick<OwnedSession, 'userId' | 'clientId' | 'parentId'>): readonly Owner[]
}

/** The owners of sessions under a prefix. */
export function ownersUnder(prefix: string): Owners {
  const user = (userId: string) => owner('after', keyOf(prefix, 'u', userId))
  const client = (clientId: string) => owner('afterClient', keyOf(prefix, 'a', clientId))
  const parent = (parentId: string): Owner => ({
    ...owner('afterParent', keyOf(prefix, 'p', parentId)),
    leavesTrace: true,
  })
  const pair = (clientId: string, userId: string): Owner => ({
    ...owner('afterPair', keyOf(prefix, 'b', clientId, userId)),
    isIndexed: false,
  })
  return {
    user,
    client,
    pair,
    parent,
    of: ({ userId, clientId, parentId }) => [
      user(userId),
      ...(clientId === null ? [] : [client(clientId), pair(clientId, userId)]),
      ...(parentId === null ? [] : [parent(parentId)]),
    ],
  }
}

function owner(field: AfterField, key: string): Owner {
  return { field, key, isIndexed: true, leavesTrace: false }
}

/** A number of a cutoff, as the field of a hash holds it. */
export const number: z.ZodType<number> = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)

/** The fields that the scripts answer of the owners, as arguments of HMGET. */
export const ownerFields: string = [
  'user',
  'after',
  'client',
  'afterClient',
  'afterPair',
  'parent',
  'afterParent',
]
  .map((name) => `'${name}'`)
  .join(', ')

const text: z.ZodType<string> = z.string()
const textOrNone: z.ZodType<string | null> = z.string().nullable()
const later: z.ZodType<number> = z.union([z.null().transform(() => 0), number])

type OwnerRow = readonly [string, number, string | null, number, number, string | null, number]
type ShapeOf<Row> = { readonly [Index in keyof Row]: z.ZodType<Row[Index]> }
/** The types of these values. */
export const ownerShape: ShapeOf<OwnerRow> = [
  text,
  number,
  textOrNone,
  later,
  later,
  textOrNone,
  later,
]

/** The session with this id, by the values of the owner fields. */
export function ownedSession(id: string, row: OwnerRow): OwnedSession {
  const [userId, after, clientId, afterClient, afterPair, parentId, afterParent] = row
  return { id, userId, clientId, parentId, after: { after, afterClient, afterPair, afterParent } }
}

/** The fields of a new session that say whose it is, but for its user. */
export function laterOwners({ clientId, parentId }: SessionRecord): string[] {
  return [
    ...(clientId === undefined ? [] : ['client', identifier(clientId)]),
    ...(parentId === undefined ? [] : ['parent', identifier(parentId)]),
  ]
}
