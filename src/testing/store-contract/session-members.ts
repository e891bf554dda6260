import { randomSecret } from '../../lib/secrets.js'
import type { AuthenticationMethod, SessionRecord, SessionStore } from '../../stores/contract.js'
import {
  type Moment,
  newRefreshable,
  newSession,
  newWholeSession,
} from '../../stores/new-records.js'
import { atOnce, check, otherCase, type Part, resolves, same, whereOffered } from './harness.js'

/** A password gets a new hash: the marks of both hashes are valid, and no others. */
export function passwordMarksContract(part: Part<SessionStore>): void {
  // Only hosts with the option `watchPasswordHash` need it.
  const offering = whereOffered(part, 'addPasswordMark')
  marksOfSessions(offering)
  marksOfOthers(offering)
  marksOneAfterTheOther(offering)
  marksAtOnce(offering)
}

type Marking = Part<SessionStore & Required<Pick<SessionStore, 'addPasswordMark'>>>

const marked = (at: Moment, passwordMark: string, change: Partial<SessionRecord> = {}) =>
  newRefreshable(at, 'token', { passwordMark, ...change })
const marksOf = async (sessions: SessionStore, id: string) => {
  const found = await sessions.find(id)
  return [found?.passwordMark, found?.passwordMarkNext?.split(' ')]
}

function marksOfSessions({ it }: Marking): void {
  it('adds the mark to every session of the user that has the other, and nothing else', async (sessions, at) => {
    const [from, to] = [randomSecret(), randomSecret()]
    const one = marked(at, from)
    const other = marked(at, from, { userId: one.userId, idleExpiresAt: at(10) })
    for (const session of [one, other]) await sessions.create(session)
    await sessions.addPasswordMark(one.userId, from, to)
    for (const session of [one, other])
      same(
        await sessions.find(session.id),
        { ...session, passwordMarkNext: to },
        'addPasswordMark leaves passwordMark as it is, and puts the new one into passwordMarkNext.',
      )
    await sessions.addPasswordMark(one.userId, from, to)
    same(
      await sessions.find(one.id),
      { ...one, passwordMarkNext: to },
      'A mark that is there already is not added again: a driver may repeat a call.',
    )
  })
}

function marksOfOthers({ it }: Marking): void {
  it('leaves other marks, other users, sessions without a mark and ended ones alone', async (sessions, at) => {
    const [from, to] = [randomSecret(), randomSecret()]
    const own = marked(at, from)
    const { userId } = own
    const others = {
      'of an older password': marked(at, randomSecret(), { userId }),
      'whose mark differs by case': marked(at, otherCase(from), { userId }),
      'whose next mark only begins so': marked(at, randomSecret(), {
        userId,
        passwordMarkNext: `${from}0 0${from}`,
      }),
      'without a mark': newRefreshable(at, 'token', { userId }),
      'of another user': marked(at, from),
      'that has ended': marked(at, from, { userId }),
    }
    for (const session of [own, ...Object.values(others)]) await sessions.create(session)
    await sessions.end(others['that has ended'].id, 'logout', at(1))
    const before = await Promise.all(Object.values(others).map(({ id }) => sessions.find(id)))
    await sessions.addPasswordMark(userId, from, to)
    for (const [index, [what, { id }]] of Object.entries(others).entries())
      same(
        await sessions.find(id),
        before[index],
        `addPasswordMark changed a session ${what}: it would outlive a password that was ` +
          'changed. Go by `userId`, `endedAt` and the mark, all three in the write.',
      )
    await resolves(
      sessions.addPasswordMark(marked(at, from).userId, from, to),
      'addPasswordMark of a user without sessions must do nothing, and resolve.',
    )
  })
}

function marksOneAfterTheOther({ it }: Marking): void {
  it('a mark that is added beside one of the next takes the place of all before', async (sessions, at) => {
    const [first, second, lost] = [randomSecret(), randomSecret(), randomSecret()]
    const third = randomSecret()
    const session = marked(at, first)
    await sessions.create(session)
    await sessions.addPasswordMark(session.userId, first, second)
    await sessions.addPasswordMark(session.userId, first, lost)
    same(await marksOf(sessions, session.id), [first, [second, lost]], 'Two were added beside one.')
    await sessions.addPasswordMark(session.userId, second, third)
    same(
      await marksOf(sessions, session.id),
      [second, [third]],
      'The hash of `second` is the current one: it is the mark now, and those beside it are void.',
    )
  })

  it('however many are added, the last 16 are there, and the row does not grow for ever', async (sessions, at) => {
    const session = marked(at, randomSecret())
    await sessions.create(session)
    const added = Array.from({ length: 60 }, () => randomSecret())
    for (const mark of added)
      await sessions.addPasswordMark(session.userId, session.passwordMark ?? '', mark)
    const [mark, next] = await marksOf(sessions, session.id)
    same(mark, session.passwordMark, 'passwordMark stays while marks are added beside it.')
    same(next?.slice(-16), added.slice(-16), 'The last 16 marks that were added are good.')
    check(
      String(next).length <= 16_000,
      'passwordMarkNext grows with every mark. Cut off the oldest, beyond 1000 bytes.',
    )
  })
}

function marksAtOnce({ it }: Marking): void {
  it('of 16 at once, every mark is there', async (sessions, at) => {
    const from = randomSecret()
    const one = marked(at, from)
    const other = marked(at, from, { userId: one.userId })
    await sessions.create(one)
    await sessions.create(other)
    const added = Array.from({ length: 16 }, () => randomSecret())
    await Promise.all(added.map((mark) => sessions.addPasswordMark(one.userId, from, mark)))
    for (const { id } of [one, other]) {
      const [mark, next] = await marksOf(sessions, id)
      same(
        [mark, [...(next ?? [])].sort()],
        [from, [...added].sort()],
        'A mark that was lost signs its sessions out: only one of the hashes is kept, and nobody ' +
          'knows yet which. Append in the write itself; do not read before.',
      )
    }
  })
}

/** `methods` change during a session: a second factor was shown, or removed. */
export function methodsContract(part: Part<SessionStore>): void {
  replacing(part)
  besideTouch(part)
}

const shown: readonly AuthenticationMethod[] = ['pwd', 'otp', 'recovery']

function replacing({ it }: Part<SessionStore>): void {
  it('setMethods replaces the methods of a living session, and nothing else', async (sessions, at) => {
    const session = newRefreshable(at, 'token', {
      methods: ['pwd'],
      ip: '203.0.113.1',
      userAgent: 'app',
    })
    const other = newSession(at, { userId: session.userId })
    await sessions.create(session)
    await sessions.create(other)
    const [before, others] = [await sessions.find(session.id), await sessions.find(other.id)]
    for (const methods of [shown, ['host'], []] satisfies (readonly AuthenticationMethod[])[]) {
      await sessions.setMethods(session.id, methods)
      same(
        await sessions.find(session.id),
        { ...before, methods },
        'sessions.setMethods replaces `methods` whole, in their order.',
      )
    }
    same(
      await sessions.find(other.id),
      others,
      'sessions.setMethods changed another session of the same user.',
    )
  })

  it('setMethods keeps a copy: changing the list that was given does not change the store', async (sessions, at) => {
    const session = newSession(at)
    const methods = [...shown]
    await sessions.create(session)
    await sessions.setMethods(session.id, methods)
    methods.length = 0
    same(
      (await sessions.find(session.id))?.methods,
      shown,
      'Emptying the list that was given to setMethods emptied the stored one.',
    )
  })
}

function besideTouch({ inRounds }: Part<SessionStore>): void {
  inRounds('setMethods and touch, at once: both changes are there', async (sessions, at, round) => {
    const session = newSession(at)
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' }
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const set = () => sessions.setMethods(session.id, shown)
    const touch = () => sessions.touch(session.id, seen)
    await atOnce(round, set, touch)
    same(
      await sessions.find(session.id),
      { ...before, ...seen, methods: shown },
      'setMethods and touch lost a change: a factor that was shown would be asked for again. ' +
        'Update the columns; do not write the row.',
    )
  })
}

/** The user has authenticated again: methods and time change together. */
export function authenticatedContract(part: Part<SessionStore>): void {
  // Only hosts with the option `passkeys` need it.
  const { it } = whereOffered(part, 'setAuthenticated')
  it('replaces methods and time, and nothing else', async (sessions, at) => {
    for (const session of [newWholeSession(at), newSession(at)]) {
      await sessions.create(session)
      const proved = { methods: ['pwd', 'otp', 'later'], authenticatedAt: at(5.678) }
      const given = structuredClone(proved)
      await sessions.setAuthenticated(session.id, given)
      given.methods.length = 0
      given.authenticatedAt.setTime(0)
      same(
        await sessions.find(session.id),
        { ...session, ...proved },
        'sessions.setAuthenticated replaces `methods` and `authenticatedAt`, and leaves all else ' +
          'as it is: without its secret a browser would be signed out.',
      )
    }
  })
}

/** The secret of a browser is replaced, and the one before it is kept for a few seconds. */
export function secretsContract(part: Part<SessionStore>): void {
  // Only hosts with the option `oauth` need it.
  const offering = whereOffered(part, 'replaceSecret')
  replacesIt(offering)
  whereItIsAnother(offering)
}

type Replacing = Part<SessionStore & Required<Pick<SessionStore, 'replaceSecret'>>>

function replacesIt({ it }: Replacing): void {
  it('keeps the former secret with its time, and all else', async (sessions, at) => {
    const first = newSession(at, { secretHash: randomSecret() })
    for (const session of [first, newWholeSession(at)]) {
      await sessions.create(session)
      const from = session.secretHash ?? ''
      const to = randomSecret()
      const until = at(10.678)
      const given = new Date(until)
      same(
        await sessions.replaceSecret(session.id, { from, to, formerUntil: given }),
        true,
        'sessions.replaceSecret of the secret that is there must answer true.',
      )
      given.setTime(0)
      same(
        await sessions.find(session.id),
        { ...session, secretHash: to, formerSecret: { hash: from, until } },
        'sessions.replaceSecret changes `secretHash` and `formerSecret`, whatever that was before.',
      )
    }
  })
}

function whereItIsAnother({ it }: Replacing): void {
  it('answers false and does nothing for another secret', async (sessions, at) => {
    const [from, to] = [randomSecret(), randomSecret()]
    const former = { formerSecret: { hash: from, until: at(10) } }
    const others = [
      newSession(at, { secretHash: from.toLowerCase().slice(1) }),
      // A replaced secret cannot be replaced again, or somebody who stole it would win.
      newSession(at, { secretHash: randomSecret(), ...former }),
      newSession(at),
    ]
    for (const session of others) {
      await sessions.create(session)
      same(
        [
          await sessions.replaceSecret(session.id, { from, to, formerUntil: at(20) }),
          await sessions.find(session.id),
        ],
        [false, session],
        'sessions.replaceSecret: `from` must be the `secretHash` that is there, and no other.',
      )
    }
  })
}
