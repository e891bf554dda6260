// An Express app with some routes of ours and no router: for parts that are mounted by themselves.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { expect, onTestFinished } from 'vitest'
import { createCors } from '../../src/http/cors.js'
import { mountAll, type Routes } from '../../src/http/endpoint.js'
import { createContexts } from '../../src/http/request-context.js'
import { unwatched } from '../../src/lib/watch.js'
import { describedPaths, faultsIn, type Noted, watched } from './described.js'

export interface BareApp {
  readonly url: string
  /** What reached the host's error handler. */
  readonly unforeseen: readonly unknown[]
}

export interface BareAppSettings {
  readonly routes?: Routes
  readonly express?: 4 | 5
  /** Origins of the option `cors`. */
  readonly origins?: readonly string[]
  readonly before?: (app: express5.Express) => void
  readonly after?: (app: express5.Express) => void
}

/** Serves it until the test is over. */
export async function startBareApp({
  routes = [],
  express = 5,
  origins,
  before,
  after,
}: BareAppSettings): Promise<BareApp> {
  const own = (express === 5 ? express5 : express4) as typeof express5
  const app = own()
  const unforeseen: unknown[] = []
  before?.(app)
  const warnOnce = () => {}
  const contexts = createContexts({
    clientAddress: undefined,
    requestId: undefined,
    onFailure: () => {},
    warnOnce,
  })
  const answerCors = createCors(origins === undefined ? undefined : { origins })
  const deps = { contexts, answerCors, warnOnce, trace: unwatched }
  const router = mountAll(own.Router({ caseSensitive: true }), routes, deps)
  const answers: Noted[] = []
  onTestFinished(() => expect(faultsIn(answers), 'answers that are not as described').toEqual([]))
  // Some tests mount a route that the product does not have.
  const isOurs = routes.every(([path]) => describedPaths.has(path))
  app.use(isOurs ? watched(router, answers) : router)
  after?.(app)
  app.use(((error, _request, response, _next) => {
    unforeseen.push(error)
    response.status(500).end()
  }) as express5.ErrorRequestHandler)
  const server = createServer({ maxHeaderSize: 80_000 }, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  onTestFinished(() => server.closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, unforeseen }
}
