// A guarded GET, and what its guard costs: beside the same route of the same process, behind a
// guard that lets everybody in. A process of its own for that would not do: one that has never made
// a token or read a body runs a twentieth faster, guard or no guard.
import { openRequests } from '../contestants/fixtures.mjs'
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const contestants = [
  { label: 'messaging-auth-router', file: 'messaging-auth-router' },
  { label: 'the same, named token', file: 'messaging-auth-router', kind: 'guardedByName' },
  {
    label: 'messaging-auth-router, with challenges',
    file: 'messaging-auth-router',
    settings: { challenges: true },
  },
  {
    label: 'messaging-auth-router, by cookie',
    file: 'messaging-auth-router',
    settings: { byCookie: true },
  },
  {
    label: 'express-oauth2-jwt-bearer',
    file: 'guards',
    settings: { guard: 'express-oauth2-jwt-bearer' },
  },
  { label: 'express-jwt', file: 'guards', settings: { guard: 'express-jwt' } },
  { label: 'passport-jwt', file: 'guards', settings: { guard: 'passport-jwt' } },
  { label: 'better-auth', file: 'better-auth' },
  { label: 'limit in Express', file: 'limit-in-express' },
]
const tokens = 100
const connections = 20

export async function measureGuards({ rounds, seconds, warmUp, nodeOptions = [], only }) {
  const chosen = contestants.filter(({ label }) => only === undefined || only.includes(label))
  return withContestants(chosen, { nodeOptions }, async (started, load) => {
    const jobs = new Map()
    for (const { label, call, port } of started) {
      const guarded = await call('prepare', { kind: kindOf(label), count: tokens })
      const common = { port, connections, seconds, warmUpSeconds: 0.3 }
      jobs.set(
        label,
        [guarded, openRequests(guarded)].map((requests) => ({ ...common, ...requests })),
      )
      for (const job of jobs.get(label))
        await load.call('forSeconds', { ...job, seconds: 0, least: warmUp })
    }
    const results = await inTurns(started, rounds, async ({ label, call }, round) => {
      const [guarded, open] = jobs.get(label)
      const measure = (job) => watched(call, () => load.call('forSeconds', job))
      // Each of the two goes first as often as the other.
      const first = round % 2 === 0 ? await measure(guarded) : null
      const unguarded = await measure(open)
      return { guarded: first ?? (await measure(guarded)), unguarded }
    })
    return { tokens, connections, rounds, seconds, rows: rowsOf(results) }
  })
}

const kindOf = (wanted) => contestants.find(({ label }) => label === wanted).kind ?? 'guarded'

async function watched(call, work) {
  await call('startWatching')
  const measured = await work()
  const { cpuMicroseconds } = await call('stopWatching')
  return { ...measured, cpu: cpuMicroseconds / measured.count }
}

function rowsOf(results) {
  return [...results].map(([label, measured]) => {
    const middle = (which, name) => median(measured.map((result) => result[which][name]))
    const [perSecond, p50, p99, cpu] = ['perSecond', 'p50', 'p99', 'cpu'].map((name) =>
      middle('guarded', name),
    )
    const toNoGuard = median(
      measured.map(({ guarded, unguarded }) => guarded.perSecond / unguarded.perSecond),
    )
    return {
      label,
      perSecond,
      toNoGuard,
      p50,
      p99,
      cpu,
      cpuOfGuard: cpu - middle('unguarded', 'cpu'),
    }
  })
}
