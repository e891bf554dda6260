// A request that is not the router's is passed on at once, however many routes there are.
import { createServer } from 'node:http'
import express from 'express'
import express4 from 'express4'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { mountAll, type Routes, skipForeignPaths } from '../../src/http/endpoint.js'
import { createContexts } from '../../src/http/request-context.js'
import { unwatched } from '../../src/lib/watch.js'

const ok = async () => ({ status: 200, body: { status: 'success' } })
const routes: Routes = [
  ['/login', { POST: ok }],
  ['/auth/sessions', { GET: ok }],
  ['/auth/sessions/:id', { DELETE: ok }],
]

describe.each([
  ['4', express4 as typeof express],
  ['5', express],
] as const)('Express %s', (_version, own) => {
  function start() {
    const router = own.Router({ caseSensitive: true })
    const nothing = () => {}
    const settings = { clientAddress: undefined, requestId: undefined }
    const contexts = createContexts({ ...settings, onFailure: nothing, warnOnce: nothing })
    mountAll(router, routes, { contexts, answerCors: null, warnOnce: nothing, trace: unwatched })
    const app = own()
    app.use('/api', router)
    app.use((_request, response) => void response.status(418).end())
    return { app, router }
  }

  it.each([
    ['post', '/api/login', 200],
    ['post', '/api/login/', 200],
    ['get', '/api/login', 405],
    ['get', '/api/auth/sessions?x=1', 200],
    ['delete', '/api/auth/sessions/a', 200],
    ['delete', '/api/auth/sessions/a/', 200],
    ['delete', '/api/auth/sessions/%E0', 404],
    ['get', '/api/auth/sessions/a/b', 418],
    ['post', '/api/Login', 418],
    ['post', '/api/login//', 418],
    ['get', '/api/auth', 418],
    ['get', '/api/', 418],
    ['get', '/api/rooms%E0', 418],
  ] as const)('%s %s is answered with %d', async (method, path, status) => {
    expect((await supertest(start().app)[method](path)).status).toBe(status)
  })

  it('answers without an app of Express, too: by the address alone', async () => {
    const { router } = start()
    const server = createServer((request, response) => {
      Object.assign(response, { req: request })
      const rest = () => void response.writeHead(418).end()
      router(request as express.Request, response as express.Response, rest)
    })
    const statusOf = async (method: 'get' | 'post', path: string) =>
      (await supertest(server)[method](path)).status
    expect(await statusOf('post', '/login?x=1')).toBe(200)
    expect(await statusOf('get', '/auth/sessions')).toBe(200)
    expect(await statusOf('get', '/rooms')).toBe(418)
  })

  it('tries no route for a path that is none of ours', async () => {
    const { app, router } = start()
    let tried = 0
    for (const layer of router.stack as unknown as {
      route?: object
      match(path: string): boolean
    }[]) {
      const { match } = layer
      if (layer.route === undefined) continue
      layer.match = function counting(path) {
        tried += 1
        return match.call(this, path)
      }
    }
    await supertest(app).get('/api/rooms').expect(418)
    expect(tried).toBe(0)
    await supertest(app).get('/api/auth/sessions').expect(200)
    expect(tried).toBeGreaterThan(0)
  })
})

it('a path may be ours if one of the routes begins like it', () => {
  const skip = skipForeignPaths(['/a', '/b/:id', '/c/:id/d'])
  const isSkipped = (path: string) => {
    let told: unknown
    skip({ path } as express.Request, {} as express.Response, (way) => {
      told = way
    })
    return told === 'router'
  }
  const ours = ['/a', '/a/', '/b/', '/b/x', '/c/x/d', '/c/']
  const others = ['/', '', '/a//', '/A', '/ab', '/b', '/c', '/d']
  expect(ours.filter(isSkipped)).toEqual([])
  expect(others.filter((path) => !isSkipped(path))).toEqual([])
})
