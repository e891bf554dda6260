// A server that means the doctor harm.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { examine, reportOf } from '../../src/doctor/doctor.js'

async function startHostile(listener: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const baseUrl = new URL(`http://127.0.0.1:${port}/api/v1`)
  return {
    asked,
    patient: {
      baseUrl,
      origin: null,
      clientId: 'x',
      guardedPath: '/api/v1/rooms',
      socketPath: '/ws',
    },
  }
}

/**
 * A clock of the test's own: a time-out is over after a moment, and the clock has then moved by all
 * of it. `given` tells at which time each would have been over.
 */
function hurriedClock() {
  let now = 0
  const given: number[] = []
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const over = now + milliseconds
    given.push(over)
    const controller = new AbortController()
    setTimeout(() => {
      now = Math.max(now, over)
      controller.abort()
    }, 200)
    return controller.signal
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return { given }
}

it.each<[string, RequestListener]>([
  ['never answers', () => {}],
  [
    'never ends',
    (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    },
  ],
  [
    'drips',
    (_request, response) => {
      const timer = setInterval(() => response.write('{'), 50)
      response.on('close', () => clearInterval(timer))
    },
  ],
  [
    'answers the first request alone',
    (request, response) => {
      if (request.url === '/api/v1/me' && request.headers.authorization === undefined)
        response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
    },
  ],
  ['hangs up', (request) => void request.socket.destroy()],
  ['answers nothing that it knows', (_request, response) => void response.writeHead(299).end('[]')],
])('a server that %s holds it up for 4.5 seconds at most', async (_what, listener) => {
  const { patient } = await startHostile(listener)
  const clock = hurriedClock()
  const findings = await examine(patient)
  expect(findings.some(({ outcome }) => outcome === 'fault')).toBe(true)
  expect(clock.given.length).toBeGreaterThan(0)
  // Whenever a request begins, what it is given ends within the time for all.
  expect(Math.max(...clock.given)).toBeLessThanOrEqual(4500)
})

it('goes nowhere else, whatever the server says', async () => {
  const other = await startHostile((_request, response) => void response.end('{}'))
  const elsewhere = other.patient.baseUrl.href
  const document = {
    issuer: elsewhere,
    authorization_endpoint: elsewhere,
    token_endpoint: `${elsewhere}/token`,
    jwks_uri: 'file:///etc/passwd',
    userinfo_endpoint: 'javascript:alert(1)',
  }
  const { patient, asked } = await startHostile((request, response) => {
    const isDocument = request.url?.startsWith('/.well-known/')
    response.writeHead(isDocument ? 200 : 302, {
      location: elsewhere,
      'content-type': 'application/json',
      'www-authenticate': `Bearer resource_metadata="${elsewhere}"`,
    })
    response.end(isDocument ? JSON.stringify(document) : '')
  })
  await examine(patient)
  expect(asked.length).toBeGreaterThan(10)
  expect(other.asked).toEqual([])
})

it('shows no command to a terminal, and no more of a text than a line', async () => {
  const { patient } = await startHostile((_request, response) => {
    response.writeHead(200, { 'content-type': '\u009b31m' })
    response.end(JSON.stringify({ error: `\u001b]0;owned\u0007\u202e\n${'x'.repeat(10_000)}` }))
  })
  const report = reportOf(await examine(patient))
  expect(report).toContain('FAULT')
  expect(report.replaceAll('\n', '')).not.toMatch(/\p{C}/u)
  for (const line of report.split('\n')) expect(line.length).toBeLessThan(400)
})

it.each([
  ['an object that is no text', '{"issuer":{"toString":1}}'],
  ['a list of great depth', `{"issuer":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
])('an issuer that is %s is a fault of the report, and not the end of it', async (_what, body) => {
  const { patient } = await startHostile((request, response) => {
    const isMe = request.url?.endsWith('/me') === true
    response.writeHead(isMe ? 401 : 200, { 'content-type': 'application/json' })
    response.end(isMe ? '{"error":"Unauthorized"}' : body)
  })
  const findings = await examine(patient)
  expect(findings).toContainEqual(expect.objectContaining({ check: 'issuer', outcome: 'fault' }))
})
