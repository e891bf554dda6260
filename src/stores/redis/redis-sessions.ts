import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type { EndReason, RefreshState, SessionRecord, SessionSeen, SessionStore } from '../contract.js'
import { endReasons } from '../end-reasons.js'
import { oldestFirst } from '../oldest-first.js'
import { json, methods, moment, momentDigits, readReply, rowText } from './replies.js'
import { identifier, keyOf, lifetime, type RunScript, slack } from './scripts.js'
import { createSession, endSession, findSession, rotateSession, sessionTimes, setRecord, touchSession } from './session-scripts.js'
import { userIndex } from './user-index.js'

const recordShape = json(
  z.strictObject({
    id: z.string(),
    kind: z.enum(['login', 'pkce']),
    scope: z.string(),
    methods,
    authenticatedAt: moment,
    createdAt: moment,
    userAgent: z.string().nullable(),
  }),
)
const seenShape = json(z.strictObject({ lastSeenAt: moment, idleExpiresAt: moment, ip: z.string().nullable() }))
const refreshShape = json(
  z.strictObject({
    hash: z.string(),
    familyKey: z.string(),
    spent: z.array(z.strictObject({ hash: z.string(), salt: z.string(), spentAt: moment })),
  }),
)
const reasonShape = z.enum(endReasons)
const aliveTail = [z.null(), z.null()] as const
const endedTail = [momentDigits, reasonShape] as const
const head = [z.string(), recordShape, momentDigits, seenShape, refreshShape.nullable()] as const
// Both or neither: a session with a reason but no time would look alive.
const rowShape = z.union([z.tuple([...head, ...aliveTail]), z.tuple([...head, ...endedTail])]).nullable()
const timesShape = z.tuple([momentDigits, seenShape, momentDigits.nullable()]).nullable()
const rotatedShape = z.enum(['rotated', 'superseded', 'ended'])

/** How many scripts are sent before their answers are awaited. */
const chunk = 100

/** Sessions, each in one hash, and a sorted set for each user. */
export function redisSessions(run: RunScript, prefix: string): SessionStore {
  const key = (id: string) => keyOf(prefix, 's', id)
  const index = userIndex(run, prefix)

  async function find(id: string): Promise<SessionRecord | null> {
    const row = readReply(rowShape, await run(findSession, key(id)), 'session')
    return row === null ? null : sessionOf(row)
  }

  async function endOne(id: string, reason: EndReason, now: Date, ofUser: readonly string[]): Promise<string | null> {
    const args = [now.getTime(), readReply(reasonShape, reason, 'reason'), randomId(), ...ofUser]
    return readReply(z.string().nullable(), await run(endSession, key(id), ...args), 'session')
  }

  return {
    async create(session) {
      const args = argumentsOf(session)
      // The index comes first: a session that is not in it would outlive "sign out everywhere".
      await index.add(session)
      if ((await run(createSession, key(session.id), ...args, randomId())) !== '1')
        throw new Error('redisStores: duplicate session')
    },
    find,
    async rotateRefresh(id, presentedHash, next) {
      const { refresh } = next
      const args = [...seenArguments(next), identifier(presentedHash), refreshText(refresh), identifier(refresh.hash), randomId()]
      return { outcome: readReply(rotatedShape, await run(rotateSession, key(id), ...args), 'rotation') }
    },
    async touch(id, seen) {
      await run(touchSession, key(id), ...seenArguments(seen))
    },
    async setMethods(id, methods) {
      const session = await find(id)
      if (session !== null) await run(setRecord, key(id), recordText({ ...session, methods }))
    },
    async end(id, reason, now) {
      const userId = await endOne(id, reason, now, [])
      if (userId !== null) await index.forget(userId, [id])
      return userId !== null
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const ids = (await index.idsOf(userId)).filter((id) => id !== exceptId)
      // With the user's id: a refused duplicate can leave somebody else's session in this user's index.
      const owners = await inChunks(ids, (id) => endOne(id, reason, now, [userId]))
      const ended = ids.filter((_id, position) => owners[position] !== null)
      await index.forget(userId, ended)
      return ended
    },
    async listForUser(userId, now) {
      const found = await inChunks(await index.idsOf(userId), find)
      const live = found.filter((session) => session !== null && session.userId === userId && !isOver(session, now))
      return (live as SessionRecord[]).sort(oldestFirst)
    },
    async liveAmong(ids, now) {
      const alive = await inChunks(ids, async (id) => isAlive(await run(sessionTimes, key(id)), now))
      return ids.filter((_id, position) => alive[position])
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}

// Commands that are sent without awaiting one another travel together; a chunk at a time, so that nobody else waits long.
async function inChunks<T>(ids: readonly string[], ask: (id: string) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let from = 0; from < ids.length; from += chunk) {
    answers.push(...(await Promise.all(ids.slice(from, from + chunk).map(ask))))
  }
  return answers
}

function isAlive(reply: unknown, now: Date): boolean {
  const times = readReply(timesShape, reply, 'session')
  if (times === null) return false
  const [expiresAt, { idleExpiresAt }, endedAt] = times
  return !isOver({ expiresAt, idleExpiresAt, endedAt }, now)
}

function isOver(
  { endedAt, idleExpiresAt, expiresAt }: Pick<SessionRecord, 'endedAt' | 'idleExpiresAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return endedAt !== null || idleExpiresAt <= now || expiresAt <= now
}

function sessionOf([userId, record, expiresAt, seen, refresh, endedAt, endReason]: NonNullable<
  z.output<typeof rowShape>
>): SessionRecord {
  return { ...record, ...seen, userId, expiresAt, refresh, endedAt, endReason }
}

function argumentsOf(session: SessionRecord): (string | number)[] {
  const { userId, expiresAt, lastSeenAt, idleExpiresAt, refresh, endedAt, endReason } = session
  const over = Math.min(idleExpiresAt.getTime(), expiresAt.getTime())
  const keep = lifetime(over - lastSeenAt.getTime() + slack)
  const [seen] = seenArguments(session)
  const refreshing = refresh === null ? ['', ''] : [refreshText(refresh), identifier(refresh.hash)]
  const ending = endedAt === null ? ['', ''] : [endedAt.getTime(), readReply(reasonShape, endReason, 'reason')]
  return [identifier(userId), recordText(session), expiresAt.getTime(), seen, ...refreshing, ...ending, keep]
}

function recordText({ id, kind, scope, methods, authenticatedAt, createdAt, userAgent }: SessionRecord): string {
  const times = { authenticatedAt: authenticatedAt.getTime(), createdAt: createdAt.getTime() }
  return rowText(recordShape, { id, kind, scope, methods, userAgent, ...times }, 'session')
}

function seenArguments({ lastSeenAt, idleExpiresAt, ip }: SessionSeen): [string, number, number] {
  const [last, idle] = [lastSeenAt.getTime(), idleExpiresAt.getTime()]
  return [rowText(seenShape, { lastSeenAt: last, idleExpiresAt: idle, ip }, 'session'), last, idle]
}

function refreshText({ hash, familyKey, spent }: RefreshState): string {
  const times = spent.map(({ hash, salt, spentAt }) => ({ hash, salt, spentAt: spentAt.getTime() }))
  return rowText(refreshShape, { hash, familyKey, spent: times }, 'refresh token')
}
