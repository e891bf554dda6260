import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { askRoute, mountedRoutes, signedOut } from '../support/mounted-routes.js'
import { makeToken } from '../support/named-tokens.js'
import { replace } from '../support/two-factor.js'

const source = new URL('../../src/router/create-auth-router.ts', import.meta.url)

/** What a program may ask of the router. */
const open = ['GET /me', 'GET /logout', 'POST /logout', 'POST /auth/socket-ticket']
async function ask(host: TestHost, route: string, token: string, id: string) {
  const { status, text } = await askRoute(host, route, token, id)
  const { error } = JSON.parse(text) as { error?: string }
  return { status, error }
}

describe('an endpoint of the router', () => {
  it('is closed to a named token with all scope, unless it is one of four, and takes a login', async () => {
    const host = await startHost({ options: { namedTokens: true } })
    const routes = await mountedRoutes(host)
    expect(routes.length).toBeGreaterThan(15)
    const closed = routes.filter((route) => ![...open, ...signedOut].includes(route))
    const { authToken } = await logIn(host)
    const { id, token } = await makeToken(host, authToken)
    for (const route of closed)
      expect(await ask(host, route, token, id), route).toEqual({ status: 403, error: 'forbidden' })
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    for (const route of open) {
      const { token: another } = await makeToken(host, authToken)
      expect((await ask(host, route, another, id)).status, route).toBe(200)
    }
    for (const route of closed) {
      const login = await logIn(host)
      // 403 would be the kind; whatever else it answers is its own affair.
      expect((await ask(host, route, login.authToken, id)).status, route).not.toBe(403)
    }
  })

  it('is closed to sessions of apps, and of kinds that only a newer release knows, in the same way', async () => {
    const host = await startHost({ options: { namedTokens: true } })
    const { authToken } = await logIn(host)
    const { find } = host.stores.sessions
    for (const kind of ['oauth', 'service', 'telepathy', 'constructor', '__proto__']) {
      replace(host.stores.sessions, 'find', async (id: never) => {
        const session = await find(id)
        return session && { ...session, kind }
      })
      host.clock.advance(6)
      for (const route of await mountedRoutes(host)) {
        if (open.includes(route) || signedOut.includes(route)) continue
        const answer = await ask(host, route, authToken, 'x')
        expect(answer, `${kind} ${route}`).toEqual({ status: 403, error: 'forbidden' })
      }
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    }
  })

  it('is opened to every kind by three endpoints alone', async () => {
    const root = new URL('../../src/', import.meta.url)
    const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const opening = await Promise.all(
      files.map(async (file) => {
        const calls = (await readFile(new URL(file, root), 'utf8')).match(/, 'every-kind'\)/g) ?? []
        return calls.map(() => file)
      }),
    )
    // `GET /me`, both logouts, and tickets for sockets.
    expect(opening.flat().toSorted()).toEqual([
      'account/account.ts',
      'account/account.ts',
      'guard/sockets.ts',
    ])
    expect(await readFile(source, 'utf8')).not.toContain('every-kind')
  })
})
