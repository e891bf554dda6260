// Ten minutes (SOAK_MINUTES) of 50 logins a minute, 200 guarded requests a second, refreshes,
// sockets and housekeeping, over two processes: fails when an answer was wrong, when the heap
// grows, or when tables hold more than what is live. npm run test:all -- --only soak
import { setTimeout as pause } from 'node:timers/promises'
import { startClients } from './clients.mjs'
import { startAll } from './servers.mjs'

const minutes = Number(process.env.SOAK_MINUTES || 10)
const sampleSeconds = 10
const sayEvery = 3
// Each process answers some 6,500 requests a minute: 50 bytes left behind by each of them would be
// this. What is bounded fills up in the first third of the run (sessions and tokens are remembered
// for 30 s at most), and is not looked at.
const leak = 320 * 1024
// In the first minutes code is still being compiled, and that takes memory, too: a short run shows
// less.
const mostBytesPerMinute = minutes < 8 ? 2 * leak : leak
// 50 logins a minute make two sessions each, which last for 60 s; housekeeping comes every 15 s at
// the latest.
const mostSessions = Math.ceil(100 * ((60 + 15) / 60) * 1.25)

const say = (line) => process.stdout.write(`${line}\n`)
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** Bytes a minute, by least squares, of the last two thirds. */
function slopeOf(samples) {
  const late = samples.slice(Math.floor(samples.length / 3))
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [time, heap] = [
    middle(late.map(({ minute }) => minute)),
    middle(late.map(({ heapUsed }) => heapUsed)),
  ]
  const over = late.reduce(
    (sum, { minute, heapUsed }) => sum + (minute - time) * (heapUsed - heap),
    0,
  )
  return over / late.reduce((sum, { minute }) => sum + (minute - time) ** 2, 0)
}

async function measure(servers, clients) {
  const samples = servers.hosts.map(() => [])
  const rows = []
  const from = performance.now()
  for (let number = 1; (performance.now() - from) / 60_000 < minutes; number += 1) {
    await pause(sampleSeconds * 1000)
    const minute = (performance.now() - from) / 60_000
    const memory = await Promise.all(servers.hosts.map((host) => host.sample()))
    for (const [index, sample] of memory.entries()) samples[index].push({ minute, ...sample })
    rows.push(await servers.tables())
    if (number % sayEvery !== 0) continue
    const heaps = memory.map(
      ({ heapUsed, rss, sockets }) =>
        `heap ${megabytes(heapUsed)}, RSS ${megabytes(rss)}, ${sockets} sockets`,
    )
    say(
      `${minute.toFixed(1)} min: ${heaps.join(' | ')} | ${JSON.stringify(rows.at(-1))} ` +
        `${JSON.stringify(clients.counts)}`,
    )
  }
  return { samples, rows }
}

function judge({ samples, rows }, { wrong, counts }) {
  const problems = wrong.map((what) => `wrong answer: ${what}`)
  for (const [index, ofHost] of samples.entries()) {
    const slope = slopeOf(ofHost)
    say(
      `process ${index + 1}: heap ${slope < 0 ? '' : '+'}${(slope / 1024).toFixed(0)} kB a ` +
        'minute over the last two thirds',
    )
    if (slope > mostBytesPerMinute)
      problems.push(
        `process ${index + 1}: the heap grows by ${(slope / 1024).toFixed(0)} kB a minute`,
      )
    const resources = ofHost.slice(-3).map((sample) => sample.resources)
    if (Math.min(...resources) > 400)
      problems.push(`process ${index + 1}: ${resources} timers and connections are open`)
  }
  const sessions = Math.max(...rows.map((row) => row.sessions))
  say(
    `at most ${sessions} sessions in the table (bound ${mostSessions}); ${rows.at(-1).codes} ` +
      `codes of ${counts.logins} logins`,
  )
  if (sessions > mostSessions) problems.push(`the table held ${sessions} sessions`)
  // Used codes are kept for a day, so that a replay is recognised: one a login, and no more.
  if (rows.at(-1).codes > counts.logins) problems.push(`the table held ${rows.at(-1).codes} codes`)
  const least = {
    logins: 40 * minutes,
    guarded: 6000 * minutes,
    refreshed: 20 * minutes,
    loggedOut: 10 * minutes,
    sockets: 30 * minutes,
  }
  for (const [what, count] of Object.entries(least)) {
    if (counts[what] < count)
      problems.push(
        `only ${counts[what]} ${what}: the machine is too busy for this to mean anything`,
      )
  }
  return problems
}

const servers = await startAll()
let problems = ['it did not get that far']
try {
  const clients = startClients(servers.hosts)
  const measured = await measure(servers, clients)
  await clients.stop()
  problems = judge(measured, clients)
} finally {
  await servers.close()
}
for (const problem of problems) say(`FAILED: ${problem}`)
say(problems.length === 0 ? `${minutes} minutes passed` : `${minutes} minutes failed`)
process.exitCode = problems.length === 0 ? 0 : 1
