// A host in TypeScript. It is never run: run.mjs compiles it as an ES module and as CommonJS, with
// the types of Express 4 and 5.
import express from 'express'
import {
  AuthError,
  type AuthRouter,
  type AuthUser,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from 'messaging-auth-router'
import { openIdProvider } from 'messaging-auth-router/providers'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { manualClock } from 'messaging-auth-router/testing'

/** A row of the host's own table, with more in it than the router asks for. */
interface Row extends AuthUser {
  readonly roomIds: readonly string[]
}

const rows = new Map<string, Row>()

export async function makeApp(): Promise<{ app: express.Express; auth: AuthRouter }> {
  const clock = manualClock()
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) =>
        [...rows.values()].find(({ username }) => username === value) ?? null,
      findById: async (userId) => rows.get(userId) ?? null,
    },
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
      clock,
    }),
    encryptionKeys: [process.env['AUTH_ENCRYPTION_KEYS']],
    providers: {
      list: [
        openIdProvider({
          id: 'work',
          name: 'Example Ltd',
          issuer: 'https://login.example.com',
          clientId: 'chat',
          clientKey: { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd', alg: 'EdDSA', kid: 'one' },
        }),
      ],
    },
    clock,
  })
  const app = express()
  app.use('/api/v1', auth)
  app.get('/api/v1/rooms', auth.requireAuth(), (request, response) => {
    const userId: string = request.auth.userId
    response.json(rows.get(userId)?.roomIds ?? [])
  })
  app.use('/api/v1/admin', auth.requireAuth({ scope: 'admin', maxAge: 300 }), express.json())
  return { app, auth }
}

/** The status to answer when somebody else's request was judged. */
export function statusOf(error: unknown): number {
  return error instanceof AuthError ? error.status : 500
}
