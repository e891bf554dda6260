// What the pages of a sign-in cost, beside a page of the same process that costs nothing to make.
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const server = { label: 'messaging-auth-router', file: 'messaging-auth-router-pages' }
const plain = 'a plain page'
const pages = [
  { label: plain, kind: 'plain' },
  { label: 'GET /oauth/sign-in', kind: 'signIn' },
  { label: 'GET /oauth/consent', kind: 'consent' },
  { label: 'GET /oauth/continue', kind: 'continue' },
  { label: 'POST /oauth/consent', kind: 'allow' },
]
const connections = 20

export async function measurePages({ rounds, count, nodeOptions = [] }) {
  return withContestants([server], { nodeOptions }, async ([{ call, port }], load) => {
    const ask = async ({ kind }, number) => {
      const requests = await call('prepare', { kind, count: number })
      await call('startWatching')
      const measured = await load.call('eachOnce', { port, connections, ...requests })
      const { cpuMicroseconds } = await call('stopWatching')
      return { ...measured, cpu: cpuMicroseconds / measured.count }
    }
    for (const page of pages) await ask(page, Math.ceil(count / 2))
    const results = await inTurns(pages, rounds, (page) => ask(page, count))
    const rows = pages.map(({ label }) => rowOf(label, results.get(label), results.get(plain)))
    return { connections, rounds, count, rows }
  })
}

// Of the two in one round each: what the machine does besides, it does to both.
function rowOf(label, measured, beside) {
  const middle = (name) => median(measured.map((result) => result[name]))
  const [perSecond, p50, p99, cpu] = ['perSecond', 'p50', 'p99', 'cpu'].map(middle)
  const cpuOfPage = median(measured.map((result, round) => result.cpu - beside[round].cpu))
  return { label, perSecond, p50, p99, cpu, cpuOfPage }
}
