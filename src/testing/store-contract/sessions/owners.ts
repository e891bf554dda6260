import { randomId } from '../../../lib/random.js'
import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import { inTurns, newSession } from '../../../stores/new-records.js'
import { check, resolves, same } from '../harness/checks.js'
import { atOnce, many, type Part, whereOffered } from '../harness/suite.js'
import { awkwardPairs } from '../harness/texts.js'

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
      for (const { id } of own) {
        const found = await sessions.find(id)
        const shown = [found?.endedAt, found?.endReason]
        same(shown, [at(1), 'client-disabled'], `sessions.find after sessions.${name}.`)
      }
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
      const answers = await Promise.all(own.map(() => endAll(sessions, key, at(1))))
      same(
        sorted(answers.flat()),
        idsOf(own),
        `Ten callers of ${name} together must name each id once. Answer the rows that this write ` +
          'has changed.',
      )
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
