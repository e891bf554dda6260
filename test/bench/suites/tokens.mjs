// A code for tokens, and a refresh token for new ones, beside two authorization servers, mounted in
// Express as their users mount them, and beside the least that Express itself costs.
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const contestants = [
  { label: 'messaging-auth-router', file: 'messaging-auth-router' },
  { label: '@node-oauth/oauth2-server', file: 'oauth2-server' },
  { label: 'oidc-provider', file: 'oidc-provider', settings: { inExpress: true } },
  { label: 'oidc-provider, bare', file: 'oidc-provider' },
  { label: 'limit in Express', file: 'limit-in-express' },
]
const connections = 20

export async function measureTokens({ rounds, count, nodeOptions = [], only }) {
  const chosen = contestants.filter(({ label }) => only === undefined || only === label)
  return withContestants(chosen, { nodeOptions }, async (started, load) => {
    for (const contestant of started) await exchange(contestant, load, Math.ceil(count / 2))
    const exchanges = await inTurns(started, rounds, (contestant) =>
      exchange(contestant, load, count),
    )
    const jobs = new Map()
    for (const contestant of started)
      jobs.set(
        contestant.label,
        await contestant.call('prepare', { kind: 'refresh', count: connections }),
      )
    const refreshes = await inTurns(started, rounds, (contestant) =>
      refresh(contestant, load, count, jobs.get(contestant.label)),
    )
    return { connections, rounds, count, exchange: rowsOf(exchanges), refresh: rowsOf(refreshes) }
  })
}

async function exchange({ call, port }, load, count) {
  const requests = await call('prepare', { kind: 'codes', count })
  return watched(call, () => load.call('eachOnce', { port, connections, ...requests }))
}

async function refresh({ call, port }, load, count, job) {
  const warmUp = Math.ceil(count / 5)
  const measured = await watched(call, () =>
    load.call('refreshing', { port, connections, count, warmUp, ...job }),
  )
  job.chains = measured.chains
  return { ...measured, cpu: (measured.cpu * measured.count) / (measured.count + warmUp) }
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
