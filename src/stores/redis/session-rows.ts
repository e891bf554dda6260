import { z } from 'zod'
import type { FormerSecret, RefreshState, SessionRecord, SessionSeen } from '../contract.js'
import { json, methods, moment, momentDigits, readReply, rowText, word } from './replies.js'
import { gcGraceMs, identifier, lifetime } from './scripts.js'
import { type OwnedSession, ownedSession, ownerShape } from './session-owners.js'

// What a newer release has put into a row is read as it stands, and is there still when the row was
// written.
const recordShape = json(
  z.looseObject({
    id: z.string(),
    kind: word,
    scope: z.string(),
    methods,
    authenticatedAt: moment,
    createdAt: moment,
    userAgent: z.string().nullable(),
    secretHash: z.string().optional(),
    formerSecret: z.looseObject({ hash: z.string(), until: moment }).optional(),
    lifetime: z.looseObject({ idle: z.int(), absolute: z.int() }).optional(),
    clientId: z.string().optional(),
    parentId: z.string().optional(),
    resources: z.array(z.string()).optional(),
    openedBySessionId: z.string().optional(),
  }),
)
const seenShape = json(
  z.looseObject({ lastSeenAt: moment, idleExpiresAt: moment, ip: z.string().nullable() }),
)
const refreshShape = json(
  z.looseObject({
    hash: z.string(),
    familyKey: z.string(),
    spent: z.array(z.looseObject({ hash: z.string(), salt: z.string(), spentAt: moment })),
  }),
)
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
    recordText(session),
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

function recordText({
  id,
  kind,
  scope,
  methods,
  authenticatedAt,
  createdAt,
  userAgent,
  secretHash,
  formerSecret,
  lifetime,
  clientId,
  parentId,
  resources,
  openedBySessionId,
}: SessionRecord): string {
  const times = { authenticatedAt: authenticatedAt.getTime(), createdAt: createdAt.getTime() }
  const former = formerSecret === undefined ? {} : { formerSecret: storedSecret(formerSecret) }
  const owners = { clientId, parentId, openedBySessionId }
  const later = { secretHash, ...former, lifetime, resources, ...owners }
  return rowText(
    recordShape,
    { id, kind, scope, methods, userAgent, ...times, ...later },
    'session',
  )
}

function storedSecret({ hash, until }: FormerSecret) {
  return { hash, until: until.getTime() }
}

/** What may change of a record. */
export type RecordChange = Partial<
  Pick<SessionRecord, 'methods' | 'authenticatedAt' | 'secretHash' | 'formerSecret'>
>

/** The stored record with these members, and all else as it was. */
export function recordWith(
  record: string,
  { authenticatedAt, formerSecret, ...changed }: RecordChange,
): string {
  const time = authenticatedAt === undefined ? {} : { authenticatedAt: authenticatedAt.getTime() }
  const former = formerSecret === undefined ? {} : { formerSecret: storedSecret(formerSecret) }
  return rowText(recordShape, { ...JSON.parse(record), ...changed, ...time, ...former }, 'session')
}

/** `seen`, `lastSeenAt` and `idleExpiresAt`, as the scripts are told of them. */
export function seenArguments({
  lastSeenAt,
  idleExpiresAt,
  ip,
}: SessionSeen): [string, number, number] {
  const [last, idle] = [lastSeenAt.getTime(), idleExpiresAt.getTime()]
  return [rowText(seenShape, { lastSeenAt: last, idleExpiresAt: idle, ip }, 'session'), last, idle]
}

/** The refresh tokens of a session, as they are stored, with whatever else was read with them. */
export function refreshText(refresh: RefreshState): string {
  const spent = refresh.spent.map((one) => ({ ...one, spentAt: one.spentAt.getTime() }))
  return rowText(refreshShape, { ...refresh, spent }, 'refresh token')
}
