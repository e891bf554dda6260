// Many logins at once, and what becomes of everybody else meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../load/summary.mjs'
import { inTurns, startLoad, withContestants } from '../processes/contestant.mjs'

const contestants = [
  { label: 'messaging-auth-router', file: 'messaging-auth-router' },
  { label: 'two bare bcryptjs workers', file: 'bare-workers' },
  { label: 'passport-local + bcryptjs', file: 'passport-local' },
  { label: 'better-auth + bcryptjs', file: 'better-auth' },
  { label: 'native bcrypt', file: 'native-bcrypt' },
]
const clients = 40
const userCount = 200
const guardedPerSecond = 50

/** `logins` by cost: so many in each round. */
export async function measureStorms({ rounds, logins }) {
  const storms = []
  for (const [cost, count] of Object.entries(logins))
    storms.push(await measureStorm({ rounds, cost: Number(cost), count }))
  return { clients, userCount, guardedPerSecond, rounds, storms }
}

async function measureStorm({ rounds, cost, count }) {
  const definitions = contestants.map((contestant) => ({
    ...contestant,
    settings: { cost, userCount },
  }))
  return withContestants(definitions, {}, async (started, load) => {
    const probe = startLoad()
    try {
      const guarded = new Map()
      for (const { label, call } of started)
        guarded.set(label, await call('prepare', { kind: 'guarded', count: 20 }))
      for (const contestant of started) await storm(contestant, { count: 4, load, probe, guarded })
      const results = await inTurns(started, rounds, (contestant) =>
        storm(contestant, { count, load, probe, guarded }),
      )
      return { cost, count, rows: rowsOf(results) }
    } finally {
      await probe.stop()
    }
  })
}

async function storm({ label, call, port }, { count, load, probe, guarded }) {
  const requests = await call('prepare', { kind: 'logins', count, clients })
  await probe.call('startOpenLoop', { port, perSecond: guardedPerSecond, ...guarded.get(label) })
  await sleep(200)
  await call('startWatching')
  const login = await load.call('eachOnce', {
    port,
    connections: Math.min(clients, count),
    retries503: true,
    ...requests,
  })
  const { delayP99, delayMax } = await call('stopWatching')
  const meanwhile = await probe.call('stopOpenLoop')
  return {
    perSecond: login.perSecond,
    loginP50: login.p50,
    loginP99: login.p99,
    delayP99,
    delayMax,
    guardedP50: meanwhile.p50,
    guardedP99: meanwhile.p99,
    refused: login.refused,
  }
}

function rowsOf(results) {
  return [...results].map(([label, measured]) => {
    const row = { label }
    for (const name of Object.keys(measured[0]))
      row[name] = median(measured.map((result) => result[name]))
    return { ...row, refused: measured.reduce((sum, { refused }) => sum + refused, 0) }
  })
}
