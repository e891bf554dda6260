// A client that is a server: an Express app, behind a proxy that does the TLS.
import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Site } from './browser.js'
import { listen } from './listen.js'

/** Serves an app until the end of the test. What it throws is a 500 with the message. */
export async function serve(build: (app: Express) => void): Promise<Site> {
  const app = express()
  app.set('trust proxy', 1)
  build(app)
  app.use(((error: Error & { status?: number }, _req, res, _next) => {
    res.status(error.status ?? 500).send(`${error.name}: ${error.message}`)
  }) satisfies ErrorRequestHandler)
  const origin = await listen(app)
  return (request) => {
    const { host, pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set('x-forwarded-proto', 'https')
    headers.set('x-forwarded-host', host)
    return fetch(`${origin}${pathname}${search}`, { headers, redirect: 'manual' })
  }
}
