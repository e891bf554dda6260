import { randomSecret } from '../../../lib/random.js'
import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import { type Moment, newRefreshable } from '../../../stores/new-records.js'
import { check, resolves, same } from '../harness/checks.js'
import { type Part, whereOffered } from '../harness/suite.js'
import { otherCase } from '../harness/texts.js'

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
