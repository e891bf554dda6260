import { randomId } from '../../lib/secrets.js'
import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import { inTurns, newSession } from '../../stores/new-records.js'
import {
  type Answer,
  answers,
  atOnce,
  awkwardPairs,
  check,
  many,
  type Part,
  resolves,
  same,
  whereOffered,
} from './harness.js'

const thisWrite = 'Answer the rows that this write has changed.'

/** A session ends once, for the first reason, and the one caller who ended it is told so. */
export function endingContract(part: Part<SessionStore>): void {
  endOne(part)
  endAll(part)
  endAllEdges(part)
  endAllWhileCreated(part)
  endAllAtOnce(part)
}

function endOne({ it }: Part<SessionStore>): void {
  it('an ended session shows when and why, and the first reason stays', async (sessions, at) => {
    const session = newSession(at)
    const { id, userId } = session
    await sessions.create(session)
    const find = () => sessions.find(id)
    const ended = { ...(await find()), endedAt: at(1.234), endReason: 'evicted' }
    const endAll = () => sessions.endAllForUser(userId, 'revoked', at(3))
    const again = () => sessions.end(id, 'revoked', at(2))
    await answers([
      [() => sessions.end(id, 'evicted', at(1.234)), true, 'end is true for who ended it.'],
      [find, ended, 'sessions.find right after sessions.end.'],
      [again, false, 'sessions.end is false for a session that has ended.'],
      [endAll, [], 'endAllForUser names only what it ended itself.'],
      [find, ended, 'The first reason stays, and the first moment.'],
    ])
  })

  it('ending an unknown session is false', async (sessions, at) => {
    const { id } = newSession(at)
    same(await sessions.end(id, 'logout', at(1)), false, 'sessions.end is false for an unknown id.')
    same(await sessions.find(id), null, 'sessions.end made a session. Update; never upsert.')
  })
}

function endAll({ it }: Part<SessionStore>): void {
  it('endAllForUser ends the sessions of that user only, and answers their ids', async (sessions, at) => {
    const { userId } = newSession(at)
    const own = [newSession(at, { userId }), newSession(at, { userId }), newSession(at, { userId })]
    const stranger = newSession(at)
    for (const session of [...own, stranger]) await sessions.create(session)
    const others = await sessions.find(stranger.id)
    const end = (user: string) => async () =>
      sorted(await sessions.endAllForUser(user, 'revoked', at(1)))
    const after = 'sessions.find after sessions.endAllForUser.'
    const alone = 'sessions.endAllForUser must leave other users’ sessions alone.'
    await answers([
      [end(userId), idsOf(own), 'sessions.endAllForUser answers the ids of those it ended.'],
      ...own.map(({ id }): Answer => [endOf(sessions, id), [at(1), 'revoked'], after]),
      [() => sessions.find(stranger.id), others, alone],
      [end(newSession(at).userId), [], 'endAllForUser of a user without sessions.'],
    ])
  })

  it('endAllForUser spares exceptId', async (sessions, at) => {
    const kept = newSession(at)
    const other = newSession(at, { userId: kept.userId })
    await sessions.create(kept)
    await sessions.create(other)
    const before = await sessions.find(kept.id)
    const end = () => sessions.endAllForUser(kept.userId, 'revoked', at(1), kept.id)
    const here = 'exceptId: "sign out everywhere else" must not sign out here.'
    await answers([
      [end, [other.id], `endAllForUser with ${here}`],
      [() => sessions.find(kept.id), before, 'The session of exceptId must be left as it was.'],
    ])
  })
}

function endAllEdges({ it }: Part<SessionStore>): void {
  it('endAllForUser ends and names sessions that idled out, or are past their absolute end, too', async (sessions, at) => {
    const living = newSession(at)
    const { userId } = living
    const times = { idleExpiresAt: at(300), expiresAt: at(300) }
    const idle = newSession(at, { userId, idleExpiresAt: at(300) })
    const expired = newSession(at, { userId, ...times })
    for (const session of [living, idle, expired]) await sessions.create(session)
    const ids = await sessions.endAllForUser(userId, 'revoked', at(400))
    const left = 'sessions.endAllForUser left out a session'
    const why = 'a process whose clock is behind would let it live on. Go by `endedAt` alone.'
    check(ids.includes(idle.id), `${left} that had idled out: ${why}`)
    check(ids.includes(expired.id), `${left} past its expiresAt: ${why}`)
    const three = 'sessions.endAllForUser of three sessions, two of them over.'
    same(sorted(ids), idsOf([living, idle, expired]), three)
    const ended = 'sessions.find of a session that was over, after endAllForUser.'
    for (const { id } of [idle, expired])
      same(await endOf(sessions, id)(), [at(400), 'revoked'], ended)
  })
}

function endAllWhileCreated({ inRounds }: Part<SessionStore>): void {
  inRounds(
    'endAllForUser and create, at once: the new session is ended and named, or neither',
    async (sessions, at, round) => {
      const old = newSession(at)
      const fresh = newSession(at, { userId: old.userId })
      await sessions.create(old)
      const create = () => sessions.create(fresh).then(() => [])
      const endAll = () => sessions.endAllForUser(old.userId, 'revoked', at(1))
      const named = (await atOnce(round, create, endAll)).flat()
      const isEnded = (await sessions.find(fresh.id))?.endedAt !== null
      check(
        named.includes(old.id),
        'sessions.endAllForUser did not name a session that was there before it was called.',
      )
      check(
        named.includes(fresh.id) === isEnded,
        `endAllForUser ${isEnded ? 'ended but did not name' : 'named but did not end'} a ` +
          'session that was created meanwhile.',
      )
    },
  )
}

function endAllAtOnce({ it, inRounds }: Part<SessionStore>): void {
  it('endAllForUser by 10 callers, at once: each id is named by exactly one', async (sessions, at) => {
    const { userId } = newSession(at)
    const own = Array.from({ length: 10 }, () => newSession(at, { userId }))
    for (const session of own) await sessions.create(session)
    const all = own.map(() => sessions.endAllForUser(userId, 'revoked', at(1)))
    const said = await Promise.all(all)
    const once = 'Ten callers of endAllForUser together must name each id once.'
    same(sorted(said.flat()), idsOf(own), `${once} ${thisWrite}`)
  })

  inRounds(
    'end and endAllForUser, at once: the session is ended by exactly one of them',
    async (sessions, at, round) => {
      const session = newSession(at)
      await sessions.create(session)
      const end = async () => ((await sessions.end(session.id, 'logout', at(1))) ? 1 : 0)
      const all = async () =>
        (await sessions.endAllForUser(session.userId, 'revoked', at(1))).length
      const counts = await atOnce(round, end, all)
      const ended = counts.reduce((sum, count) => sum + count, 0)
      check(
        ended === 1,
        `${ended} of 2 callers ended one session, one by end and one by endAllForUser. ` +
          'Condition both on endedAt.',
      )
    },
  )
}

/** When and why the session has ended. */
const endOf = (sessions: SessionStore, id: string) => async () => {
  const found = await sessions.find(id)
  return [found?.endedAt, found?.endReason]
}

/** Sessions that end together: those of a client, and those that one session has opened. */
export function ownersContract(part: Part<SessionStore>): void {
  // Only hosts with the option `oauth` need them.
  for (const ending of endings) {
    endsThose(part, ending)
    endsThoseThatAreOver(part, ending)
    tellsKeysApart(part, ending)
    endsMany(part, ending)
    endsWhileCreated(part, ending)
    endsAtOnce(part, ending)
  }
  endsOfOneUser(part)
  leavesTheParent(part)
}

type EndAll = (sessions: SessionStore, key: string, now: Date) => Promise<string[]>

interface Ending {
  readonly name: 'endAllForClient' | 'endChildren'
  /** The member that the sessions have in common. */
  readonly member: 'clientId' | 'parentId'
  readonly endAll: EndAll
}

const none: Promise<string[]> = Promise.resolve([])
const endings: readonly Ending[] = [
  {
    name: 'endAllForClient',
    member: 'clientId',
    endAll: (sessions, key, now) =>
      sessions.endAllForClient?.(key, {}, 'client-disabled', now) ?? none,
  },
  {
    name: 'endChildren',
    member: 'parentId',
    endAll: (sessions, key, now) => sessions.endChildren?.(key, 'client-disabled', now) ?? none,
  },
]

const sorted = (ids: readonly string[]) => [...ids].sort()
const idsOf = (sessions: readonly SessionRecord[]) => sorted(sessions.map(({ id }) => id))

function endsThose(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  whereOffered(part, name).it(
    'ends those sessions only, and answers their ids',
    async (sessions, at) => {
      const key = randomId()
      const own = [newSession(at, { [member]: key }), newSession(at, { [member]: key })]
      const { userId } = newSession(at)
      const others = [
        newSession(at, { userId: own[0]?.userId ?? userId }),
        newSession(at, { [member]: randomId() }),
        newSession(at, { userId: key }),
        newSession(at, { [member === 'clientId' ? 'parentId' : 'clientId']: key }),
      ]
      const gone = newSession(at, { [member]: key })
      for (const session of [...own, ...others, gone]) await sessions.create(session)
      await sessions.end(gone.id, 'logout', at(0.5))
      const answer = await endAll(sessions, key, at(1))
      same(sorted(answer), idsOf(own), `sessions.${name} answers the ids of those it ended itself.`)
      const shown = [at(1), 'client-disabled']
      for (const { id } of own)
        same(await endOf(sessions, id)(), shown, `sessions.find after sessions.${name}.`)
      for (const other of others)
        same(
          await sessions.find(other.id),
          other,
          `sessions.${name} ended or changed a session that is none of those: go by \`${member}\`.`,
        )
      same(await endAll(sessions, key, at(2)), [], `sessions.${name} of sessions that have ended.`)
      same(await endAll(sessions, randomId(), at(2)), [], `sessions.${name} where there are none.`)
    },
  )
}

function endsThoseThatAreOver(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  whereOffered(part, name).it('ends and names those that are over, too', async (sessions, at) => {
    const key = randomId()
    const living = newSession(at, { [member]: key })
    const idle = newSession(at, { [member]: key, idleExpiresAt: at(300) })
    const times = { idleExpiresAt: at(300), expiresAt: at(300) }
    const expired = newSession(at, { [member]: key, ...times })
    for (const session of [living, idle, expired]) await sessions.create(session)
    const answer = await endAll(sessions, key, at(400))
    checkNamed(ending, answer, living)
    same(
      sorted(answer),
      idsOf([living, idle, expired]),
      `sessions.${name} left out a session that had idled out or expired: a process whose clock ` +
        'is behind would let it live on. Go by `endedAt` alone.',
    )
  })
}

// Fails for a store that does not keep the member at all. Other tests detect other causes.
function checkNamed(
  { name, member }: Ending,
  answer: readonly string[],
  { id }: SessionRecord,
): void {
  check(answer.includes(id), `sessions.${name} did not end a living session. Keep \`${member}\`.`)
}

function tellsKeysApart(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  whereOffered(part, name).it('ids that differ in one byte are different', async (sessions, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const one = newSession(at, { [member]: first })
      const other = newSession(at, { [member]: second })
      for (const session of [one, other]) await sessions.create(session)
      checkNamed(ending, await endAll(sessions, first, at(1)), one)
      same(
        (await sessions.find(other.id))?.endedAt,
        null,
        `sessions.${name} takes two ids for the same that differ by ${what}. Compare bytewise.`,
      )
    }
  })
}

function endsMany(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  whereOffered(part, name).it(`ends all of ${many} sessions`, async (sessions, at) => {
    const key = randomId()
    const own = Array.from({ length: many }, () => newSession(at, { [member]: key }))
    await inTurns(own, (session) => sessions.create(session))
    const ended = await endAll(sessions, key, at(1))
    const found = await Promise.all(own.map(({ id }) => sessions.find(id)))
    const left = found.filter((session) => session?.endedAt === null)
    const why = `of ${many} sessions. Go on until none is left, batch by batch.`
    check(left.length === 0, `sessions.${name} left ${left.length} ${why}`)
    same(sorted(ended), idsOf(own), `sessions.${name} named ${ended.length} ${why}`)
  })
}

function endsWhileCreated(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  const title = 'and create, at once: the new session is ended and named, or neither'
  whereOffered(part, name).inRounds(title, async (sessions, at, round) => {
    const key = randomId()
    const [old, fresh] = [newSession(at, { [member]: key }), newSession(at, { [member]: key })]
    await sessions.create(old)
    const create = () => sessions.create(fresh).then(() => [])
    const end = () => endAll(sessions, key, at(1))
    const named = (await atOnce(round, create, end)).flat()
    const isEnded = (await sessions.find(fresh.id))?.endedAt !== null
    check(
      named.includes(old.id),
      `sessions.${name} did not name a session that was there before it was called.`,
    )
    check(
      named.includes(fresh.id) === isEnded,
      `${name} ${isEnded ? 'ended but did not name' : 'named but did not end'} a session that ` +
        'was created meanwhile.',
    )
  })
}

function endsAtOnce(part: Part<SessionStore>, ending: Ending): void {
  const { name, member, endAll } = ending
  whereOffered(part, name).it(
    'by 10 callers, at once: each id is named by one',
    async (sessions, at) => {
      const key = randomId()
      const own = Array.from({ length: 10 }, () => newSession(at, { [member]: key }))
      for (const session of own) await sessions.create(session)
      const said = await Promise.all(own.map(() => endAll(sessions, key, at(1))))
      const once = `Ten callers of ${name} together must name each id once.`
      same(sorted(said.flat()), idsOf(own), `${once} ${thisWrite}`)
    },
  )

  const title = 'and end and endAllForUser, at once: each session is ended by one of them'
  whereOffered(part, name).inRounds(title, async (sessions, at, round) => {
    const session = newSession(at, { [member]: randomId() })
    await sessions.create(session)
    const { id, userId } = session
    const end = async () => ((await sessions.end(id, 'logout', at(1))) ? [id] : [])
    const together = () => endAll(sessions, session[member] ?? '', at(1))
    const all = () => sessions.endAllForUser(userId, 'revoked', at(1))
    const ended = (await atOnce(round, end, together, all)).flat()
    check(
      ended.length === 1,
      `${ended.length} of 3 callers ended one session, by end, endAllForUser and ${name}. ` +
        'Condition all of them on endedAt.',
    )
  })
}

function endsOfOneUser(part: Part<SessionStore>): void {
  const title = 'with a user ends the sessions of that user at that client, and no others'
  whereOffered(part, 'endAllForClient').it(title, async (sessions, at) => {
    const [clientId, userId] = [randomId(), randomId()]
    const own = [newSession(at, { clientId, userId }), newSession(at, { clientId, userId })]
    const others = [
      newSession(at, { clientId }),
      newSession(at, { clientId: randomId(), userId }),
      newSession(at, { userId }),
    ]
    for (const session of [...own, ...others]) await sessions.create(session)
    const endAll = () =>
      resolves(
        sessions.endAllForClient?.(clientId, { userId }, 'consent-revoked', at(1)) ?? none,
        'sessions.endAllForClient with a user must end, and resolve.',
      )
    same(sorted(await endAll()), idsOf(own), 'sessions.endAllForClient with a user.')
    for (const other of others)
      same(
        await sessions.find(other.id),
        other,
        'sessions.endAllForClient with a user ended a session of another user, or at another ' +
          'client: both are conditions of the write.',
      )
    const later = newSession(at, { clientId, userId })
    await sessions.create(later)
    same(await sessions.find(later.id), later, 'What is opened later is not ended by it.')
    same(await endAll(), [later.id], 'sessions.endAllForClient with a user, once more.')
  })
}

function leavesTheParent(part: Part<SessionStore>): void {
  const title =
    'leaves the parent, its parent, the children of its children and what only came from it'
  whereOffered(part, 'endChildren').it(title, async (sessions, at) => {
    const grandparent = newSession(at)
    const parent = newSession(at, { parentId: grandparent.id })
    const child = newSession(at, { parentId: parent.id })
    const grandchild = newSession(at, { parentId: child.id })
    const cameFromIt = newSession(at, { openedBySessionId: parent.id })
    const all = [grandparent, parent, child, grandchild, cameFromIt]
    for (const session of all) await sessions.create(session)
    same(await sessions.endChildren?.(parent.id, 'revoked', at(1)), [child.id], 'endChildren.')
    for (const session of all.filter(({ id }) => id !== child.id))
      same(await sessions.find(session.id), session, 'sessions.endChildren ended somebody else.')
  })
}
