// A guarded GET: what a guard costs beside the same route without one.
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const contestants = [
  { label: 'no guard', file: 'guards', settings: { guard: 'none' } },
  { label: 'messaging-auth-router', file: 'messaging-auth-router' },
  { label: 'express-oauth2-jwt-bearer', file: 'guards', settings: { guard: 'express-oauth2-jwt-bearer' } },
  { label: 'express-jwt', file: 'guards', settings: { guard: 'express-jwt' } },
  { label: 'passport-jwt', file: 'guards', settings: { guard: 'passport-jwt' } },
  { label: 'better-auth', file: 'better-auth' },
]
const tokens = 100
const connections = 20

export async function measureGuards({ rounds, seconds, nodeOptions = [], only }) {
  const chosen = contestants.filter(({ label }) => only === undefined || only === label)
  return withContestants(chosen, { nodeOptions }, async (started, load) => {
    const jobs = new Map()
    for (const { label, call, port } of started) {
      const job = { port, connections, seconds, warmUpSeconds: 0.3, ...(await call('prepare', { kind: 'guarded', count: tokens })) }
      await load.call('forSeconds', { ...job, seconds: Math.min(2, seconds) })
      jobs.set(label, job)
    }
    const results = await inTurns(started, rounds, async ({ label, call }) => {
      await call('startWatching')
      const measured = await load.call('forSeconds', jobs.get(label))
      const { cpuMicroseconds } = await call('stopWatching')
      return { ...measured, cpu: cpuMicroseconds / measured.count }
    })
    return { tokens, connections, rounds, seconds, rows: rowsOf(results) }
  })
}

function rowsOf(results) {
  return [...results].map(([label, measured]) => {
    const middle = (name) => median(measured.map((result) => result[name]))
    return { label, perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99'), cpu: middle('cpu') }
  })
}
