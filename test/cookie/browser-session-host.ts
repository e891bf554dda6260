// A host with pages, and the endpoint that signs its browser in beside its router, over the same
// stores: as in another process.
import express from 'express'
import supertest, { type Response } from 'supertest'
import { onTestFinished } from 'vitest'
import { createBrowserSessions } from '../../src/cookie/browser-session.js'
import { mountAll } from '../../src/http/endpoint.js'
import { type AuthEvent, generateSigningKey, joseSigner } from '../../src/index.js'
import { unwatched } from '../../src/lib/watch.js'
import { createKit, type Kit } from '../../src/router/kit.js'
import type { AuthRouterOptions } from '../../src/router/options.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { cheapHasher, encryptionKey, passwordHash } from '../support/host.js'
import { cookieOf, ownPage, pagesOrigin, send, startPages } from '../support/pages.js'
import { testUsers } from '../support/users.js'

const keys = [await generateSigningKey()]

export interface BrowserSessionSettings {
  readonly options?: (stores: ReturnType<typeof memoryStores>) => Partial<AuthRouterOptions>
  /** Changes what the endpoint is made of. */
  readonly change?: (kit: Kit) => Partial<Parameters<typeof createBrowserSessions>[0]>
}

/** Starts it, until the test is over. */
export async function startBrowserSessions(settings: BrowserSessionSettings = {}) {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const users = testUsers()
  for (const username of ['alice', 'bob'])
    users.add({ id: `u-${username}`, username, passwordHash })
  const stores = memoryStores()
  const events: AuthEvent[] = []
  const options: AuthRouterOptions = {
    users,
    ...stores,
    signer: joseSigner({ issuer: pagesOrigin, audience: 'chat', keys, clock }),
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    clock,
    pagesOrigin,
    namedTokens: true,
    onEvent: (event) => void events.push(event),
    ...settings.options?.(stores),
  }
  const resolved = resolveOptions(options)
  const kit = createKit(resolved)
  onTestFinished(() => kit.close())
  const { contexts, warnOnce, pages } = kit
  if (pages === undefined) throw new Error('no pages')
  const { routes } = createBrowserSessions({ ...kit, pages, ...settings.change?.(kit) })
  const host = await startPages({
    options,
    before: (app) =>
      app.use(
        '/api/v1',
        mountAll(express.Router(), routes, {
          contexts,
          answerCors: null,
          warnOnce,
          trace: unwatched,
        }),
      ),
  })
  const all = Object.assign(host, { clock, stores, users, events })

  /** Asks for the session of a browser. */
  async function ask(
    token: string | null,
    headers: Record<string, string> = ownPage,
    body?: object | string,
  ): Promise<Response> {
    const request = supertest(host.url).post('/auth/browser-session').set(headers)
    if (token !== null) request.set('Authorization', `Bearer ${token}`)
    const response = await (body === undefined ? request : request.send(body))
    const cookie = cookieOf(response)
    if (cookie !== null) host.issued.add(cookie.value)
    return response
  }

  /** The same, where it must succeed: its cookie, and the session of that. */
  async function signInBrowser(token: string, headers: Record<string, string> = {}) {
    const response = await ask(token, { ...ownPage, ...headers })
    const cookie = cookieOf(response)
    if (response.status !== 204 || cookie === null)
      throw new Error(`${response.status} ${response.text}`)
    const id = cookie.value.split('.')[0] as string
    return { ...cookie, response, id, Cookie: cookie.pair, session: await stores.sessions.find(id) }
  }

  const page = async (Cookie: string) => (await send(host, 'GET', '/page', { Cookie })).status
  const isAlive = async (id: string) => (await stores.sessions.find(id))?.endedAt === null
  const browsers = async (userId = 'u-alice') =>
    (await stores.sessions.listForUser(userId, clock())).filter(({ kind }) => kind === 'browser')
  return {
    host: all,
    clock,
    kit,
    stores,
    users,
    events,
    ask,
    signInBrowser,
    page,
    isAlive,
    browsers,
  }
}
