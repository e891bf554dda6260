import { setTimeout } from 'node:timers/promises'
import { randomId } from '../../../lib/secrets.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type { SessionStore } from '../../../stores/contract.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
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
import type { OnceStore } from '../../../stores/once-contract.js'
import type { ProofStore } from '../../../stores/proof-contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { check, codesLeft, type Part, same, sessionsOf } from '../harness.js'

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

const roundUp =
  'before its end by the real time. A TTL in whole seconds must be rounded up, and later ends ' +
  'must move it.'

/**
 * A used code is kept longer than an unused one is valid. Returns the registration of the later
 * test.
 */
export function codesInRealTime(
  { it, store }: Part<AuthorizationCodeStore>,
  inRealTime: InRealTime,
): () => void {
  const time = inRealTime(async (at, end) => {
    const codes = await store()
    const code = newCode(at, { expiresAt: end, retainUntil: at(7200) })
    await codes.save(code)
    const { outcome } = await codes.consume(code.codeHash, at(0.1))
    check(
      outcome === 'consumed',
      `codes.consume answered ${outcome} for a code 0.2 seconds ${roundUp}`,
    )
    const again = await codes.consume(code.codeHash, at(0.1))
    return { codeHash: code.codeHash, first: again.outcome }
  })
  it('a code is good until its expiresAt comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it('a used code is replayed also when its expiresAt has passed by the real time', async () => {
      const { codeHash, first } = await time.passed()
      const codes = await store()
      check(
        first === 'replayed',
        `codes.consume answered ${first} for a used code before anything had expired; it is ` +
          `\`replayed\`.`,
      )
      const { outcome } = await codes.consume(codeHash, new Date())
      const kept =
        'A used code must be known until retainUntil, so that a replay is: move its TTL when it ' +
        'is used.'
      check(
        outcome === 'replayed',
        `codes.consume answered ${outcome} when expiresAt had passed by the real time. ${kept}`,
      )
      check(
        (await codes.find(codeHash)) !== null,
        `codes.find answered null when expiresAt had passed by the real time. ${kept}`,
      )
    })
}

/**
 * Using a session moves its end, and that of its indexes. Returns the registration of the later
 * test.
 */
export function sessionsInRealTime(
  { it, store }: Part<SessionStore>,
  inRealTime: InRealTime,
): () => void {
  const time = inRealTime(async (at, end) => {
    const sessions = await store()
    const short = newSession(at, { idleExpiresAt: end, expiresAt: end })
    const touched = newSession(at, {
      userId: short.userId,
      idleExpiresAt: end,
      expiresAt: at(7200),
    })
    const rotated = newRefreshable(at, 'token', { idleExpiresAt: end, expiresAt: at(7200) })
    const long = newSession(at, {
      userId: short.userId,
      idleExpiresAt: at(3600),
      expiresAt: at(7200),
    })
    for (const session of [short, touched, rotated, long]) await sessions.create(session)
    const found = await sessions.find(touched.id)
    check(found !== null, `sessions.find answered null for a session ${roundUp}`)
    const seen = { lastSeenAt: at(0.1), idleExpiresAt: at(3600), ip: null }
    await sessions.touch(touched.id, seen)
    await sessions.rotateRefresh(
      rotated.id,
      'token',
      { ...newRotation(at, 'next'), ...seen },
      at(0.1),
    )
    return { touched, rotated, long }
  })
  it('a session is found until its idle end comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it(
      'a session that was used is there also when its first idle end has passed by the real ' +
        'time',
      async () => {
        const { touched, rotated, long } = await time.passed()
        const sessions = await store()
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
    )
}

/**
 * An enrolment expires. Its replacement does not, nor the factor that it becomes. Returns the
 * registration of the later test.
 */
export function factorsInRealTime(
  { it, store }: Part<SecondFactorStore>,
  inRealTime: InRealTime,
): () => void {
  const time = inRealTime(async (at, end) => {
    const factors = await store()
    const replaced = newPending(at, { expiresAt: end })
    const next = newPending(at, { userId: replaced.userId, expiresAt: at(2e5) })
    const pending = newPending(at, { expiresAt: end })
    for (const enrolment of [replaced, pending, next]) await factors.savePending(enrolment)
    const { outcome } = await factors.confirm(confirmed(pending, at), ['one', 'other'], at(0.1))
    check(
      outcome === 'activated',
      `secondFactors.confirm answered ${outcome} for an enrolment 0.2 seconds ${roundUp}`,
    )
    const imported = newFactor(at)
    await factors.savePending(newPending(at, { userId: imported.userId, expiresAt: end }))
    await factors.activate(imported, ['one'])
    return { next, factors: [pending.userId, imported.userId] }
  })
  it('an enrolment can be confirmed until its expiresAt comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it(
      'a factor stays when the enrolment it was has expired by the real time, and so does the ' +
        'next enrolment',
      async () => {
        const begun = await time.passed()
        const factors = await store()
        for (const userId of begun.factors) {
          const why =
            'when the user’s enrolment had expired by the real time: the second factor is off. ' +
            'Take the TTL away, or use another row.'
          check((await factors.find(userId)) !== null, `secondFactors.find answered null ${why}`)
          check(
            (await codesLeft(factors, userId)) > 0,
            `secondFactors.countRecoveryCodes answered 0 ${why}`,
          )
        }
        const next = await factors.findPending(begun.next.userId, enrolling)
        const expired =
          'secondFactors.savePending left the TTL of the enrolment that it replaced: the new one ' +
          'was gone with the old.'
        check(next !== null, expired)
      },
    )
}

/**
 * A claim lasts until its end, also if it replaced an expired one. Returns the registration of the
 * later test.
 */
export function onceInRealTime({ it, store }: Part<OnceStore>, inRealTime: InRealTime): () => void {
  const time = inRealTime(async (at, end) => {
    const once = await store()
    const [short, long] = [randomId(), randomId()]
    for (const key of [short, long]) await once.claim(key, end, at(0))
    const { outcome } = await once.claim(short, at(7200), at(0.1))
    check(outcome === 'known', `once.claim answered ${outcome} for a key 0.2 seconds ${roundUp}`)
    // By the clock of the caller the claim has expired, but not yet in real time.
    await once.claim(long, at(7200), end)
    return { long }
  })
  it('a key is known until its expiresAt comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it(
      'a key that was claimed again is known also when its first expiresAt has passed by the ' +
        'real time',
      async () => {
        const { long } = await time.passed()
        const { outcome } = await (await store()).claim(
          long,
          new Date(Date.now() + 1e6),
          new Date(),
        )
        check(
          outcome === 'known',
          `once.claim answered ${outcome} when the first expiresAt of a key had passed by the ` +
            'real time, though it was claimed again until later: the new claim must move the TTL.',
        )
      },
    )
}

/**
 * A device code is good until its end, and its device is told a moment later. Returns the
 * registration of the later test.
 */
export function deviceCodesInRealTime(
  { it, store }: Part<DeviceCodeStore>,
  inRealTime: InRealTime,
): () => void {
  const time = inRealTime(async (at, end) => {
    const codes = await store()
    const [short, long] = [newDeviceCode(at, { expiresAt: end }), newDeviceCode(at)]
    for (const code of [short, long]) await codes.save(code)
    const { outcome } = await codes.claim(short.userCodeHash, 'u-alice', at(0.1))
    check(
      outcome === 'claimed',
      `deviceCodes.claim answered ${outcome} for a device code 0.2 seconds ${roundUp}`,
    )
    return { long }
  })
  it('a device code is good until its expiresAt comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it('a device code is there also when another has expired by the real time', async () => {
      const { long } = await time.passed()
      same(
        await (await store()).find(long.userCodeHash),
        long,
        'deviceCodes.find when another code had expired by the real time.',
      )
    })
}

/**
 * A proof is good until its end, and what leads to those of a user lasts as long as the last of
 * them. Returns the registration of the later test.
 */
export function proofsInRealTime(
  { it, store }: Part<ProofStore>,
  inRealTime: InRealTime,
): () => void {
  const time = inRealTime(async (at, end) => {
    const proofs = await store()
    const long = [newProof(at), newProof(at)]
    const short = long.map(({ userId, purpose }) =>
      newProof(at, { userId, purpose, expiresAt: end }),
    )
    // In both orders: neither may the second shorten what the first needs.
    for (const proof of [short[0], long[0], long[1], short[1]])
      if (proof !== undefined) await proofs.save(proof)
    for (const { idHash, purpose } of short) {
      const { outcome } = await proofs.consume(idHash, purpose, at(0.1))
      check(
        outcome === 'consumed',
        `proofs.consume answered ${outcome} for a proof 0.2 seconds ${roundUp}`,
      )
    }
    return { long }
  })
  it('a proof is good until its expiresAt comes by the real time', async () =>
    void (await time.begun()))
  return () =>
    it('voidForUser finds a proof also when another of the user has expired by the real time', async () => {
      const { long } = await time.passed()
      const proofs = await store()
      for (const { userId, purpose } of long)
        same(
          await proofs.voidForUser(String(userId), [purpose], new Date()),
          1,
          'proofs.voidForUser when a shorter proof of the user had expired by the real time: ' +
            'what leads to the proofs of a user must last as long as the last of them.',
        )
    })
}
