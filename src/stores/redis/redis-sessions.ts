import { z } from 'zod'
import { randomId } from '../../lib/random.js'
import type {
  RefreshRotation,
  RotateResult,
  SessionRecord,
  SessionStore,
  StoredReason,
} from '../contract.js'
import { oldestFirst } from '../oldest-first.js'
import { momentDigits, readReply } from './replies.js'
import { identifier, keyOf, type RunScript } from './scripts.js'
import {
  argumentsOf,
  type FoundSession,
  foundSession,
  reasonText,
  recordWith,
  refreshText,
  type SessionTimes,
  seenArguments,
  timesOf,
} from './session-rows.js'
import {
  addPasswordMark,
  createSession,
  endSession,
  findSession,
  openAfter,
  rotateSession,
  sessionTimes,
  setRecord,
  touchSession,
} from './session-scripts.js'
import { type Cutoff, isCutOff, number, type UserIndex, userIndex } from './user-index.js'

const touchedShape = z.tuple([z.string(), momentDigits]).nullable()
const outcomes = z.enum(['rotated', 'superseded'])
const rotatedShape = z.union([
  z.tuple([z.literal('ended')]),
  z.tuple([outcomes, z.string(), number]),
])
const setShape = z.enum(['set', 'superseded', 'ended'])

/** How many scripts are sent before their answers are awaited. */
const chunk = 100

/**
 * Sessions, each in one hash, and for each user an index and a cutoff. "All sessions of a user" are
 * ended twice: one after the other, as far as the index knows them, and all at once by the cutoff.
 * Whichever of these keys Redis may have lost, none of them lives on.
 *
 * The cutoff is in another slot than the session, so it is asked in a step of its own, and always
 * after the session: what was done to a session after it was announced as over is not answered
 * as done.
 */
export function redisSessions(run: RunScript, prefix: string): SessionStore {
  const database: Database = {
    run,
    key: (id) => keyOf(prefix, 's', id),
    index: userIndex(run, prefix),
  }
  const { index, key } = database
  return {
    create: (session) => create(database, session),
    find: async (id) => (await find(database, id))?.session ?? null,
    rotateRefresh: (id, presentedHash, next) => rotate(database, id, presentedHash, next),
    async touch(id, seen) {
      const reply = await run(touchSession, key(id), ...seenArguments(seen))
      const touched = readReply(touchedShape, reply, 'session')
      if (touched === null) return
      // An index that was lost is whole again within a minute, as far as its sessions are in use.
      const [userId, expiresAt] = touched
      await index.add({ id, userId, expiresAt, lastSeenAt: seen.lastSeenAt })
    },
    setMethods: (id, methods) => setMethods(run, key(id), methods),
    async addPasswordMark(userId, from, to) {
      const marks = [identifier(userId), identifier(from), identifier(to)]
      await inChunks(await index.idsOf(userId), (id) => run(addPasswordMark, key(id), ...marks))
    },
    async end(id, reason, now) {
      const userId = await endOne(database, id, reason, now, [])
      if (userId !== null) await index.forget(userId, [id])
      return userId !== null
    },
    endAllForUser: (userId, reason, now, exceptId) =>
      endAll(database, userId, reason, now, exceptId),
    async listForUser(userId, now) {
      const [ids, cutoff] = await Promise.all([index.idsOf(userId), index.cutoffOf(userId)])
      const found = await inChunks(ids, async (id) => foundSession(await run(findSession, key(id))))
      const sessions = found.flatMap((one) => (one === null ? [] : [judged(one, cutoff).session]))
      return sessions
        .filter((session) => session.userId === userId && !isOver(session, now))
        .sort(oldestFirst)
    },
    async liveAmong(ids, now) {
      const rows = await inChunks(ids, async (id) => timesOf(id, await run(sessionTimes, key(id))))
      const living = rows.flatMap((row) => (row === null || isOver(row, now) ? [] : [row]))
      return (await notCutOff(index, living)).map(({ id }) => id)
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}

interface Database {
  readonly run: RunScript
  readonly key: (id: string) => string
  readonly index: UserIndex
}

async function find({ run, key, index }: Database, id: string): Promise<FoundSession | null> {
  const found = foundSession(await run(findSession, key(id)))
  if (found === null || found.session.endedAt !== null) return found
  return judged(found, await index.cutoffOf(found.session.userId))
}

async function rotate(
  { run, key, index }: Database,
  id: string,
  presentedHash: string,
  next: RefreshRotation,
): Promise<RotateResult> {
  const { refresh } = next
  const args = [
    ...seenArguments(next),
    identifier(presentedHash),
    refreshText(refresh),
    identifier(refresh.hash),
    randomId(),
  ]
  const reply = await run(rotateSession, key(id), ...args)
  const [outcome, userId, after] = readReply(rotatedShape, reply, 'rotation')
  if (outcome === 'ended') return { outcome }
  return isCutOff({ id, after }, await index.cutoffOf(userId)) ? { outcome: 'ended' } : { outcome }
}

async function endOne(
  { run, key }: Database,
  id: string,
  reason: StoredReason,
  now: Date,
  ofUser: readonly string[],
): Promise<string | null> {
  const args = [now.getTime(), reasonText(reason), randomId(), ...ofUser]
  return readReply(z.string().nullable(), await run(endSession, key(id), ...args), 'session')
}

async function endAll(
  database: Database,
  userId: string,
  reason: StoredReason,
  now: Date,
  exceptId: string | undefined,
): Promise<string[]> {
  const { index } = database
  const excepted = exceptId === undefined ? null : await find(database, exceptId)
  const except =
    excepted?.session.endedAt === null ? { id: excepted.session.id, after: excepted.after } : null
  const indexed = await index.cutOff(userId, reasonText(reason), now, except)
  const ids = indexed.filter((id) => id !== exceptId)
  // With the user's id: a refused duplicate can leave somebody else's session in this user's
  // index.
  const owners = await inChunks(ids, (id) => endOne(database, id, reason, now, [userId]))
  const ended = ids.filter((_id, position) => owners[position] !== null)
  await index.forget(userId, ended)
  return ended
}

async function create({ run, key, index }: Database, session: SessionRecord): Promise<void> {
  const args = argumentsOf(session)
  // The index comes first: from then on, "sign out everywhere" knows of the session.
  const after = await index.add(session)
  if ((await run(createSession, key(session.id), ...args, randomId(), after)) !== '1')
    throw new Error('redisStores: duplicate session')
  // A cutoff that came in between knew of a session that was not there yet, and has not named it:
  // it was opened after that.
  const cutoff = await index.cutoffOf(session.userId)
  if (cutoff !== null && cutoff.number > after) await run(openAfter, key(session.id), cutoff.number)
}

// By the record as it was read, so that what a newer release has put into it stays.
async function setMethods(
  run: RunScript,
  key: string,
  methods: SessionRecord['methods'],
): Promise<void> {
  for (;;) {
    const reply = await run(findSession, key)
    if (foundSession(reply) === null) return
    const record = (reply as string[])[1] as string
    const set = await run(setRecord, key, record, recordWith(record, methods))
    if (readReply(setShape, set, 'session') !== 'superseded') return
  }
}

/** The session as it is, with the cutoff of its user. */
function judged({ session, after }: FoundSession, cutoff: Cutoff | null): FoundSession {
  if (session.endedAt !== null || cutoff === null || !isCutOff({ id: session.id, after }, cutoff))
    return { session, after }
  return { session: { ...session, endedAt: cutoff.at, endReason: cutoff.reason }, after }
}

async function notCutOff(
  index: UserIndex,
  sessions: readonly SessionTimes[],
): Promise<SessionTimes[]> {
  const users = [...new Set(sessions.map(({ userId }) => userId))]
  const cutoffs = await inChunks(users, (userId) => index.cutoffOf(userId))
  const cutoffOf = new Map(users.map((userId, position) => [userId, cutoffs[position] ?? null]))
  return sessions.filter((session) => !isCutOff(session, cutoffOf.get(session.userId) ?? null))
}

// Commands that are sent without awaiting one another travel together; a chunk at a time, so that
// nobody else waits long.
async function inChunks<T, Answer>(
  items: readonly T[],
  ask: (item: T) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < items.length; from += chunk) {
    answers.push(...(await Promise.all(items.slice(from, from + chunk).map(ask))))
  }
  return answers
}

function isOver(
  {
    endedAt,
    idleExpiresAt,
    expiresAt,
  }: Pick<SessionRecord, 'endedAt' | 'idleExpiresAt' | 'expiresAt'>,
  now: Date,
): boolean {
  return endedAt !== null || idleExpiresAt <= now || expiresAt <= now
}
