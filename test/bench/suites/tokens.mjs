// A code for tokens, and a refresh token for new ones, beside two authorization servers, mounted in
// Express as their users mount them, and beside the least that Express itself costs.
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const contestants = [
  // So many that nobody reaches the 50 sessions after which the oldest ends.
  { label: 'messaging-auth-router', file: 'messaging-auth-router', settings: { userCount: 4000 } },
  { label: '@node-oauth/oauth2-server', file: 'oauth2-server' },
  { label: 'oidc-provider', file: 'oidc-provider', settings: { inExpress: true } },
  { label: 'oidc-provider, bare', file: 'oidc-provider' },
  { label: 'limit in Express', file: 'limit-in-express' },
]
const connections = 20

export async function measureTokens({ rounds, count, warmUp, nodeOptions = [], only }) {
  const chosen = contestants.filter(({ label }) => only === undefined || only === label)
  return withContestants(chosen, { nodeOptions }, async (started, load) => {
    // By requests, not by seconds: on a slow machine that would measure the compiler.
    for (const contestant of started) await exchange(contestant, load, warmUp)
    const exchanges = await inTurns(started, rounds, (contestant) =>
      exchange(contestant, load, count),
    )
    for (const contestant of started) await refresh(contestant, load, warmUp)
    const refreshes = await inTurns(started, rounds, (contestant) =>
      refresh(contestant, load, count),
    )
    return {
      connections,
      rounds,
      count,
      warmUp,
      exchange: rowsOf(exchanges),
      refresh: rowsOf(refreshes),
    }
  })
}

async function exchange({ call, port }, load, count) {
  const requests = await call('prepare', { kind: 'codes', count })
  return watched(call, () => load.call('eachOnce', { port, connections, ...requests }))
}

// A session of its own for each refresh: a client comes once in ten minutes, so its session does
// not carry the tokens that it has spent in the last minute.
async function refresh({ call, port }, load, count) {
  const requests = await call('prepare', { kind: 'refresh', count })
  return watched(call, () => load.call('eachOnce', { port, connections, ...requests }))
}

async function watched(call, work) {
  await call('startWatching')
  const measured = await work()
  const { cpuMicroseconds } = await call('stopWatching')
  return { ...measured, cpu: cpuMicroseconds / measured.count }
}

function rowsOf(results) {
  return [...results].map(([label, measured]) => {
    const middle = (name) => median(measured.map((result) => result[name]))
    return {
      label,
      perSecond: middle('perSecond'),
      p50: middle('p50'),
      p99: middle('p99'),
      cpu: middle('cpu'),
    }
  })
}
