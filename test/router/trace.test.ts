// What the option `trace` is asked around.
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import type { Trace } from '../../src/index.js'
import { traceWith } from '../../src/lib/open-telemetry.js'
import { startTelling, startToldApp } from '../oauth/told-apps.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'

interface Noted {
  readonly name: string
  readonly within: string | undefined
  readonly attributes: object
}

function recording() {
  const noted: Noted[] = []
  const inside = new AsyncLocalStorage<string>()
  const trace: Trace = (name, attributes, run) => {
    noted.push({ name, within: inside.getStore(), attributes })
    return inside.run(name, run)
  }
  const namesWithin = (outer: string | undefined) =>
    noted.filter(({ within }) => within === outer).map(({ name }) => name)
  return { noted, trace, namesWithin }
}

describe('the option trace', () => {
  it('is asked around a request, and within it around each call of the host and each hash', async () => {
    const { noted, trace, namesWithin } = recording()
    const host = await startHost({ options: { trace } })
    await logIn(host)
    expect(noted.find(({ name }) => name === 'POST /login')?.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/login',
    })
    const calls = namesWithin('POST /login')
    for (const name of [
      'users.findByIdentifier',
      'passwords.verify',
      'sessions.create',
      'signer.sign',
    ])
      expect(calls).toContain(name)
  })

  it('names the route, never the path or an unusual method, and nothing that a client sent', async () => {
    const { noted, trace } = recording()
    const host = await startHost({ options: { trace } })
    const { authToken, userId } = await logIn(host)
    const made = await post(host, '/auth/access-tokens', { name: 'bot' }, bearer(authToken))
    await get(host, '/auth/sessions', bearer(authToken))
    await fetch(`${host.url}/auth/sessions/secret-id`, {
      method: 'DELETE',
      headers: bearer(authToken),
    })
    await fetch(`${host.url}/login`, { method: 'PROPFIND' })
    expect(made.status).toBeLessThan(500)
    const names = noted.map(({ name }) => name)
    expect(names).toContain('DELETE /auth/sessions/:id')
    expect(names).toContain('_OTHER /login')
    expect(JSON.stringify(noted)).not.toMatch(
      new RegExp(['secret-id', 'PROPFIND', userId, 'alice', authToken, '127'].join('|')),
    )
  })

  it('is asked around a request to another server', async () => {
    const { noted, trace } = recording()
    const wiki = await startToldApp('wiki')
    const host = await startTelling({ clients: [wiki.client], options: { trace } })
    const session = await host.openApp(wiki.client)
    await host.auth.sessions.revoke(session.id)
    await wiki.toldTimes(1)
    await host.settled()
    expect(noted.map(({ name }) => name)).toContain('outgoing.logoutToken')
    expect(JSON.stringify(noted)).not.toContain('wiki')
    expect(host.auth.metrics()).toMatch(/_count\{part="outgoing"\} 1\n/)
  })
})

describe('traceWith', () => {
  it('makes a span of each, ends it, and marks what failed without its message', async () => {
    const spans: { name: string; statuses: object[]; ended: number }[] = []
    const tracer = {
      startActiveSpan(name: string, _options: object, work: (span: never) => unknown) {
        const span = { name, statuses: [] as object[], ended: 0 }
        spans.push(span)
        const setStatus = (status: object) => void span.statuses.push(status)
        const end = () => {
          span.ended += 1
        }
        return work({ setStatus, end } as never)
      },
    }
    const host = await startHost({ options: { trace: traceWith(tracer) } })
    await logIn(host)
    host.users.findByIdentifier = () => Promise.reject(new Error('duplicate key (alice)'))
    expect((await post(host, '/login', { username: 'alice', password: 'x' })).status).toBe(503)
    await new Promise(setImmediate)
    expect(spans.filter(({ ended }) => ended !== 1)).toEqual([])
    const failed = spans.filter(({ statuses }) => statuses.length > 0)
    expect(failed.map(({ name, statuses }) => [name, statuses])).toEqual([
      ['users.findByIdentifier', [{ code: 2 }]],
    ])
    expect(JSON.stringify(spans)).not.toContain('alice')
  })
})
