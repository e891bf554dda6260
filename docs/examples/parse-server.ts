// A sign-in beside Parse Server, for the users that it keeps in PostgreSQL.
import type { Server } from 'node:http'
import type { Express } from 'express'
import {
  type AuthRouter,
  type AuthUser,
  bcryptHasher,
  consoleLogger,
  createAuthRouter,
  joseSigner,
  type TrackedSocket,
} from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import type { Pool } from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'

interface ParseUser {
  objectId: string
  username: string
  _hashed_password: string | null
}

type Column = 'objectId' | 'username' | 'email'

/**
 * Adds it to the app that Parse is mounted in, and to the server that `createLiveQueryServer` is
 * given.
 */
export function addSignIn(app: Express, server: Server, pool: Pool): AuthRouter {
  async function by(column: Column, value: string): Promise<AuthUser | null> {
    const { rows } = await pool.query<ParseUser>(
      `select "objectId", username, _hashed_password from "_User" where "${column}" = $1 limit 2`,
      [value],
    )
    const [user] = rows
    if (user === undefined || rows.length !== 1) return null
    const { objectId, username, _hashed_password } = user
    return { id: objectId, username, name: username, passwordHash: _hashed_password }
  }

  const auth = createAuthRouter({
    users: {
      findByIdentifier: ({ kind, value }) =>
        by(kind === 'email' || value.includes('@') ? 'email' : 'username', value),
      findById: (userId) => by('objectId', userId),
    },
    canonicalIdentifier: ({ value }) => value, // Parse keeps names as they were typed
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [process.env['AUTH_SIGNING_KEY']],
    }),
    encryptionKeys: [process.env['AUTH_ENCRYPTION_KEYS']],
    passwords: bcryptHasher({ cost: 10 }), // Parse's own
    logger: consoleLogger(),
  })
  app.use('/api/v1', auth)
  app.get('/api/v1/hello', auth.requireAuth(), (req, res) => {
    res.json({ hello: req.auth.userId })
  })

  // LiveQuery answers every upgrade of the port. This path is kept from it.
  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('connection', (socket: WebSocket, _request: unknown, tracked: TrackedSocket) => {
    socket.send(`hello ${tracked.principal.userId}`)
  })
  auth.sockets.attach(server, '/ws', sockets)
  return auth
}
