// `node chat-server.js migrate` makes the tables, and `node chat-server.js` serves.
import { createServer } from 'node:http'
import express from 'express'
import pg from 'pg'
import { Server } from 'socket.io'
import { migrate, openAuth, setting } from './chat-auth.js'

const url = { connectionString: setting('DATABASE_URL') }
const pool = new pg.Pool({ ...url, max: 20, connectionTimeoutMillis: 1500 })
// A connection that breaks would end the process if nobody listened.
pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))

async function serve(): Promise<void> {
  const { auth, close } = await openAuth(pool)
  const app = express().disable('x-powered-by')
  app.set('trust proxy', Number(process.env['PROXIES'] ?? 1))
  app.get('/health', async (_req, res) => {
    const health = await auth.health()
    res.setHeader('Cache-Control', 'no-store')
    res.status(health.ok ? 200 : 503).json(health)
  })
  app.use(auth.wellKnown)
  app.use('/api/v1', auth)
  app.get('/', auth.requireAuth({ from: 'cookie', onRefused: 'sign-in-page' }), (req, res) => {
    res.send(`Signed in as ${req.auth.userId}. <a href="/api/v1/account">Your account</a>`)
  })

  const server = createServer(app)
  const io = new Server(server)
  io.use(auth.sockets.socketIo(io, { from: 'either' })) // pages by their cookie, apps by a token
  io.on('connection', (socket) => {
    socket.on('say', (text: unknown) => io.emit('said', String(text), socket.data.auth.userId))
  })
  // For Prometheus alone: the proxy passes nothing on to this port.
  const metrics = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').end(auth.metrics())
  })

  async function stop(): Promise<void> {
    setTimeout(() => process.exit(1), 10_000).unref()
    setInterval(() => server.closeIdleConnections(), 100).unref()
    await io.close() // the sockets, then the server, once what it has accepted is answered
    metrics.close()
    await close()
    await pool.end()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  metrics.listen(Number(process.env['METRICS_PORT'] ?? 9464), '127.0.0.1')
  server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1')
}

await (process.argv[2] === 'migrate' ? migrate(pool).finally(() => pool.end()) : serve())
