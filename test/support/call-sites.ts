// Every request and every function of the router, and a host all of whose parts are tapped: so that
// each single call of each part can be made to fail, in the order in which the calls happen,
// without anybody writing the list of them.
import {
  type AccountsOptions,
  type AuthRouterOptions,
  type ClientStore,
  type ConsentStore,
  generateSigningKey,
  joseSigner,
  type LimiterSettings,
  type Mail,
  type PasswordHasher,
  type RevocationBus,
} from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import {
  type MemoryStores,
  memoryOAuthStores,
  memoryStores,
} from '../../src/stores/memory-stores.js'
import { totpCode } from '../../src/testing/testing.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { accountRequests } from './account-call-sites.js'
import { bearer, get, logIn, obtainCode, post } from './client.js'
import { deviceLinkRequests } from './device-link-call-sites.js'
import { encryptionKey, password, passwordHash, type TestHost, totpSecret } from './host.js'
import { memoryLimiter } from './memory-limiter.js'
import { terms } from './mounted-acceptance.js'
import { accountsOptions } from './mounted-accounts.js'
import { oauthOf } from './oauth-apps.js'
import { oauthRequests } from './oauth-call-sites.js'
import { startPages } from './pages.js'
import { anybody, providerRequests, returnTo } from './provider-call-sites.js'
import { registrationRequests } from './registration-call-sites.js'
import { requiredRequests } from './required-call-sites.js'
import { type TestUser, type TestUsers, testUsers } from './users.js'

/** What was asked for, as a client or the host's own code sees it. */
export interface Outcome {
  readonly status: number
  readonly text: string
  readonly retryAfter: number
}

/** The calls of a host's parts, and which of them is to fail. */
export interface Tap {
  /** Null: nobody listens, and nothing fails. */
  calls: string[] | null
  /** Every method that is tapped. */
  readonly parts: string[]
  /** The way to the call that fails, which is its last; empty for none. */
  path: readonly string[]
  how: (call: string) => unknown
  /** Whether that call was made, by that way. */
  hasFailed: boolean
  /** How many calls are not answered yet. */
  pending: number
}

/** A tapped host, and a user of it whom nobody has used before. */
export interface Scene {
  readonly host: TestHost
  readonly tap: Tap
  readonly users: TestUsers
  readonly stores: MemoryStores
  readonly consents: ConsentStore
  /** What was mailed to anybody, oldest first. */
  readonly mails: Mail[]
  readonly user: { readonly id: string; readonly name: string }
}

/** What a test asks for, once everything it needs is there. */
export type Ask = () => Promise<Outcome>

const olderKey = Buffer.from('the encryption key of last year.').toString('base64')
const signingKey = await generateSigningKey()
const noLimit = { points: 100_000, duration: 900 }
/** Of the same password, by another prefix: the tapped hasher finds it too old. */
const oldHash = passwordHash.replace('$2b$', '$2a$')

/** Compares without hashing: how long that takes is another test's affair. */
const quickHasher: PasswordHasher = {
  hash: async (plain) => `plain ${plain}`,
  verify: async (plain, hash) =>
    hash === `plain ${plain}` || (plain === password && [passwordHash, oldHash].includes(hash)),
  needsRehash: (hash) => hash === oldHash,
  canRead: () => true,
  whyRefused: () => null,
  unmatchable: 'none',
  concurrency: 1000,
}

function tapped<T extends object>(tap: Tap, name: string, part: T): T {
  const methods = Object.entries(part).filter(([, method]) => typeof method === 'function')
  for (const [method, real] of methods)
    Object.assign(part, { [method]: tapOne(tap, `${name}.${method}`, real.bind(part)) })
  return part
}

type Real = (...given: unknown[]) => unknown

function tapOne(tap: Tap, name: string, real: Real) {
  tap.parts.push(name)
  return (...given: unknown[]) => {
    if (tap.calls === null) return real(...given)
    tap.calls.push(name)
    if (!isEnd(tap.path, tap.calls)) return noted(tap, real(...given))
    tap.hasFailed = true
    return tap.how(name)
  }
}

function isEnd(path: readonly string[], calls: readonly string[]): boolean {
  return path.length === calls.length && path.every((call, place) => call === calls[place])
}

function noted(tap: Tap, answer: unknown): unknown {
  if (!(answer instanceof Promise)) return answer
  tap.pending += 1
  return answer.finally(() => {
    tap.pending -= 1
  })
}

/** A host with everything that a host can have. */
export async function startTapped(
  storeTimeout = 2000,
): Promise<Omit<Scene, 'user'> & { newScene: () => Scene }> {
  const tap: Tap = {
    calls: null,
    parts: [],
    path: [],
    how: () => undefined,
    hasFailed: false,
    pending: 0,
  }
  const users = testUsers()
  // Numbers have a walk of their own, in test/phones: this host has a factor of that name.
  for (const name of ['updatePhone', 'setPhoneFactor']) Reflect.deleteProperty(users, name)
  const stores = memoryStores()
  const { consents, once, clients: registered } = memoryOAuthStores()
  const mails: Mail[] = []
  const { phones: _phones, ...ofMails } = accountsOptions(mails).accounts as AccountsOptions
  let now = () => new Date()
  const signer = joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [signingKey],
    clock: () => now(),
  })
  const limiter = (settings: LimiterSettings) => {
    const real = memoryLimiter(settings)
    for (const method of [
      'consume',
      'reward',
      'penalty',
      'delete',
      'get',
      'set',
      'block',
    ] as const) {
      Object.assign(real, {
        [method]: tapOne(tap, `limiter.${method}`, (real[method] as Real).bind(real)),
      })
    }
    return real
  }
  const bus: RevocationBus = { publish: async () => {}, subscribe: async () => async () => {} }
  const options: Partial<AuthRouterOptions> = {
    users: tapped(tap, 'users', users),
    codes: tapped(tap, 'codes', stores.codes),
    sessions: tapped(tap, 'sessions', stores.sessions),
    secondFactors: tapped(tap, 'secondFactors', stores.secondFactors),
    tickets: tapped(tap, 'tickets', stores.tickets),
    proofs: tapped(tap, 'proofs', stores.proofs),
    identities: tapped(tap, 'identities', stores.identities),
    deviceCodes: tapped(tap, 'deviceCodes', stores.deviceCodes),
    deviceLinks: {},
    providers: { list: [tapped(tap, 'provider', { ...anybody })], returnTo: [returnTo] },
    signer: tapped(tap, 'signer', { ...signer }),
    passwords: tapped(tap, 'passwords', { ...quickHasher }),
    otherFactors: [
      {
        name: 'sms',
        ...tapped(tap, 'sms', {
          isEnabled: async ({ username }: { username: string }) => username.startsWith('phone'),
          sendCode: async () => {},
          verify: async (_user: unknown, code: string) => ({
            outcome: code === 'texted' ? ('accepted' as const) : ('refused' as const),
          }),
        }),
      },
    ],
    bus: tapped(tap, 'bus', bus),
    throttle: { network: noLimit, mail: { network: noLimit }, limiter },
    // Without notices, which are prepared while the next request is on its way.
    accounts: {
      ...ofMails,
      notices: false,
      ...tapped(tap, 'accounts', { beforeRegister: async () => undefined }),
    },
    acceptance: {
      documents: [terms],
      ...tapped(tap, 'acceptance', {
        current: async ({ id }: { id: string }) => users.rows.get(id)?.accepted ?? [terms],
      }),
    },
    watchPasswordHash: true,
    encryptionKeys: [encryptionKey, olderKey],
    storeTimeout,
    oauth: oauthOf({
      logout: true,
      clients: tapped(tap, 'clients', oauthOf().clients as ClientStore),
      consents: tapped(tap, 'consents', consents),
      once: tapped(tap, 'once', once),
      deviceFlow: true,
      registration: { clients: tapped(tap, 'clients', registered), scopes: ['openid'] },
      ...tapped(tap, 'apps', { claims: async () => ({}) }),
    }),
    ...tapped(tap, 'hooks', {
      secondFactor: () => 'optional' as const,
      canonicalIdentifier: async ({ value }: { value: string }) => value,
      beforeLogin: async () => undefined,
      describeUser: async () => ({}),
    }),
  }
  const host = await startPages({ options })
  now = host.clock
  let count = 0
  const newScene = () => {
    count += 1
    const [id, name] = [`u-${count}`, `user-${count}`]
    users.add({ id, username: name, passwordHash })
    return { host, tap, users, stores, consents, mails, user: { id, name } }
  }
  return { host, tap, users, stores, consents, mails, newScene }
}

const sent = async (
  response: PromiseLike<{ status: number; text: string; headers: Record<string, string> }>,
): Promise<Outcome> => {
  const { status, text, headers } = await response
  return { status, text, retryAfter: Number(headers['retry-after'] ?? 0) }
}

// What the host's own code is told: an error that says how a client would have been answered.
const called = async (work: () => Promise<unknown>): Promise<Outcome> => {
  try {
    return { status: 200, text: JSON.stringify(await work()) ?? '', retryAfter: 0 }
  } catch (error) {
    const {
      status = 500,
      clientMessage = '',
      retryAfter = 0,
    } = error as { status?: number; clientMessage?: string; retryAfter?: number }
    return { status, text: clientMessage, retryAfter }
  }
}

const tokenOf = async ({ host, user }: Scene) =>
  (await logIn(host, { username: user.name, password })).authToken
const loginOf = ({ host, user }: Scene, code?: string) => {
  const body = { username: user.name, password, ...(code === undefined ? {} : { code }) }
  return () => sent(post(host, '/login', body))
}

async function withTotp({ host, user }: Scene): Promise<string[]> {
  return (await host.auth.secondFactors.importTotp({ userId: user.id, secret: totpSecret }))
    .recoveryCodes
}

/** A session of a user who has TOTP; the code of the moment is unused. */
async function signedInWithTotp(scene: Scene): Promise<{ token: string; code: () => string }> {
  const { host } = scene
  await withTotp(scene)
  const code = () => totpCode(totpSecret, host.clock())
  const { authToken: token } = await logIn(host, {
    username: scene.user.name,
    password,
    code: code(),
  })
  host.clock.advance(30)
  return { token, code }
}

async function ticketOf(scene: Scene): Promise<string> {
  const response = await post(
    scene.host,
    '/auth/socket-ticket',
    undefined,
    bearer(await tokenOf(scene)),
  )
  return response.body.data.ticket
}

function upgradeWith(ticket: string) {
  const protocols = `auth.ticket, ${ticket}`
  const headers = { 'sec-websocket-protocol': protocols }
  return {
    headers,
    headersDistinct: { 'sec-websocket-protocol': [protocols] },
    socket: { remoteAddress: '127.0.0.1' },
  } as never
}

async function withPendingTotp(scene: Scene): Promise<{ token: string; secret: string }> {
  const token = await tokenOf(scene)
  const { body } = await post(scene.host, '/auth/totp', { password }, bearer(token))
  return { token, secret: body.data.secret }
}

const authed = (method: 'get' | 'post', path: string, body?: object) => async (scene: Scene) => {
  const token = await tokenOf(scene)
  return () =>
    sent(
      method === 'get'
        ? get(scene.host, path, bearer(token))
        : post(scene.host, path, body, bearer(token)),
    )
}
const factorChange = (path: string) => async (scene: Scene) => {
  const { token, code } = await signedInWithTotp(scene)
  return () => sent(post(scene.host, path, { password, code: code() }, bearer(token)))
}
const remove = (host: TestHost, path: string, token: string) =>
  fetch(`${host.url}${path}`, { method: 'DELETE', headers: bearer(token) }).then(
    async (response) => ({
      status: response.status,
      text: await response.text(),
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    }),
  )

/**
 * Everything that can be asked of a router, by name. Each makes what it needs, and answers how to
 * ask.
 */
export const requests: Readonly<Record<string, (scene: Scene) => Promise<Ask>>> = {
  'POST /login': async (scene) => loginOf(scene),
  'POST /login with an old hash': async (scene) => {
    scene.users.change(scene.user.id, { passwordHash: oldHash })
    return loginOf(scene)
  },
  'POST /login with a TOTP code': async (scene) => {
    await withTotp(scene)
    return () => loginOf(scene, totpCode(totpSecret, scene.host.clock()))()
  },
  'POST /login with a TOTP code, of a seed under an old key': async (scene) => {
    await withTotp(scene)
    const { secondFactors } = scene.stores
    const sealed = (await secondFactors.find(scene.user.id))?.sealedSeed ?? ''
    const seed = decodeBase32(totpSecret) as Buffer
    await secondFactors.reseal(
      scene.user.id,
      sealed,
      createSeedVault([Buffer.from(olderKey, 'base64')]).seal(scene.user.id, seed),
    )
    return () => loginOf(scene, totpCode(totpSecret, scene.host.clock()))()
  },
  'POST /login without the texted code': async (scene) => {
    const user = { ...scene.user, name: `phone-${scene.user.id}` }
    scene.users.change(user.id, { username: user.name })
    return loginOf({ ...scene, user })
  },
  'POST /login with a recovery code': async (scene) => loginOf(scene, (await withTotp(scene))[0]),
  'POST /login with a texted code': async (scene) => {
    scene.users.change(scene.user.id, { username: `phone-${scene.user.id}` })
    return loginOf({ ...scene, user: { ...scene.user, name: `phone-${scene.user.id}` } }, 'texted')
  },
  'POST /auth/pkce/token': async (scene) => {
    const code = await obtainCode(scene.host, await tokenOf(scene))
    return () => sent(post(scene.host, '/auth/pkce/token', code))
  },
  'POST /auth/pkce/authorize': authed('post', '/auth/pkce/authorize', {
    codeChallenge: 'a'.repeat(43),
  }),
  'POST /auth/refresh': async (scene) => {
    const code = await obtainCode(scene.host, await tokenOf(scene))
    const { refresh_token } = (await post(scene.host, '/auth/pkce/token', code)).body
    return () => sent(post(scene.host, '/auth/refresh', { refresh_token }))
  },
  'GET /me': authed('get', '/me'),
  'POST /logout': authed('post', '/logout'),
  'GET /auth/sessions': authed('get', '/auth/sessions'),
  'DELETE /auth/sessions': async (scene) => {
    await tokenOf(scene)
    const token = await tokenOf(scene)
    return () => remove(scene.host, '/auth/sessions', token)
  },
  'DELETE /auth/sessions/:id': async (scene) => {
    await tokenOf(scene)
    const [other] = await scene.host.auth.sessions.list(scene.user.id)
    const token = await tokenOf(scene)
    return () => remove(scene.host, `/auth/sessions/${other?.id}`, token)
  },
  'GET /auth/totp': async (scene) => {
    const { token } = await signedInWithTotp(scene)
    return () => sent(get(scene.host, '/auth/totp', bearer(token)))
  },
  'POST /auth/totp': authed('post', '/auth/totp', { password }),
  'POST /auth/totp/confirm': async (scene) => {
    const { token, secret } = await withPendingTotp(scene)
    return () =>
      sent(
        post(
          scene.host,
          '/auth/totp/confirm',
          { code: totpCode(secret, scene.host.clock()) },
          bearer(token),
        ),
      )
  },
  'POST /auth/totp/disable': factorChange('/auth/totp/disable'),
  'POST /auth/totp/recovery-codes': factorChange('/auth/totp/recovery-codes'),
  'POST /auth/socket-ticket': authed('post', '/auth/socket-ticket'),
  'GET /auth/jwks.json':
    async ({ host }) =>
    () =>
      sent(get(host, '/auth/jwks.json')),
  'sockets.authenticate()': async (scene) => {
    const ticket = await ticketOf(scene)
    return () => called(() => scene.host.auth.sockets.authenticate(upgradeWith(ticket)))
  },
  'sessions.list()': async (scene) => {
    await tokenOf(scene)
    return () => called(() => scene.host.auth.sessions.list(scene.user.id))
  },
  'sessions.revoke()': async (scene) => {
    await tokenOf(scene)
    const [session] = await scene.host.auth.sessions.list(scene.user.id)
    return () => called(() => scene.host.auth.sessions.revoke(session?.id ?? ''))
  },
  'sessions.revokeAllForUser()': async (scene) => {
    await tokenOf(scene)
    return () => called(() => scene.host.auth.sessions.revokeAllForUser(scene.user.id))
  },
  'passwordChanged()': async (scene) => {
    const { host, user } = scene
    await tokenOf(scene)
    const { sessionId } = await host.auth.authenticateToken(await tokenOf(scene))
    const row = scene.users.rows.get(user.id) as TestUser
    return () => {
      // Not by a call: what the host does to its users is not the router's.
      scene.users.rows.set(user.id, { ...row, passwordHash: oldHash })
      return called(() => host.auth.passwordChanged(user.id, { except: sessionId }))
    }
  },
  'issueAuthorizationCode()': async ({ host, user }) => {
    return () =>
      called(() =>
        host.auth.issueAuthorizationCode({ userId: user.id, codeChallenge: 'a'.repeat(43) }),
      )
  },
  'secondFactors.importTotp()': async ({ host, user }) => {
    return () =>
      called(() => host.auth.secondFactors.importTotp({ userId: user.id, secret: totpSecret }))
  },
  'secondFactors.status()': async (scene) => {
    await withTotp(scene)
    return () => called(() => scene.host.auth.secondFactors.status(scene.user.id))
  },
  'secondFactors.reset()': async (scene) => {
    await withTotp(scene)
    return () => called(() => scene.host.auth.secondFactors.reset(scene.user.id))
  },
  'hashPassword()':
    async ({ host }) =>
    () =>
      called(() => host.auth.hashPassword('some other words')),
  ...accountRequests,
  ...registrationRequests,
  ...providerRequests,
  ...deviceLinkRequests,
  ...requiredRequests,
  ...oauthRequests,
}
