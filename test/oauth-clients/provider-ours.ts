// This package as it is built, in an Express server that keeps everything in memory.
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import {
  type AuthRouter,
  type AuthUser,
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
  type UserStore,
} from '../../dist/index.js'
import { memoryOAuthStores, memoryStores } from '../../dist/stores/memory.js'
import {
  type Answer,
  alice,
  type IssuerPath,
  type Page,
  type Provider,
  type ProviderModule,
} from './support/provider.js'
import { type Registration, registrations } from './support/registrations.js'

export const oursModule: ProviderModule = { name: 'messaging-auth-router', start }

/** Where the router is mounted, whether the issuer has a path or not. */
const mount = '/api/v1'
const passwords = bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true })
const keys = [await generateSigningKey('ES256')]
const rs256 = [await generateSigningKey('RS256')]
const encryptionKeys = [randomBytes(32).toString('base64')]
const user: AuthUser = {
  id: alice.id,
  username: alice.username,
  name: alice.claims.name,
  passwordHash: await passwords.hash(alice.password),
}
const users: UserStore = {
  findById: async (id) => (id === user.id ? user : null),
  findByIdentifier: async ({ value }) => (value === user.username ? user : null),
}

/** What else a test may want of it. */
export interface Ours extends Provider {
  readonly auth: AuthRouter
}

function start(path: IssuerPath): Promise<Provider> {
  return startOurs(path, registrations.map(clientOf))
}

/** What a host has besides apps. */
export interface OwnParts {
  readonly oauth?: (origin: string) => Partial<OAuthOptions>
  readonly after?: (app: express.Express, auth: AuthRouter, origin: string) => void
}

/** Starts it with clients of its own; it tells them when a session has ended. */
export async function startOurs(
  path: IssuerPath,
  clients: readonly OAuthClient[],
  { oauth, after }: OwnParts = {},
): Promise<Ours> {
  const app = express()
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { consents, once } = memoryOAuthStores()
  const issuer = `${origin}${path}`
  const auth = createAuthRouter({
    users,
    passwords,
    ...memoryStores(),
    signer: joseSigner({ issuer, audience: 'chat', keys, rs256 }),
    encryptionKeys,
    oauth: {
      baseUrl: `${origin}${mount}`,
      clients,
      consents,
      once,
      logout: true,
      claims: () => alice.claims,
      ...oauth?.(origin),
    },
  })
  app.use(auth.wellKnown)
  app.use(mount, auth)
  after?.(app, auth, origin)
  return {
    issuer,
    answer: (page, agrees) => answerAs(alice, page, agrees),
    auth,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await auth.close()
    },
  }
}

/** A client as this package has it. */
export function clientOf(registration: Registration): OAuthClient {
  const { secret, secretIn: _either, ...client } = registration
  return { ...client, ...(secret === undefined ? {} : { secretHashes: [hashOf(secret)] }) }
}

function hashOf(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('base64url')}`
}

/** What a user does on the pages: the sign-in, and those that ask whether an app may go on. */
export function answerAs(
  { username, password }: { readonly username: string; readonly password: string },
  { url, html }: Page,
  agrees: boolean,
): Answer {
  if (html.includes('name="password"')) return { fields: { username, password } }
  const yes = ['allow', 'continue'].find((choice) => html.includes(`value="${choice}"`))
  if (yes === undefined) throw new Error(`an unknown page at ${url}: ${html.slice(0, 500)}`)
  return { fields: {}, press: `[value=${agrees ? yes : 'cancel'}]` }
}
