import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions, Logger } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

/** Collects rejections that nobody caught; in production each of them ends the process. */
function unhandledRejections(): unknown[] {
  const seen: unknown[] = []
  const note = (reason: unknown) => void seen.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  return seen
}

const throwing = () => {
  throw new Error('log disk full')
}
const rejecting = () => Promise.reject(new Error('log server down')) as never
const loggerOf = (method: () => void): Logger => ({
  debug: method,
  info: method,
  warn: method,
  error: method,
})
const whole = loggerOf(() => {})

const broken: [string, Pick<AuthRouterOptions, 'logger' | 'onEvent'>][] = [
  ['a logger that throws', { logger: loggerOf(throwing) }],
  ['a logger that rejects', { logger: loggerOf(rejecting) }],
  [
    'a sink that rejects, while the logger throws',
    { logger: loggerOf(throwing), onEvent: rejecting },
  ],
  [
    'a sink that rejects, while the logger rejects',
    { logger: loggerOf(rejecting), onEvent: rejecting },
  ],
  [
    'a sink that rejects, while logger.error alone throws',
    { logger: { ...whole, error: throwing }, onEvent: rejecting },
  ],
  [
    'a sink that throws, while logger.error alone rejects',
    { logger: { ...whole, error: rejecting }, onEvent: throwing },
  ],
]

describe.each(broken)('%s', (_name, options) => {
  it('changes no answer, and leaves no rejection unhandled', async () => {
    const unhandled = unhandledRejections()
    const host = await startHost({ options })
    const { authToken } = await logIn(host)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect((await get(host, '/me')).status).toBe(401)
    expect((await post(host, '/login', { username: 'alice', password: 'wrong' })).status).toBe(401)
    host.stores.sessions.find = () => Promise.reject(new Error('store down'))
    host.clock.advance(6)
    const outage = await get(host, '/me', bearer(authToken))
    expect(outage.status).toBe(503)
    expect(outage.headers['retry-after']).toBeDefined()
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    await new Promise(setImmediate)
    expect(host.unforeseen).toEqual([])
    expect(unhandled).toEqual([])
  })
})
