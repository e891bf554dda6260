import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { AuthError } from 'messaging-auth-router'
import { log } from './log.js'
import { metricsRoute } from './metrics.js'
import { toolsUrl } from './oauth.js'
import { leadToLocalhost } from './passkeys.js'
import { type RoomDeps, roomReader, roomRoutes } from './rooms.js'
import { demoUsers } from './seed.js'
import type { Settings } from './settings.js'
import { toolsOf } from './tools.js'

/** Everything that is answered over HTTP: sign-in, rooms, and the page. */
export function createApp(
  { trustProxy, metricsToken }: Pick<Settings, 'trustProxy' | 'metricsToken'>,
  deps: RoomDeps & { readonly publicUrl: string },
): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', trustProxy)
  app.use((_request, response, next) => {
    response.set({
      'Content-Security-Policy':
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    next()
  })
  app.use(deps.auth.wellKnown)
  app.use('/api/v1', deps.auth)
  app.use('/api/v1', roomRoutes(deps))
  app.use('/mcp', toolsOf(deps.auth, toolsUrl(deps.publicUrl), roomReader(deps)))
  app.use('/api', (_request, response) => {
    response.status(404).json({ error: 'not-found', message: 'There is no such address.' })
  })
  // For a load balancer: 503 takes this process out of service.
  app.get('/health', async (_request, response) => {
    const health = await deps.auth.health()
    response
      .status(health.ok ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json(health)
  })
  app.use(metricsRoute(deps.auth, metricsToken))
  // Whoever sees this in production has forgotten to leave `seed.ts` out.
  app.get('/demo-users.json', (_request, response) => {
    response.json(demoUsers)
  })
  // The page imports the client as the package ships it: modules, which need no bundler.
  const client = fileURLToPath(import.meta.resolve('messaging-auth-router/client'))
  app.use('/client', express.static(dirname(client)))
  app.use('/uqr', express.static(dirname(fileURLToPath(import.meta.resolve('uqr')))))
  app.get(['/', '/index.html'], leadToLocalhost(deps.publicUrl))
  app.use(express.static(fileURLToPath(new URL('../public', import.meta.url))))
  app.use(onError)
  return app
}

const onError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  // Body parsers mark what the client did wrong with its status.
  const status: unknown = error?.status
  if (typeof status === 'number' && status >= 400 && status < 500) {
    response.status(status).json({ error: 'invalid-request', message: 'The request is not valid.' })
    return
  }
  log('a request failed', error?.cause ?? error)
  if (error instanceof AuthError) {
    response
      .set('Retry-After', '2')
      .status(error.status)
      .json({ error: error.code, message: error.clientMessage })
    return
  }
  response.status(500).json({ error: 'internal' })
}
