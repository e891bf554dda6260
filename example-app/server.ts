import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { type AuthRouter, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { createLive, type Live } from './live.js'
import { roomRoutes } from './rooms.js'
import { seed } from './seed.js'
import { readSettings, SettingError, type Settings, withSetting } from './settings.js'
import { createUserTable, type UserTable } from './users.js'

async function main(): Promise<void> {
  const settings = await readSettings(process.env)
  const users = createUserTable()
  const auth = createAuth(settings, users)
  const live = createLive(auth)
  const server = createServer(createApp(settings, users, live, auth))
  server.on('upgrade', live.accept)

  await seed(users, auth, settings.seedUsers)
  const port = await listen(server, settings.port)
  let stopping = false
  const stop = () => {
    // Ctrl-C in a terminal can arrive twice: from the terminal and from npm.
    if (!stopping) shutDown(server, live, auth)
    stopping = true
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
}

function createAuth({ encryptionKey, signingKey }: Settings, users: UserTable): AuthRouter {
  // A server with a name of its own writes its public URL here. Tokens carry it; nothing fetches it.
  const issuer = 'http://127.0.0.1'
  const signer = withSetting('AUTH_SIGNING_KEY', () => joseSigner({ issuer, audience: 'chat', keys: [signingKey] }))
  return withSetting('AUTH_ENCRYPTION_KEY', () =>
    createAuthRouter({
      users,
      ...memoryStores(),
      signer,
      encryptionKeys: [encryptionKey],
      logger: { debug() {}, info() {}, warn: log, error: log },
    }),
  )
}

function createApp({ trustProxy }: Settings, users: UserTable, live: Live, auth: AuthRouter): Express {
  const app = express()
  app.disable('x-powered-by')
  withSetting('TRUST_PROXY', () => app.set('trust proxy', trustProxy))
  app.use((_request, response, next) => {
    response.set({
      // `form-action`: should the script not load, the sign-in form must not send a password anywhere.
      'Content-Security-Policy': "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    })
    next()
  })
  app.use('/api/v1', auth)
  app.use('/api/v1', roomRoutes({ auth, users, announce: live.broadcast }))
  app.use('/api', (_request, response) => {
    response.status(404).json({ error: 'not-found', message: 'There is no such address.' })
  })
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
  log('a request failed', error)
  response.status(500).json({ error: 'internal' })
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new SettingError(`PORT: ${port} cannot be used (${error.message}).`)))
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function shutDown(server: Server, live: Live, auth: AuthRouter): void {
  live.close()
  server.close(() => auth.close().catch((error: unknown) => log('closing failed', error)))
  // Requests under way get three seconds to finish; a connection is let go as soon as it has its answer.
  setInterval(() => server.closeIdleConnections(), 100).unref()
  setTimeout(() => server.closeAllConnections(), 3000).unref()
}

function log(message: string, details?: unknown): void {
  const text = details instanceof Error ? details.stack : JSON.stringify(details)
  process.stderr.write(`${message}${text === undefined ? '' : `: ${text}`}\n`)
}

await main().catch((error: unknown) => {
  if (error instanceof SettingError) process.stderr.write(`${error.message}\n`)
  else log('the server could not start', error)
  process.exitCode = 1
})
