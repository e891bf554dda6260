// What counting adds to a guarded request: measured beside the request, in the same run.
import { Agent, request } from 'node:http'
import { expect, it } from 'vitest'
import { createWatch, unwatched, type Watch } from '../../src/lib/watch.js'
import { createCallCounts } from '../../src/router/call-counts.js'
import { bearer, logIn } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { valuesIn } from '../support/prometheus.js'

it('is at most 1 % of it', async () => {
  const host = await startHost({
    after: (app, auth) => {
      app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => {
        response.json({ rooms: [] })
      })
    },
  })
  const { authToken } = await logIn(host)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () => getRooms(host, agent, authToken)
  for (let i = 0; i < 300; i += 1) await ask()

  // A client that asks twice a second: its session is read again with each tenth request.
  const requests = 1000
  const before = callsOf(host)
  const each = await leastOf(3, async () => {
    for (let i = 0; i < requests; i += 1) {
      if (i % 10 === 0) host.clock.advance(5)
      await ask()
    }
  })
  const callsPerRequest = (callsOf(host) - before) / (3 * requests)
  agent.destroy()

  const { onDone } = createCallCounts()
  const watched = await costOf(createWatch(onDone, unwatched))
  const perCall = Math.max(0, watched - (await costOf(unwatched)))
  // Half of the processor's time of a request goes to the client, which is in this process.
  const perRequest = each / requests / 2
  const share = (callsPerRequest * perCall) / perRequest
  const micros = (milliseconds: number) => `${(milliseconds * 1000).toFixed(2)} µs`
  process.stdout.write(
    `a guarded request ${micros(perRequest)}, ${callsPerRequest.toFixed(2)} calls of the host, ` +
      `counting a call ${micros(perCall)}: ${(share * 100).toFixed(2)} %\n`,
  )
  expect(callsPerRequest).toBeGreaterThan(0.1)
  expect(share).toBeLessThan(0.01)
})

function getRooms({ url }: TestHost, agent: Agent, token: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = bearer(token)
    const asked = request(`${url}/rooms`, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    asked.once('error', reject).end()
  })
}

function callsOf({ auth }: TestHost): number {
  const counts = Object.entries(valuesIn(auth.metrics())).filter(([series]) =>
    series.startsWith('mar_host_call_duration_seconds_count'),
  )
  return counts.reduce((sum, [, count]) => sum + count, 0)
}

/** Milliseconds of the processor that one call takes. */
async function costOf(watch: Watch): Promise<number> {
  const rounds = 20_000
  const work = async () => null
  const all = await leastOf(15, async () => {
    for (let i = 0; i < rounds; i += 1) await watch('sessions.find', work)
  })
  return all / rounds
}

async function leastOf(samples: number, work: () => Promise<void>): Promise<number> {
  const taken: number[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    taken.push((user + system) / 1000)
  }
  return Math.min(...taken)
}
