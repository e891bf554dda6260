// Routes whose code is loaded after the start are there from the start.
import express from 'express'
import express4 from 'express4'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { createCors } from '../../src/http/cors.js'
import { type DocumentHandler, documentsLater } from '../../src/http/documents.js'
import { mountAll, type Routes } from '../../src/http/endpoint.js'
import { createContexts } from '../../src/http/request-context.js'
import { loadOnce } from '../../src/lib/load-once.js'
import { unwatched } from '../../src/lib/watch.js'

const ok = async () => ({ status: 200, body: { status: 'success' } })
const routes: Routes = [['/login', { POST: ok }]]
const late: Routes = [
  ['/auth/passkeys', { GET: ok }],
  ['/auth/passkeys/:id', { DELETE: ok }],
  ['/oauth/token', { POST: ok }, 'oauth-endpoint'],
]
const paths = [...late.map(([path]) => path), '/account']
const page = 'https://app.example.com'

const broken = new Error('ERR_MODULE_NOT_FOUND')

/** Loads that end like this, one after the other. */
function loader(...outcomes: readonly (Promise<Routes> | Error)[]) {
  let loads = 0
  const load = loadOnce(async () => {
    const outcome = outcomes[loads]
    loads += 1
    if (outcome instanceof Error || outcome === undefined) throw outcome
    return outcome
  })
  return { load, loads: () => loads }
}

describe.each([
  ['4', express4 as typeof express],
  ['5', express],
] as const)('Express %s', (_version, own) => {
  function start(load: () => Promise<Routes>) {
    const router = own.Router({ caseSensitive: true })
    const nothing = () => {}
    const settings = { clientAddress: undefined, requestId: undefined }
    const contexts = createContexts({ ...settings, onFailure: nothing, warnOnce: nothing })
    const answerCors = createCors({ origins: [page] })
    const mounting = { contexts, answerCors, warnOnce: nothing, trace: unwatched }
    const later = { paths, load, router: own.Router({ caseSensitive: true }) }
    mountAll(router, routes, mounting, later)
    const app = own()
    app.use('/api', router)
    app.use((_request, response) => void response.status(418).end())
    return supertest(app)
  }

  it('a request that comes before them waits, and is answered', async () => {
    let arrive: () => void = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const { load, loads } = loader(arrived.then(() => late))
    const app = start(load)
    const waiting = Promise.all([
      app.get('/api/auth/passkeys'),
      app.delete('/api/auth/passkeys/a'),
      app.patch('/api/auth/passkeys'),
      app.get('/api/account'),
    ])
    await app.post('/api/login').expect(200)
    arrive()
    expect((await waiting).map(({ status }) => status)).toEqual([200, 200, 405, 418])
    expect(loads()).toBe(1)
  })

  it('no other request waits: neither for a route of the start nor for one of the host', async () => {
    const app = start(loader(new Promise(() => {})).load)
    await app.post('/api/login').expect(200)
    await app.get('/api/rooms').expect(418)
    await app.get('/api/auth/passkey').expect(418)
  })

  it('a failed load is 503, and the next request loads them', async () => {
    // The first one is that of the start.
    const { load, loads } = loader(broken, broken, broken, Promise.resolve(late))
    const app = start(load)
    await app.post('/api/login').expect(200)
    const { status, body, headers } = await app.get('/api/auth/passkeys').set('Origin', page)
    expect(status).toBe(503)
    expect(body).toMatchObject({ error: 'temporarily-unavailable' })
    expect(headers).toMatchObject({ 'retry-after': '2', 'access-control-allow-origin': page })
    expect(headers['x-request-id']).toBeTypeOf('string')
    const token = await app.post('/api/oauth/token').expect(503)
    expect(token.body).toMatchObject({ error: 'temporarily_unavailable' })
    await app.get('/api/auth/passkeys').expect(200)
    await app.post('/api/oauth/token').expect(200)
    expect(loads()).toBe(4)
  })
})

describe('documents whose code is loaded after the start', () => {
  function start() {
    let loads = 0
    const load = loadOnce(async () => {
      loads += 1
      if (loads === 1) throw broken
      const answer: DocumentHandler = (_request, response) => void response.end('document')
      return answer
    })
    const app = express()
    app.use(documentsLater(['/.well-known/openid-configuration'], load))
    app.use((_request, response) => void response.status(418).end())
    return { app: supertest(app), loads: () => loads }
  }

  it('are 503 if they cannot be loaded, and the next request loads them', async () => {
    const { app } = start()
    await app.get('/.well-known/openid-configuration').expect(503)
    await app.get('/.well-known/openid-configuration').expect(200, 'document')
  })

  it('are loaded by no request for anything else', async () => {
    const { app, loads } = start()
    await app.get('/rooms').expect(418)
    // A certificate must be renewed, too, while the documents cannot be loaded.
    await app.get('/.well-known/acme-challenge/token').expect(418)
    expect(loads()).toBe(0)
  })
})
