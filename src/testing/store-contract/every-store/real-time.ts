import { setTimeout } from 'node:timers/promises'
import { randomId } from '../../../lib/secrets.js'
import {
  confirmed,
  enrolling,
  type Moment,
  newCode,
  newDeviceCode,
  newFactor,
  newPending,
  newProof,
  newRefreshable,
  newRotation,
  newSession,
} from '../../../stores/new-records.js'
import { check, codesLeft, type Part, type StoreOf, same, sessionsOf } from '../harness.js'

// A database that expires its rows goes by the real time, so these tests let some of it pass. The
// first of them begins the work of all contracts of the run. Each contract looks at its own with a
// later test, and that only waits for what is left of the second.

/**
 * What was done before an end in real time, and the moment when even a TTL in whole seconds is
 * over.
 */
interface Begun<Kept> {
  readonly kept: Kept
  readonly over: number
}

interface RealTime<Kept> {
  /** What was done before the end. */
  begun(): Promise<Kept>
  /** The same, when the end has passed. */
  passed(): Promise<Kept>
}

type Work<Kept> = (at: Moment, end: Date) => Promise<Kept>

/**
 * Announces work that must be done before `end`. On a machine that is too busy for it, it is done
 * again with more time.
 */
export type InRealTime = <Kept>(work: Work<Kept>) => RealTime<Kept>

/** The work of one run. It begins together, so that the waits pass together. */
export function realTimeRun(): InRealTime {
  const begins: (() => Promise<unknown>)[] = []
  return <Kept>(work: Work<Kept>) => {
    let running: Promise<Begun<Kept>> | undefined
    const begin = () => {
      running ??= beginInTime(work)
      return running
    }
    begins.push(begin)
    // The tests of its own contract report a failure.
    const beginAll = () => begins.forEach((one) => void one().catch(() => {}))
    return {
      async begun() {
        beginAll()
        return (await begin()).kept
      },
      async passed() {
        const { kept, over } = await begin()
        await setTimeout(Math.max(0, over - Date.now()))
        return kept
      },
    }
  }
}

async function beginInTime<Kept>(work: Work<Kept>): Promise<Begun<Kept>> {
  for (const life of [300, 2300, 9300]) {
    const start = Date.now()
    const at: Moment = (seconds) => new Date(start + Math.round(seconds * 1000))
    const [result] = await Promise.allSettled([work(at, new Date(start + life))])
    if (Date.now() >= start + life) continue
    if (result.status === 'rejected') throw result.reason
    return { kept: result.value, over: start + Math.ceil(life / 1000) * 1000 + 200 }
  }
  throw new Error(
    'The store needs more than 9 seconds for a handful of calls: what it does with ends in real ' +
      'time is not known.',
  )
}

/**
 * Seconds: later than any moment at which another test purges, which in an order of the host's own
 * may come in between.
 */
const stays = 1e7

const roundUp =
  'before its end by the real time. A TTL in whole seconds must be rounded up, and later ends ' +
  'must move it.'

/** What is done before an end in real time, and what must be there when that has passed. */
interface TwoTests<Store, Kept> {
  /** The title of the test that is done before the end. */
  readonly before: string
  work(store: Store, at: Moment, end: Date): Promise<Kept>
  /** The title of the test that waits until the end has passed. */
  readonly after: string
  look(store: Store, kept: Kept): Promise<void>
}

/** Registers the first test, and answers how to register the later one. */
function inTwoTests<Store, Kept>(
  { it, store }: Part<Store>,
  inRealTime: InRealTime,
  { before, work, after, look }: TwoTests<Store, Kept>,
): () => void {
  const time = inRealTime(async (at, end) => work(await store(), at, end))
  it(before, async () => void (await time.begun()))
  return () => it(after, async (opened) => look(opened, await time.passed()))
}

/** Fails unless the call was answered so, shortly before the end. */
function checkInTime(method: string, answer: { readonly outcome: string }, good: string): void {
  const { outcome } = answer
  check(outcome === good, `${method} answered ${outcome} for a row 0.2 seconds ${roundUp}`)
}

/** A used code is kept longer than an unused one is valid. */
export function codesInRealTime(part: Part<StoreOf<'codes'>>, inRealTime: InRealTime): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'a code is good until its expiresAt comes by the real time',
    async work(codes, at, end) {
      const code = newCode(at, { expiresAt: end, retainUntil: at(stays) })
      await codes.save(code)
      checkInTime('codes.consume', await codes.consume(code.codeHash, at(0.1)), 'consumed')
      const again = await codes.consume(code.codeHash, at(0.1))
      return { codeHash: code.codeHash, first: again.outcome }
    },
    after: 'a used code is replayed also when its expiresAt has passed by the real time',
    async look(codes, { codeHash, first }) {
      const kept =
        'for a used code when expiresAt had passed by the real time. It must be known until ' +
        'retainUntil, so that a replay is: move its TTL when it is used.'
      same(first, 'replayed', 'codes.consume of a used code before anything had expired.')
      const { outcome } = await codes.consume(codeHash, new Date())
      check(outcome === 'replayed', `codes.consume answered ${outcome} ${kept}`)
      check((await codes.find(codeHash)) !== null, `codes.find answered null ${kept}`)
    },
  })
}

/** Using a session moves its end, and that of its indexes. */
export function sessionsInRealTime(
  part: Part<StoreOf<'sessions'>>,
  inRealTime: InRealTime,
): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'a session is found until its idle end comes by the real time',
    work: useSessions,
    after:
      'a session that was used is there also when its first idle end has passed by the real time',
    async look(sessions, { touched, rotated, long }) {
      for (const [name, { id }] of Object.entries({ touch: touched, rotateRefresh: rotated })) {
        const why =
          `when the idle end it was created with had passed by the real time: sessions.${name} ` +
          'must move its TTL.'
        check((await sessions.find(id)) !== null, `sessions.find answered null ${why}`)
        same(await sessions.liveAmong([id], new Date()), [id], `sessions.liveAmong ${why}`)
      }
      const index =
        'when the session the user had first was over: what leads to a user’s sessions must ' +
        'last as long as the last of them.'
      const ids = [touched.id, long.id].sort()
      const listed = (await sessionsOf(sessions, long.userId, new Date())).map(({ id }) => id)
      same(listed.sort(), ids, `sessions.listForUser ${index}`)
      const ended = await sessions.endAllForUser(long.userId, 'revoked', new Date())
      same(ended.filter((id) => ids.includes(id)).sort(), ids, `sessions.endAllForUser ${index}`)
    },
  })
}

async function useSessions(sessions: StoreOf<'sessions'>, at: Moment, end: Date) {
  const short = newSession(at, { idleExpiresAt: end, expiresAt: end })
  const { userId } = short
  const later = { expiresAt: at(stays) }
  const touched = newSession(at, { userId, idleExpiresAt: end, ...later })
  const rotated = newRefreshable(at, 'token', { idleExpiresAt: end, ...later })
  const long = newSession(at, { userId, idleExpiresAt: at(stays), ...later })
  for (const session of [short, touched, rotated, long]) await sessions.create(session)
  const found = await sessions.find(touched.id)
  check(found !== null, `sessions.find answered null for a session ${roundUp}`)
  const seen = { lastSeenAt: at(0.1), idleExpiresAt: at(stays), ip: null }
  await sessions.touch(touched.id, seen)
  const next = { ...newRotation(at, 'next'), ...seen }
  await sessions.rotateRefresh(rotated.id, 'token', next, at(0.1))
  return { touched, rotated, long }
}

/** An enrolment expires. Its replacement does not, nor the factor that it becomes. */
export function factorsInRealTime(
  part: Part<StoreOf<'secondFactors'>>,
  inRealTime: InRealTime,
): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'an enrolment can be confirmed until its expiresAt comes by the real time',
    async work(factors, at, end) {
      const replaced = newPending(at, { expiresAt: end })
      const next = newPending(at, { userId: replaced.userId, expiresAt: at(stays) })
      const pending = newPending(at, { expiresAt: end })
      for (const enrolment of [replaced, pending, next]) await factors.savePending(enrolment)
      const answer = await factors.confirm(confirmed(pending, at), ['one', 'other'], at(0.1))
      checkInTime('secondFactors.confirm', answer, 'activated')
      const imported = newFactor(at)
      await factors.savePending(newPending(at, { userId: imported.userId, expiresAt: end }))
      await factors.activate(imported, ['one'])
      return { next, users: [pending.userId, imported.userId] }
    },
    after:
      'a factor stays when the enrolment it was has expired by the real time, and so does the ' +
      'next enrolment',
    async look(factors, { next, users }) {
      for (const userId of users) {
        const why =
          'when the user’s enrolment had expired by the real time: the second factor is off. ' +
          'Take the TTL away, or use another row.'
        check((await factors.find(userId)) !== null, `secondFactors.find answered null ${why}`)
        check((await codesLeft(factors, userId)) > 0, `No recovery code was left ${why}`)
      }
      check(
        (await factors.findPending(next.userId, enrolling)) !== null,
        'secondFactors.savePending left the TTL of the enrolment that it replaced: the new one ' +
          'was gone with the old.',
      )
    },
  })
}

/** A claim lasts until its end, also if it replaced an expired one. */
export function onceInRealTime(part: Part<StoreOf<'once'>>, inRealTime: InRealTime): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'a key is known until its expiresAt comes by the real time',
    async work(once, at, end) {
      const [short, long] = [randomId(), randomId()]
      for (const key of [short, long]) await once.claim(key, end, at(0))
      checkInTime('once.claim', await once.claim(short, at(stays), at(0.1)), 'known')
      // By the clock of the caller the claim has expired, but not yet in real time.
      await once.claim(long, at(stays), end)
      return long
    },
    after:
      'a key that was claimed again is known also when its first expiresAt has passed by the ' +
      'real time',
    async look(once, long) {
      const { outcome } = await once.claim(long, new Date(Date.now() + 1e6), new Date())
      check(
        outcome === 'known',
        `once.claim answered ${outcome} when the first expiresAt of a key had passed by the ` +
          'real time, though it was claimed again until later: the new claim must move the TTL.',
      )
    },
  })
}

/** A device code is good until its end, and its device is told a moment later. */
export function deviceCodesInRealTime(
  part: Part<StoreOf<'deviceCodes'>>,
  inRealTime: InRealTime,
): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'a device code is good until its expiresAt comes by the real time',
    async work(codes, at, end) {
      const [short, long] = [newDeviceCode(at, { expiresAt: end }), newDeviceCode(at)]
      for (const code of [short, long]) await codes.save(code)
      const answer = await codes.claim(short.userCodeHash, 'u-alice', at(0.1))
      checkInTime('deviceCodes.claim', answer, 'claimed')
      return long
    },
    after: 'a device code is there also when another has expired by the real time',
    async look(codes, long) {
      const why = 'deviceCodes.find when another code had expired by the real time.'
      same(await codes.find(long.userCodeHash), long, why)
    },
  })
}

/**
 * A proof is good until its end, and what leads to those of a user lasts as long as the last of
 * them.
 */
export function proofsInRealTime(
  part: Part<StoreOf<'proofs'>>,
  inRealTime: InRealTime,
): () => void {
  return inTwoTests(part, inRealTime, {
    before: 'a proof is good until its expiresAt comes by the real time',
    async work(proofs, at, end) {
      const [first, second] = [newProof(at), newProof(at)]
      const short = [first, second].map(({ userId, purpose }) =>
        newProof(at, { userId, purpose, expiresAt: end }),
      )
      // In both orders: neither may the second shorten what the first needs.
      for (const proof of [...short.slice(0, 1), first, second, ...short.slice(1)])
        await proofs.save(proof)
      for (const { idHash, purpose } of short)
        checkInTime('proofs.consume', await proofs.consume(idHash, purpose, at(0.1)), 'consumed')
      return [first, second]
    },
    after: 'voidForUser finds a proof also when another of the user has expired by the real time',
    async look(proofs, long) {
      for (const { userId, purpose } of long)
        same(
          await proofs.voidForUser(String(userId), [purpose], new Date()),
          1,
          'proofs.voidForUser when a shorter proof of the user had expired by the real time: ' +
            'what leads to the proofs of a user must last as long as the last of them.',
        )
    },
  })
}
