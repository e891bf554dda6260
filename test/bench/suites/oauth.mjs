// The authorization server beside our own sign-in by PKCE, and beside oidc-provider that signs the
// same; and what a browser waits for a code, beside another request with a session.
import { median } from '../load/summary.mjs'
import { inTurns, withContestants } from '../processes/contestant.mjs'

const servers = [
  { label: 'messaging-auth-router', file: 'messaging-auth-router-oauth' },
  { label: 'oidc-provider', file: 'oidc-provider', settings: { openid: true, inExpress: true } },
  // Its codes and sessions are more than oidc-provider's process holds.
  { label: 'messaging-auth-router, apart', file: 'messaging-auth-router-oauth' },
]
const [ours, theirs, apart] = servers.map(({ label }) => label)
/** What is exchanged, where, and how it is prepared. */
const exchanges = [
  { label: ours, of: ours, kind: 'openid' },
  { label: theirs, of: theirs, kind: 'codes' },
  { label: 'without an ID Token', of: apart, kind: 'plain' },
  { label: 'POST /auth/pkce/token', of: apart, kind: 'pkce' },
]
const browsing = [
  { label: 'GET /oauth/authorize', of: apart, kind: 'authorize' },
  { label: 'GET /me', of: apart, kind: 'me' },
]
const connections = 20

export async function measureOAuth({ rounds, count, nodeOptions = [] }) {
  return withContestants(servers, { nodeOptions }, async (started, load) => {
    const measured = new Map()
    for (const requests of [exchanges, browsing]) {
      const prepared = requests.map((one) => ({ ...serverOf(started, one.of), ...one }))
      for (const one of prepared) await askOnce(one, load, Math.ceil(count / 2))
      const results = await inTurns(prepared, rounds, (one) => askOnce(one, load, count))
      for (const [label, rows] of results) measured.set(label, rows)
    }
    const rowsFor = (requests) => requests.map(({ label }) => rowOf(label, measured.get(label)))
    const ratio = (name, one, other) =>
      spreadOf(measured.get(one).map((row, round) => row[name] / measured.get(other)[round][name]))
    return {
      connections,
      rounds,
      count,
      exchange: rowsFor(exchanges),
      browser: rowsFor(browsing),
      ratios: {
        toOidcProvider: ratio('perSecond', ours, theirs),
        toPkce: ratio('perSecond', 'without an ID Token', 'POST /auth/pkce/token'),
        authorizeToMe: ratio('p99', 'GET /oauth/authorize', 'GET /me'),
      },
    }
  })
}

function serverOf(started, label) {
  const { call, port } = started.find((one) => one.label === label)
  return { call, port }
}

async function askOnce({ call, port, kind }, load, count) {
  const requests = await call('prepare', { kind, count })
  await call('startWatching')
  const measured = await load.call('eachOnce', { port, connections, ...requests })
  const { cpuMicroseconds } = await call('stopWatching')
  return { ...measured, cpu: cpuMicroseconds / measured.count }
}

function rowOf(label, measured) {
  const middle = (name) => median(measured.map((result) => result[name]))
  const [perSecond, p50, p99, cpu] = ['perSecond', 'p50', 'p99', 'cpu'].map(middle)
  return { label, perSecond, p50, p99, cpu }
}

// Of the two in one round each: what the machine does besides, it does to both.
function spreadOf(ratios) {
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}
