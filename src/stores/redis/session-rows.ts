import { z } from 'zod'
import type { RefreshState, SessionRecord, SessionSeen } from '../contract.js'
import { without } from '../rows/members.js'
import { refreshRow, sessionRow } from '../rows/session-row.js'
import { groupJson, jsonShape, toJson } from './json-rows.js'
import { json, momentDigits, readReply, rowText, word } from './redis-client.js'
import { gcGraceMs, identifier, lifetime } from './scripts.js'
import { type OwnedSession, ownedSession, ownerShape } from './session-owners.js'

// What scripts read or change has a field of its own; `seen` and `refresh` are replaced whole. All
// other members are the JSON in `record`.
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
// Both or neither: a session with a reason but no time would look alive.
const marks = [z.string().nullable(), z.string().nullable()] as const
const tails = [
  z.tuple([...head, z.null(), z.null(), ...marks, ...ownerShape]),
  z.tuple([...head, momentDigits, word, ...marks, ...ownerShape]),
] as const
const rowShape = z.union([...tails]).nullable()
const timesShape = z
  .tuple([momentDigits, seenShape, momentDigits.nullable(), ...ownerShape])
  .nullable()

/** What says whether a session is over. */
export interface SessionTimes
  extends Pick<SessionRecord, 'expiresAt' | 'idleExpiresAt' | 'endedAt'>,
    OwnedSession {}

/** A session, and the cutoffs it was opened after. */
export interface FoundSession {
  readonly session: SessionRecord
  readonly owned: OwnedSession
}

/** What `findSession` answered. */
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

/** What `sessionTimes` answered of the session with this id. */
export function timesOf(id: string, reply: unknown): SessionTimes | null {
  const row = readReply(timesShape, reply, 'session')
  if (row === null) return null
  const [expiresAt, { idleExpiresAt }, endedAt, ...owners] = row
  return { expiresAt, idleExpiresAt, endedAt, ...ownedSession(id, owners) }
}

/** What `createSession` is told of a session, but for the attempt, its owners and their cutoffs. */
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

/** What may change of a record. */
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
