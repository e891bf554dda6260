import { z } from 'zod'
import { randomId } from '../../lib/secrets.js'
import type {
  RefreshRotation,
  RotateResult,
  SecretReplacement,
  SessionRecord,
  SessionSeen,
  SessionStore,
  StoredReason,
} from '../contract.js'
import { oldestFirst } from '../stored-values.js'
import { type Cutoff, isCutOff, type OwnerIndex, ownerIndex } from './owner-index.js'
import { inChunks, momentDigits, readReply } from './redis-client.js'
import {
  argumentsOf,
  type FoundSession,
  foundSession,
  type RecordChange,
  reasonText,
  recordWith,
  refreshText,
  seenArguments,
  timesOf,
} from './redis-rows.js'
import { identifier, keyOf, type RunScript } from './scripts.js'
import {
  laterOwners,
  type OwnedSession,
  type Owner,
  type Owners,
  ownedSession,
  ownerShape,
  ownersUnder,
} from './session-owners.js'
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

const touchedShape = z.tuple([momentDigits, ...ownerShape]).nullable()
const outcomes = z.enum(['rotated', 'superseded'])
const rotatedShape = z.union([
  z.tuple([z.literal('ended')]),
  z.tuple([outcomes, z.tuple([...ownerShape])]),
])
const setShape = z.enum(['set', 'superseded', 'ended'])

/**
 * Sessions, each in one hash, and for each user, client and session that opens others an index and
 * a cutoff. "All sessions of a user", or of another owner, are ended twice: one after the other, as
 * far as the index knows them, and all at once by the cutoff. Whichever of these keys Redis may
 * have lost, none of them lives on.
 *
 * Cutoffs are in other slots than the session, so they are asked in a step of their own, and always
 * after the session: what was done to a session after it was announced as over is not answered
 * as done.
 */
export function redisSessions(run: RunScript, prefix: string): SessionStore {
  const owners = ownersUnder(prefix)
  const index = ownerIndex(run)
  const key = (id: string) => keyOf(prefix, 's', id)
  const cutoffs = createCutoffs(owners, index, endCutOff({ run, key }))
  const database: Database = { run, key, owners, index, cutoffs }
  return {
    create: (session) => create(database, session),
    find: async (id) => (await findJudged(database, id))?.session ?? null,
    rotateRefresh: (id, presentedHash, next) => rotate(database, id, presentedHash, next),
    touch: (id, seen) => touch(database, id, seen),
    setMethods: (id, methods) => setRecordOf(run, key(id), { methods }),
    setAuthenticated: (id, { methods, authenticatedAt }) =>
      setRecordOf(run, key(id), { methods, authenticatedAt }),
    replaceSecret: (id, replacement) => replaceSecret(database, id, replacement),
    async addPasswordMark(userId, from, to) {
      const marks = [identifier(userId), identifier(from), identifier(to)]
      const ids = await index.idsOf(owners.user(userId))
      await inChunks(ids, (id) => run(addPasswordMark, key(id), ...marks))
    },
    ...sessionEndings({
      run,
      key,
      owners,
      index,
      async findLiving(id) {
        const found = await findJudged(database, id)
        return found?.session.endedAt === null ? found.owned : null
      },
    }),
    async listForUser(userId, now) {
      const ids = await index.idsOf(owners.user(userId))
      const rows = await inChunks(ids, async (id) => foundSession(await run(findSession, key(id))))
      const mine = rows.flatMap((row) => (row?.session.userId === userId ? [row] : []))
      const sessions = await cutoffs.judge(mine)
      return sessions.filter((session) => !isOver(session, now)).sort(oldestFirst)
    },
    countForUser: (userId) => index.count(owners.user(userId)),
    async liveAmong(ids, now) {
      const rows = await inChunks(ids, async (id) => timesOf(id, await run(sessionTimes, key(id))))
      const living = rows.flatMap((row) => (row === null || isOver(row, now) ? [] : [row]))
      return (await cutoffs.spared(living)).map(({ id }) => id)
    },
    // Redis deletes expired keys by itself.
    purge: async () => 0,
  }
}

interface Database {
  readonly run: RunScript
  readonly key: (id: string) => string
  readonly owners: Owners
  readonly index: OwnerIndex
  readonly cutoffs: Cutoffs
}

async function findJudged(
  { run, key, cutoffs }: Database,
  id: string,
): Promise<FoundSession | null> {
  const found = foundSession(await run(findSession, key(id)))
  if (found === null) return null
  const [session = found.session] = await cutoffs.judge([found])
  return { ...found, session }
}

async function touch(
  { run, key, owners, index }: Database,
  id: string,
  seen: SessionSeen,
): Promise<void> {
  const reply = await run(touchSession, key(id), ...seenArguments(seen))
  const touched = readReply(touchedShape, reply, 'session')
  if (touched === null) return
  // An index that was lost is whole again within a minute, as far as its sessions are in use.
  const [expiresAt, ...row] = touched
  const indexed = owners.of(ownedSession(id, row)).filter(({ isIndexed }) => isIndexed)
  const { lastSeenAt } = seen
  await Promise.all(indexed.map((owner) => index.add(owner, { id, expiresAt, lastSeenAt })))
}

async function rotate(
  { run, key, cutoffs }: Database,
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
  const [outcome, row] = readReply(rotatedShape, reply, 'rotation')
  if (outcome === 'ended') return { outcome }
  const spared = await cutoffs.spared([ownedSession(id, row)])
  return spared.length === 0 ? { outcome: 'ended' } : { outcome }
}

async function create(
  { run, key, owners, index }: Database,
  session: SessionRecord,
): Promise<void> {
  const { userId, clientId = null, parentId = null } = session
  const all = owners.of({ userId, clientId, parentId })
  const args = [...argumentsOf(session), randomId(), ...laterOwners(session)]
  // The indexes come first: from then on, "sign out everywhere" knows of the session.
  const known = await Promise.all(
    all.map(async (owner) => ({ owner, after: await index.add(owner, session) })),
  )
  const numbers = known.flatMap(({ owner, after }) => [owner.field, after])
  if ((await run(createSession, key(session.id), ...args, ...numbers)) !== '1')
    throw new Error('redisStores: duplicate session')
  // A cutoff that came in between knew of a session that was not there yet, and has not named it:
  // it was opened after that.
  const moved = await Promise.all(
    known.map(async ({ owner, after }) => {
      const cutoff = await index.cutoffOf(owner)
      return cutoff !== null && cutoff.number > after ? [owner.field, cutoff.number] : []
    }),
  )
  if (moved.flat().length === 0) return
  // Somebody has judged it by that cutoff in between: no token of it has gone out yet.
  if ((await run(openAfter, key(session.id), ...moved.flat())) === 'cut off')
    throw new Error('redisStores: the session was ended while it was opened')
}

// The new record is made from the record as it was read, so that members of a newer release stay.
async function setRecordOf(run: RunScript, key: string, change: RecordChange): Promise<void> {
  for (;;) {
    const reply = await run(findSession, key)
    if (foundSession(reply) === null) return
    const record = (reply as string[])[0] as string
    const set = await run(setRecord, key, record, recordWith(record, change))
    if (readReply(setShape, set, 'session') !== 'superseded') return
  }
}

async function replaceSecret(
  database: Pick<Database, 'run' | 'key' | 'cutoffs'>,
  id: string,
  replacement: SecretReplacement,
): Promise<boolean> {
  for (;;) {
    const reply = await database.run(findSession, database.key(id))
    const found = foundSession(reply)
    if (found === null) return false
    const record = (reply as string[])[0] as string
    const set = await setSecret(database, found.session, record, replacement)
    if (set === 'set') return (await database.cutoffs.spared([found.owned])).length > 0
    if (set === 'ended') return false
  }
}

// The condition is the whole record as it was read, so that nothing comes in between.
async function setSecret(
  { run, key }: Pick<Database, 'run' | 'key'>,
  { id, secretHash }: SessionRecord,
  record: string,
  { from, to, formerUntil }: SecretReplacement,
): Promise<z.output<typeof setShape>> {
  // Nobody else has this hash: a driver has sent the script twice, and this is the second run.
  if (secretHash === to) return 'set'
  if (secretHash !== from) return 'ended'
  const change = { secretHash: to, formerSecret: { hash: from, until: formerUntil } }
  const set = await run(setRecord, key(id), record, recordWith(record, change))
  return readReply(setShape, set, 'session')
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

interface EndingRows {
  readonly run: RunScript
  readonly key: (id: string) => string
  readonly owners: Owners
  readonly index: OwnerIndex
  /** The session, unless it is not there or has ended. */
  readonly findLiving: (id: string) => Promise<OwnedSession | null>
}

type Endings = 'end' | 'endAllForUser' | 'endAllForClient' | 'endChildren'

/** Why and when, and names and values of the fields by which it must be the owners' session. */
interface Ending {
  readonly reason: StoredReason
  readonly now: Date
  readonly ownedBy: readonly string[]
}

const endedShape = z.tuple([...ownerShape]).nullable()

/** Makes the functions that end sessions, one or all of an owner. */
function sessionEndings(rows: EndingRows): Required<Pick<SessionStore, Endings>> {
  const { owners, index, findLiving } = rows

  async function endPage(ids: readonly string[], ending: Ending): Promise<string[]> {
    const found = await inChunks(ids, (id) => endOne(rows, id, ending))
    const ended = found.flatMap((session) => (session === null ? [] : [session]))
    await forget(rows, ended)
    return ended.map(({ id }) => id)
  }

  // The cutoff comes first: a session that is opened from then on is spared, and named by nobody.
  async function endAllOf(
    owner: Owner,
    ending: Ending,
    limit = Number.POSITIVE_INFINITY,
    indexedBy = owner,
  ): Promise<string[]> {
    await index.cutOff(owner, reasonText(ending.reason), ending.now, null)
    const all: string[] = []
    for await (const page of index.pagesOf(indexedBy)) {
      all.push(...(await endPage(page, ending)))
      if (all.length >= limit) break
    }
    return all
  }

  return {
    async end(id, reason, now) {
      const ended = await endPage([id], { reason, now, ownedBy: [] })
      return ended.length === 1
    },
    async endAllForUser(userId, reason, now, exceptId) {
      const except = exceptId === undefined ? null : await findLiving(exceptId)
      const owner = owners.user(userId)
      await index.cutOff(owner, reasonText(reason), now, except)
      const ids = (await index.idsOf(owner)).filter((id) => id !== exceptId)
      // The script gets the user's id: a refused duplicate can leave somebody else's session in
      // this user's index.
      return endPage(ids, { reason, now, ownedBy: ['user', userId] })
    },
    endAllForClient(clientId, { userId, limit }, reason, now) {
      const ending = { reason, now, ownedBy: ['client', clientId] }
      if (userId === undefined) return endAllOf(owners.client(clientId), ending, limit)
      const ownedBy = [...ending.ownedBy, 'user', userId]
      const pair = owners.pair(clientId, userId)
      return endAllOf(pair, { ...ending, ownedBy }, limit, owners.user(userId))
    },
    endChildren: (parentId, reason, now) =>
      endAllOf(owners.parent(parentId), { reason, now, ownedBy: ['parent', parentId] }),
  }
}

/**
 * Ends a session that a cutoff has ended, in its own row. The mark is not the mark of a call: it
 * tells `openAfter` that a cutoff has ended the session.
 */
function endCutOff(rows: Pick<EndingRows, 'run' | 'key'>): EndCutOff {
  return function endByCutoff({ id, after }, { field }, { reason, at }) {
    // As it was judged: the number moves on where the session was opened after the cutoff.
    return endOne(rows, id, { reason, now: at, ownedBy: [field, String(after[field])] }, 'cutoff')
  }
}

async function endOne(
  { run, key }: Pick<EndingRows, 'run' | 'key'>,
  id: string,
  { reason, now, ownedBy }: Ending,
  attempt = randomId(),
): Promise<OwnedSession | null> {
  const args = [now.getTime(), reasonText(reason), attempt, ...ownedBy]
  const row = readReply(endedShape, await run(endSession, key(id), ...args), 'session')
  return row === null ? null : ownedSession(id, row)
}

async function forget(
  { owners, index }: EndingRows,
  ended: readonly OwnedSession[],
): Promise<void> {
  const idsOf = new Map<string, { readonly owner: Owner; readonly ids: string[] }>()
  for (const session of ended)
    for (const owner of owners.of(session)) {
      const known = idsOf.get(owner.key)
      if (known === undefined) idsOf.set(owner.key, { owner, ids: [session.id] })
      else known.ids.push(session.id)
    }
  await inChunks([...idsOf.values()], ({ owner, ids }) => index.forget(owner, ids))
}

/**
 * Judges sessions by the cutoffs of their owners. A session that is cut off is ended in its own row
 * before the answer, so that it stays over where the cutoff is lost as well.
 */
export interface Cutoffs {
  /** The sessions as they are: a session that is cut off has ended. */
  judge(found: readonly FoundSession[]): Promise<SessionRecord[]>
  /** The sessions that are not cut off. */
  spared<Session extends OwnedSession>(sessions: readonly Session[]): Promise<Session[]>
}

/**
 * Ends a session that is cut off, if it is still the one that was: a session that is just being
 * opened may have been opened after the cutoff (`openAfter`).
 */
export type EndCutOff = (session: OwnedSession, owner: Owner, cutoff: Cutoff) => Promise<unknown>

/** Makes the function that asks for the cutoffs, once for each owner. */
function createCutoffs(
  owners: Owners,
  index: Pick<OwnerIndex, 'cutoffOf'>,
  endCutOff: EndCutOff,
): Cutoffs {
  /** The earliest cutoff by which each session is over. */
  async function cutoffsOf(sessions: readonly OwnedSession[]): Promise<(Cutoff | null)[]> {
    const all = new Map<string, Owner>()
    for (const session of sessions)
      for (const owner of owners.of(session)) all.set(owner.key, owner)
    const cutoffs = await inChunks([...all.values()], (owner) => index.cutoffOf(owner))
    const cutoffBy = new Map([...all.keys()].map((key, position) => [key, cutoffs[position]]))
    return inChunks(sessions, async (session) => {
      const over = owners.of(session).flatMap((owner) => {
        const cutoff = cutoffBy.get(owner.key) ?? null
        return cutoff !== null && isCutOff(session, owner, cutoff) ? [{ owner, cutoff }] : []
      })
      const [first] = over.sort((a, b) => a.cutoff.at.getTime() - b.cutoff.at.getTime())
      if (first === undefined) return null
      await endCutOff(session, first.owner, first.cutoff)
      return first.cutoff
    })
  }

  return {
    async judge(found) {
      const living = found.filter(({ session }) => session.endedAt === null)
      const cutoffs = await cutoffsOf(living.map(({ owned }) => owned))
      const over = new Map(living.map(({ owned }, position) => [owned, cutoffs[position]]))
      return found.map(({ session, owned }) => {
        const cutoff = over.get(owned) ?? null
        if (cutoff === null) return session
        return { ...session, endedAt: cutoff.at, endReason: cutoff.reason }
      })
    },
    async spared(sessions) {
      const cutoffs = await cutoffsOf(sessions)
      return sessions.filter((_session, position) => cutoffs[position] === null)
    },
  }
}
