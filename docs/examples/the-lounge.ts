// The Lounge with a sign-in of this router's, and no file of its own changed:
//
//   node --import ./the-lounge.ts "$(npm root -g)/thelounge/index.js" start
//
// Its server shows nobody its Express app and its Socket.IO server. But it makes the second by a
// name that `socket.io` exports, and whoever stands there meets both.
import { realpathSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type { Express } from 'express'
import {
  type AuthRouter,
  type AuthUser,
  bcryptHasher,
  consoleLogger,
  createAuthRouter,
  joseSigner,
  keyRing,
} from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import type { Server } from 'socket.io'

const home = process.env['THELOUNGE_HOME'] ?? join(homedir(), '.thelounge')
const folder = join(home, 'users')

// A name is looked for among the files. Made into a path, it could lead anywhere.
async function find(fits: (name: string) => boolean): Promise<AuthUser | null> {
  const names = (await readdir(folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .filter(fits)
  const [name] = names
  if (name === undefined || names.length !== 1) return null
  const { password } = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))
  return { id: name, username: name, name, passwordHash: password || null }
}

async function createSignIn(): Promise<AuthRouter> {
  const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEYS']]
  const keys = keyRing({ files: join(home, 'auth-keys'), encryptionKeys })
  await keys.ready()
  return createAuthRouter({
    users: {
      findByIdentifier: ({ kind, value }) =>
        find((name) => kind !== 'email' && name.toLowerCase() === value.toLowerCase()),
      findById: (userId) => find((name) => name === userId),
    },
    ...memoryStores(), // everybody signs in again after a restart
    signer: joseSigner({ issuer: 'https://lounge.example.com', audience: 'lounge', keys }),
    encryptionKeys,
    // The Lounge brings every hash to this cost. It has no hook for the router to do the same.
    passwords: bcryptHasher({ cost: 11 }),
    logger: consoleLogger(),
  })
}

function mount(app: Express, io: Server, auth: AuthRouter): void {
  app.use('/api/v1', auth)
  app.get('/api/v1/hello', auth.requireAuth(), (req, res) => {
    res.json({ hello: req.auth.userId })
  })
  // Beside the namespace `/`, which is The Lounge's.
  io.of('/live').use(auth.sockets.socketIo(io))
  io.of('/live').on('connection', (socket) => socket.emit('hello', socket.data.auth.userId))
}

// The hashing threads are started with the same `--import`.
if (isMainThread) {
  const auth = await createSignIn()
  const lounge = createRequire(realpathSync(process.argv[1] ?? ''))
  const socketIo: { Server: typeof Server } = lounge('socket.io')
  socketIo.Server = new Proxy(socketIo.Server, {
    construct(Original, [http, options]: [HttpServer, object]) {
      const [app] = http.listeners('request')
      const io = new Original(http, options)
      mount(app as Express, io, auth)
      return io
    },
  })
}
