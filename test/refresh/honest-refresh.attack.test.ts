import { expect, it } from 'vitest'
import { startHost, type TestHost } from '../support/host.js'
import {
  openPair,
  type Pair,
  pass,
  refresh,
  refreshed,
  told,
  twoProcesses,
  use,
} from '../support/pairs.js'
import { numbers, rounds } from '../support/rounds.js'

const turns = rounds(25)
const lifetimes = { sessionIdle: 10 * 365 * 86_400, sessionAbsolute: 10 * 365 * 86_400 }
const options = { lifetimes, purgeInterval: 0 }
/** Thousands of requests: as long as a busy machine needs. */
const patience = 600_000

function expectNobodySuspected(hosts: readonly TestHost[]): void {
  expect(told(hosts, 'refresh.reused')).toEqual([])
  expect(told(hosts, 'refresh.refused')).toEqual([])
  expect(told(hosts, 'session.ended')).toEqual([])
  expect(told(hosts, 'clock.skewed').length > 0).toBe(hosts.length > 1)
}

/**
 * A client that loses answers, one or several in a row, goes on with the access token it has, and
 * asks again after a second or a day. `at` names the process that answers next.
 */
async function loseAnswers(
  hosts: readonly TestHost[],
  at: () => TestHost,
  random: () => number,
): Promise<void> {
  let pair = await openPair(at())
  for (let round = 0; round < turns; round += 1) {
    pass(hosts, 30 + random() * 560)
    const lost = Math.floor(random() * 3)
    let before: Pair | undefined
    for (let i = 0; i < lost; i += 1) {
      const answer = await refreshed(at(), pair.refresh_token)
      expect(answer.refresh_token).toBe(before?.refresh_token ?? answer.refresh_token)
      before = answer
      expect([200, 401]).toContain(await use(at(), pair))
      pass(hosts, random() < 0.5 ? random() * 30 : random() * 86_400)
    }
    pair = await refreshed(at(), pair.refresh_token)
    expect(await use(at(), pair)).toBe(200)
  }
}

/**
 * Three tabs that each hold the token of their storage, refresh within eight seconds of each other,
 * and use what they were given.
 */
async function threeTabs(
  hosts: readonly TestHost[],
  at: () => TestHost,
  random: () => number,
): Promise<void> {
  let stored = await openPair(at())
  for (let round = 0; round < turns; round += 1) {
    pass(hosts, random() < 0.9 ? 30 + random() * 560 : random() * 86_400)
    const tabs = [stored, stored, stored]
    if (round % 2 === 0) {
      const pairs = await Promise.all(
        tabs.map(({ refresh_token }) => refreshed(at(), refresh_token)),
      )
      expect(new Set(pairs.map(({ refresh_token }) => refresh_token)).size).toBe(1)
      for (const pair of pairs) expect(await use(at(), pair)).toBe(200)
      stored = pairs[2] as Pair
      continue
    }
    stored = await refreshed(at(), stored.refresh_token)
    expect(await use(at(), stored)).toBe(200)
    pass(hosts, random() * 4)
    // The second tab has found the new one in the storage and goes one further; the third had read
    // the old one before.
    const next = await refreshed(at(), stored.refresh_token)
    expect(await use(at(), next)).toBe(200)
    pass(hosts, random() * 4)
    const late = await refreshed(at(), (tabs[2] as Pair).refresh_token)
    expect(late.refresh_token).toBe(stored.refresh_token)
    expect(await use(at(), late)).toBe(200)
    stored = next
  }
  expect((await refresh(at(), stored.refresh_token)).status).toBe(200)
}

it('a client that loses answers is never taken for a thief, time and again', {
  timeout: patience,
}, async () => {
  const host = await startHost({ options })
  await loseAnswers([host], () => host, numbers(1))
  expectNobodySuspected([host])
})

it('three tabs that share a storage are never taken for thieves, time and again', {
  timeout: patience,
}, async () => {
  const host = await startHost({ options })
  await threeTabs([host], () => host, numbers(2))
  expectNobodySuspected([host])
})

it.each([20, -20])(
  'nor is either at two processes whose clocks differ by %i seconds',
  { timeout: patience },
  async (skew) => {
    for (const play of [loseAnswers, threeTabs]) {
      const hosts = await twoProcesses(skew, { options })
      const random = numbers(skew)
      await play(hosts, () => hosts[random() < 0.5 ? 0 : 1], random)
      expectNobodySuspected(hosts)
    }
  },
)

it('a process whose clock is ahead forgets no token that another one still repeats', async () => {
  const hosts = await twoProcesses(20, { options })
  const [one, ahead] = hosts
  const first = await openPair(one)
  const second = await refreshed(one, first.refresh_token)
  pass(hosts, 15)
  const third = await refreshed(ahead, second.refresh_token)
  expect(await use(ahead, third)).toBe(200)
  pass(hosts, 1)
  expect((await refreshed(one, first.refresh_token)).refresh_token).toBe(second.refresh_token)
  expectNobodySuspected(hosts)
})
