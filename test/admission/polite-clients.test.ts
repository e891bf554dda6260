// Whoever is told when to come back, and does, is let in: a storm of forty other networks beside
// ten clients that do as they are told, in virtual time.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Admission, createAdmission } from '../../src/admission/admission.js'
import type { SharedReservations } from '../../src/admission/reservations.js'
import { AuthError } from '../../src/errors.js'
import { createHostCall } from '../../src/lib/host-call.js'
import { createAsk, createCounter } from '../../src/throttle/counter.js'
import { createSharedReservations } from '../../src/throttle/shared-reservations.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const turn = () => new Promise(setImmediate)
const context = { requestId: null, ip: null, userAgent: null }

/** A world with a clock that is moved in steps of 50 ms; what is due at a moment happens then. */
function createWorld(seed: number) {
  let now = 0
  let state = seed
  const due: { at: number; act: () => void }[] = []
  const begin = Date.UTC(2030, 0, 1)
  vi.useFakeTimers({ toFake: ['Date'], now: begin })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return {
    now: () => now,
    after: (milliseconds: number) =>
      new Promise<void>((act) => due.push({ at: now + milliseconds, act })),
    // Numerical Recipes; the same storm for the same seed.
    random() {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state / 2 ** 32
    },
    async run(until: () => boolean, limit: number) {
      while (!until() && now < limit) {
        now += 50
        vi.setSystemTime(begin + now)
        for (const one of due.filter(({ at }) => at <= now)) {
          due.splice(due.indexOf(one), 1)
          one.act()
        }
        for (let i = 0; i < 6; i += 1) await turn()
      }
    },
  }
}

interface Storm {
  readonly processes: number
  readonly patient: boolean
  readonly seed: number
}

const keyOf = (...parts: readonly string[]) => parts.join('|')
const ask = createAsk(createHostCall(60_000, () => {}))

/** What each of the ten was told, try by try, and whether it was let in at last. */
interface Visit {
  readonly told: number[]
  served: boolean
}

async function storm({ processes, patient, seed }: Storm): Promise<Visit[]> {
  const world = createWorld(seed)
  const counter = createCounter({}, { keyPrefix: 'mar-place', points: 1, duration: 60 })
  const shared: SharedReservations | undefined =
    processes > 1 ? createSharedReservations(counter, keyOf, ask) : undefined
  const admissions = Array.from({ length: processes }, () =>
    createAdmission({ concurrency: 2, maxWait: 5, onRefused: () => {}, shared }),
  )
  const anyProcess = () => admissions[Math.floor(world.random() * processes)] as Admission
  // Seconds to wait, or null once it was hashed.
  const attempt = (source: string) =>
    anyProcess()
      .run({ source, context }, () => world.after(800))
      .then(
        () => null,
        (error: unknown) => (error as AuthError).retryAfter ?? Number.NaN,
      )

  let over = false
  const rage = async (source: string) => {
    while (!over) {
      const told = await attempt(source)
      await world.after(told === null ? 10 : patient ? told * 1000 : 200)
    }
  }
  for (let i = 0; i < 40; i += 1) void rage(`storm${i}`)

  const visit = async (source: string, result: Visit) => {
    await world.after(3000 + world.random() * 4000)
    for (;;) {
      const told = await attempt(source)
      if (told === null) break
      result.told.push(told)
      await world.after(told * 1000 + world.random() * 1000)
    }
    result.served = true
  }
  const visits = Array.from({ length: 10 }, (): Visit => ({ told: [], served: false }))
  for (const [i, result] of visits.entries()) void visit(`polite${i}`, result)
  await world.run(() => visits.every(({ served }) => served), 200_000)
  over = true
  return visits
}

const storms = [1, 2, 3].flatMap((seed) =>
  [true, false].map(
    (patient) => [patient ? 'wait as told' : 'ask every 200 ms', patient, seed] as const,
  ),
)
const letInAtOnce = Array(10).fill([true, true])

describe('ten clients that come back when they are told, beside forty networks that do not stop', () => {
  it.each(storms)(
    'are all let in when they come back, where the others %s (%s, storm %i)',
    async (_name, patient, seed) => {
      const visits = await storm({ processes: 1, patient, seed })
      expect(visits.map(({ served, told }) => [served, told.length <= 1])).toEqual(letInAtOnce)
      // Nobody waits longer than until each of the others has had a turn.
      for (const { told } of visits)
        expect(told[0] ?? 0).toBeLessThanOrEqual(Math.ceil((50 * 800) / 2 / 1000) + 5)
    },
  )

  it.each(storms)(
    'are let in over two processes that share their counters; the others %s (%s, storm %i)',
    async (_name, patient, seed) => {
      const visits = await storm({ processes: 2, patient, seed })
      expect(visits.map(({ served, told }) => [served, told.length <= 1])).toEqual(letInAtOnce)
    },
  )
})

describe('a hasher that stalled and is well again', () => {
  it('does not keep newcomers waiting for what it promised at its slowest', async () => {
    const world = createWorld(1)
    const admission = createAdmission({
      concurrency: 2,
      maxWait: 5,
      onRefused: () => {},
      shared: undefined,
    })
    let takes = 4000
    const attempt = (source: string) =>
      admission
        .run({ source, context }, () => world.after(takes))
        .then(
          () => null,
          (error: unknown) => (error as AuthError).retryAfter ?? Number.NaN,
        )
    const during: (number | null)[] = []
    for (let i = 0; i < 300; i += 1) void attempt(`storm${i}`).then((told) => during.push(told))
    await world.run(() => false, 30_000)
    takes = 100
    // As some are served, it is known how fast it is again.
    for (let i = 0; i < 20; i += 1) {
      void attempt(`served${i}`)
      await world.run(() => false, world.now() + 1000)
    }
    expect(Math.max(...during.map((told) => told ?? 0))).toBeLessThanOrEqual(300)
    const newcomers = Promise.all(['a', 'b', 'c', 'd', 'e'].map(attempt))
    await world.run(() => false, world.now() + 5000)
    expect(await newcomers).toEqual([null, null, null, null, null])
  })
})

describe('a shared promise', () => {
  it('is used up by one of many who come for it at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const counter = createCounter({}, { keyPrefix: 'mar-place', points: 1, duration: 60 })
    const shared = createSharedReservations(counter, keyOf, ask)
    shared.promise('network', 3)
    await turn()
    expect([await shared.dueIn('network'), await shared.dueIn('another')]).toEqual([3, undefined])
    vi.setSystemTime(Date.now() + 3000)
    expect(await shared.dueIn('network')).toBeLessThanOrEqual(0)
    const won = await Promise.all(Array.from({ length: 50 }, () => shared.redeem('network')))
    expect(won.filter(Boolean)).toHaveLength(1)
  })

  it('that cannot be written or read is none, and nobody fails for it', async () => {
    const run = () => Promise.reject(new AuthError('temporarily-unavailable'))
    const down = { keyPrefix: 'mar-place', points: 1, duration: 60, run }
    const shared = createSharedReservations(down, keyOf, ask)
    shared.promise('network', 3)
    expect([await shared.dueIn('network'), await shared.redeem('network')]).toEqual([
      undefined,
      false,
    ])
  })
})
