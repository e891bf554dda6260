// What counting adds to a guarded request, in steps: those of the request are counted beside it.
import '../support/steps.js'
import { Agent, request } from 'node:http'
import { expect, it } from 'vitest'
import { createWatch, unwatched, type Watch } from '../../src/lib/watch.js'
import { createCallCounts } from '../../src/router/counts.js'
import { bearer, logIn } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { valuesIn } from '../support/prometheus.js'
import { stepsUntil } from '../support/steps.js'

it('is at most 1 % of its steps', async () => {
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
  const requests = 200
  const before = callsOf(host)
  const all = await stepsUntil(async () => {
    for (let i = 0; i < requests; i += 1) {
      if (i % 10 === 0) host.clock.advance(5)
      await ask()
    }
  })
  const callsPerRequest = (callsOf(host) - before) / requests
  agent.destroy()

  const { onDone } = createCallCounts()
  const perCall =
    (await stepsOfCall(createWatch(onDone, unwatched))) - (await stepsOfCall(unwatched))
  expect(perCall).toBeGreaterThan(0)
  expect(callsPerRequest).toBeGreaterThan(0.1)
  expect((callsPerRequest * perCall) / (all / requests)).toBeLessThan(0.01)
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

async function stepsOfCall(watch: Watch): Promise<number> {
  const rounds = 1000
  const work = async () => null
  const call = async () => {
    for (let i = 0; i < rounds; i += 1) await watch('sessions.find', work)
  }
  await call()
  return (await stepsUntil(call)) / rounds
}
