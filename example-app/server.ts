import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { createApp } from './app.js'
import { createAuth } from './auth.js'
import { openDatabase } from './database.js'
import { createLive } from './live.js'
import { log } from './log.js'
import { createMessageTable, type Message } from './messages.js'
import { tellOfOutages } from './outages.js'
import { openRedis } from './redis.js'
import { demoUsers, seed } from './seed.js'
import { readSettings, SettingError, withServer } from './settings.js'
import { createUserTable } from './users.js'

/** How to close what has been opened, in the order in which it was. */
type Opened = (() => unknown)[]

async function start(opened: Opened): Promise<void> {
  const settings = readSettings(process.env)
  const database = await withServer('DATABASE_URL', [settings.databaseUrl], () =>
    openDatabase(settings.databaseUrl),
  )
  opened.push(() => database.kysely.destroy())
  opened.push(tellOfOutages('the database', () => sql`select 1`.execute(database.kysely)))
  const { redisUrl } = settings
  const redis =
    redisUrl === null ? null : await withServer('REDIS_URL', [redisUrl], () => openRedis(redisUrl))
  opened.push(() => redis?.close())
  let app: RequestListener = notYet
  const server = createServer((request, response) => app(request, response))
  // Any port: only whoever listens knows which, and the router must know its own name.
  if (settings.port === 0) await listen(server, 0, opened)
  const port = settings.port || portOf(server)
  const publicUrl = settings.publicUrl ?? `http://localhost:${port}`
  const auth = await createAuth(settings, database, redis, publicUrl)
  opened.push(() => auth.close())

  const live = createLive(auth)
  const users = createUserTable(database.kysely)
  const messages = createMessageTable(database.kysely)
  // To the sockets of this process, and through Redis to those of the others. Without Redis,
  // clients of other processes see a message when they next look.
  const announce = (message: Message) => {
    live.broadcast(message)
    redis?.announce(message)
  }
  redis?.onMessage(live.broadcast)
  await seed(users, auth, settings.seedUsers)
  app = createApp(settings, { auth, users, messages, announce, publicUrl })
  server.on('upgrade', live.accept)
  if (!server.listening) await listen(server, port, opened)
  opened.push(
    () => stopServing(server),
    () => live.close(),
  )
  // Scripts read the first line, and people the others.
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  for (const { username, password, totpSecret } of demoUsers) {
    const code = totpSecret === undefined ? '' : `, and a code by the key ${totpSecret}`
    process.stdout.write(`  ${username} signs in with: ${password}${code}\n`)
  }
  if (settings.registration === 'invited' && settings.mail !== 'off') {
    const { url } = await auth.accounts.invite({ uses: 10, by: 'example' })
    process.stdout.write(`  ten people can make an account at ${url}\n`)
  }
  const byMail = settings.mail === 'off' ? '' : ', password and address (mails come here)'
  process.stdout.write(`Four things to try:
  ${publicUrl}/  the chat, which signs in by the pages, as apps do
  ${publicUrl}/api/v1/account  the account: devices, second factor, passkeys${byMail}
  npm run wiki  another app; signed in to the chat, you are signed in there, too
  SECOND_FACTOR_REQUIRED=alice npm start  alice has to set up a second factor
`)
}

function listen(server: Server, port: number, opened: Opened): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new SettingError(`PORT: ${port} cannot be used (${error.message}).`)),
    )
    server.listen(port, '127.0.0.1', () => resolve())
    // Whatever fails from here on must not be held up by it.
    opened.push(() => server.close())
  })
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

const notYet: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '2' }).end()
}

// A login waits for up to five seconds until its password is hashed. Whoever ends this process for
// good should wait ten.
const timeForRequests = 7000
const timeForTheRest = 2500

// Requests under way are answered; a connection is let go as soon as it has its answer.
function stopServing(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) =>
    response.setHeader('Connection', 'close'),
  )
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  const late = setTimeout(() => server.closeAllConnections(), timeForRequests)
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(idle)
      clearTimeout(late)
      // A database that does not answer must not hold up the end.
      exitAfter(timeForTheRest)
      resolve()
    })
  })
}

function exitAfter(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref()
}

// The last opened is closed first: whatever uses something is closed before it.
async function close(opened: Opened): Promise<void> {
  for (const closeOne of opened.splice(0).reverse()) {
    try {
      await closeOne()
    } catch (error) {
      log('closing failed', error)
    }
  }
}

const opened: Opened = []
try {
  await start(opened)
  // Ctrl-C in a terminal can arrive twice, from the terminal and from npm. The second finds nothing
  // left to close.
  const stop = () => void close(opened)
  process.on('SIGTERM', stop).on('SIGINT', stop)
} catch (error) {
  process.exitCode = 1
  if (error instanceof SettingError) process.stderr.write(`${error.message}\n`)
  else log('the server could not start', error)
  exitAfter(timeForTheRest)
  await close(opened)
}
