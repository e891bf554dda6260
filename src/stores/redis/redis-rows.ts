import { z } from 'zod'
import type { RefreshState, SessionRecord, SessionSeen } from '../contract.js'
import { type Content, type Member, type Row, without } from '../rows/members.js'
import { refreshRow, sessionRow } from '../rows/session-row.js'
import { json, moment, momentDigits, readReply, rowText, word } from './redis-client.js'
import { gcGraceMs, identifier, lifetime } from './scripts.js'
import { type OwnedSession, ownedSession, ownerShape } from './session-owners.js'

/**
 * The JSON of a described record. Members that a newer release has put into it are read as they
 * are.
 */
export function jsonShape<Stored>(row: Row<Stored>): z.ZodType<Stored> {
  const members = Object.entries<Member<unknown>>(row).map(([name, { content, absent }]) => {
    const shape = shapeOf(content)
    if (absent === 'null') return [name, shape.nullable()]
    return [name, absent === 'left out' ? shape.optional() : shape]
  })
  return z.looseObject(Object.fromEntries(members)) as unknown as z.ZodType<Stored>
}

const shapes = {
  key: z.string(),
  text: z.string(),
  moment,
  integer: z.int(),
  flag: z.boolean(),
}

function shapeOf(content: Content): z.ZodType {
  if (content.kind === 'list') return z.array(shapeOf(content.of))
  return content.kind === 'group' ? jsonShape(content.parts) : shapes[content.kind]
}

/** The members that a record has, in the order of the description, as JSON can hold them. */
export function toJson<Stored>(row: Row<Stored>, record: Partial<Stored>): object {
  const values = new Map<string, unknown>(Object.entries(record))
  const members = Object.entries<Member<unknown>>(row).flatMap(([name, { content, absent }]) => {
    const value = values.get(name)
    const isLeftOut = value === undefined && (absent === 'left out' || !values.has(name))
    return isLeftOut ? [] : [[name, jsonOf(content, value)]]
  })
  return Object.fromEntries(members)
}

function jsonOf(content: Content, value: unknown): unknown {
  if (value === null) return null
  if (content.kind === 'key') return identifier(value)
  if (content.kind === 'moment') return (value as Date).getTime()
  if (content.kind === 'list')
    return (value as readonly unknown[]).map((one) => jsonOf(content.of, one))
  if (content.kind !== 'group') return value
  return groupJson(content.parts, value as object)
}

/** The JSON of a part of a record, with the members that a newer release has put into it. */
function groupJson<Stored extends object>(row: Row<Stored>, group: Stored): object {
  const known = toJson(row, group)
  // Known members stand first, and have the last word.
  return { ...known, ...group, ...known }
}

// A member that scripts read or change has a field of its own; `seen` and `refresh` are replaced
// whole. All other members are the JSON in `record`.
const { lastSeenAt, idleExpiresAt, ip } = sessionRow
const seenRow = { lastSeenAt, idleExpiresAt, ip }
const recordRow = without(
  sessionRow,
  'userId',
  'lastSeenAt',
  'idleExpiresAt',
  'ip',
  'expiresAt',
  'refresh',
  'endedAt',
  'endReason',
  'passwordMark',
  'passwordMarkNext',
)

const recordShape = json(jsonShape(recordRow))
const seenShape = json(jsonShape<SessionSeen>(seenRow))
const refreshShape = json(jsonShape(refreshRow))
const head = [recordShape, momentDigits, seenShape, refreshShape.nullable()] as const
// Time and reason come together: a session with a reason but no time would look alive.
const marks = [z.string().nullable(), z.string().nullable()] as const
const tails = [
  z.tuple([...head, z.null(), z.null(), ...marks, ...ownerShape]),
  z.tuple([...head, momentDigits, word, ...marks, ...ownerShape]),
] as const
const rowShape = z.union([...tails]).nullable()
const timesShape = z
  .tuple([momentDigits, seenShape, momentDigits.nullable(), ...ownerShape])
  .nullable()

/** The values that tell whether a session is over. */
export interface SessionTimes
  extends Pick<SessionRecord, 'expiresAt' | 'idleExpiresAt' | 'endedAt'>,
    OwnedSession {}

/** A session, and the cutoffs it was opened after. */
export interface FoundSession {
  readonly session: SessionRecord
  readonly owned: OwnedSession
}

/** The session in the answer of `findSession`. */
export function foundSession(reply: unknown): FoundSession | null {
  const row = readReply(rowShape, reply, 'session')
  if (row === null) return null
  const [record, expiresAt, seen, refresh, endedAt, endReason, mark, next, ...owners] = row
  const owned = ownedSession(record.id, owners)
  const marks = {
    ...(mark === null ? {} : { passwordMark: mark }),
    ...(next === null ? {} : { passwordMarkNext: next }),
  }
  const ending = { endedAt, endReason }
  const { userId } = owned
  const known = { ...seen, ...record, ...marks, userId, expiresAt, refresh, ...ending }
  return { session: known as SessionRecord, owned }
}

/** The times in the answer of `sessionTimes` for the session with this id. */
export function timesOf(id: string, reply: unknown): SessionTimes | null {
  const row = readReply(timesShape, reply, 'session')
  if (row === null) return null
  const [expiresAt, { idleExpiresAt }, endedAt, ...owners] = row
  return { expiresAt, idleExpiresAt, endedAt, ...ownedSession(id, owners) }
}

/**
 * The arguments of `createSession` for a session, but for the attempt, its owners and their
 * cutoffs.
 */
export function argumentsOf(session: SessionRecord): (string | number)[] {
  const { userId, expiresAt, lastSeenAt, idleExpiresAt, refresh, endedAt, endReason } = session
  const { passwordMark = '', passwordMarkNext = '' } = session
  const over = Math.min(idleExpiresAt.getTime(), expiresAt.getTime())
  const keep = lifetime(over - lastSeenAt.getTime() + gcGraceMs)
  const [seen] = seenArguments(session)
  const refreshing = refresh === null ? ['', ''] : [refreshText(refresh), identifier(refresh.hash)]
  const ending = endedAt === null ? ['', ''] : [endedAt.getTime(), reasonText(endReason)]
  return [
    identifier(userId),
    rowText(recordShape, toJson(recordRow, session), 'session'),
    expiresAt.getTime(),
    seen,
    ...refreshing,
    ...ending,
    keep,
    identifier(passwordMark),
    identifier(passwordMarkNext),
  ]
}

/** Why a session ended, as it is stored. */
export function reasonText(reason: unknown): string {
  return readReply(word, reason, 'reason')
}

/** The members of a record that may change. */
export type RecordChange = Partial<
  Pick<SessionRecord, 'methods' | 'authenticatedAt' | 'secretHash' | 'formerSecret'>
>

/** The stored record with these members, and all else as it was. */
export function recordWith(record: string, change: RecordChange): string {
  return rowText(recordShape, { ...JSON.parse(record), ...toJson(recordRow, change) }, 'session')
}

/** `seen`, `lastSeenAt` and `idleExpiresAt`, as the scripts take them. */
export function seenArguments({
  lastSeenAt,
  idleExpiresAt,
  ip,
}: SessionSeen): [string, number, number] {
  const seen = toJson(seenRow, { lastSeenAt, idleExpiresAt, ip })
  return [rowText(seenShape, seen, 'session'), lastSeenAt.getTime(), idleExpiresAt.getTime()]
}

/** The refresh tokens of a session, as they are stored, with all that was read with them. */
export function refreshText(refresh: RefreshState): string {
  return rowText(refreshShape, groupJson(refreshRow, refresh), 'refresh token')
}
