// A router with passkeys, and authenticators in Node that talk to it over HTTP.
import { expect, onTestFinished } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import type { PasskeyVerifier } from '../../src/passkeys/contract.js'
import type { PasskeysOptions } from '../../src/passkeys/passkeys-options.js'
import { memoryPasskeyStore } from '../../src/stores/memory-sign-in-methods.js'
import { memoryOAuthStores } from '../../src/stores/memory-stores.js'
import type { PasskeyStore } from '../../src/stores/passkey-contract.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { expectCommon } from '../support/after-attack.js'
import { pkcePair } from '../support/client.js'
import {
  encryptionKey,
  type HostSettings,
  password,
  passwordHash,
  startHost,
  totpSecret,
} from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { codeOf } from '../support/two-factor.js'
import {
  assertion,
  creation,
  type Deviations,
  newPasskey,
  type TestPasskey,
} from './authenticator.js'

export interface PasskeySettings {
  readonly options?: Partial<AuthRouterOptions>
  readonly passkeys?: Partial<PasskeysOptions>
  /** Changes the store. */
  readonly store?: (store: PasskeyStore) => PasskeyStore
  readonly verifier?: PasskeyVerifier
  readonly isBeyond?: HostSettings['isBeyond']
}

/** Starts it with alice, who has a password. */
export async function startPasskeys(settings: PasskeySettings = {}) {
  const { once } = memoryOAuthStores()
  const store = (settings.store ?? ((same) => same))(memoryPasskeyStore())
  const started = await startHost({
    prefix: '',
    now: new Date('2030-01-01T12:00:10Z'),
    ...(settings.isBeyond === undefined ? {} : { isBeyond: settings.isBeyond }),
    options: {
      ...passkeyOptions({
        store,
        once,
        ...(settings.verifier === undefined ? {} : { verifier: settings.verifier }),
        ...settings.passkeys,
      }),
      ...settings.options,
    },
    after: (app, auth) => {
      app.use(auth.wellKnown)
      app.get('/delicate', auth.requireAuth({ maxAge: 60 }), (_request, response) => {
        response.json({ done: true })
      })
    },
  })
  const { url, clock, users, stores, events, unforeseen, auth } = started
  const secrets = started.issued.add(passwordHash)
  onTestFinished(() => expect(unforeseen).toEqual([]))

  async function ask(method: string, path: string, body?: object, token?: string) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: headersOf(body, token),
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    const headers = Object.fromEntries(response.headers)
    if (path !== '/delicate') expectCommon({ status: response.status, headers, text })
    const answer = JSON.parse(text) as Answered
    for (const secret of secretsIn(answer.data)) secrets.add(secret)
    return { status: response.status, headers, body: answer, data: answer.data ?? {} }
  }

  const post = (path: string, body: object = {}, token?: string) => ask('POST', path, body, token)

  const host = {
    url,
    clock,
    users,
    stores,
    store,
    once,
    events,
    auth,
    /** Switches TOTP on for alice behind the router's back: no session of hers ends. */
    async importTotp(into = stores.secondFactors) {
      const vault = createSeedVault([Buffer.from(encryptionKey, 'base64')])
      const seed = decodeBase32(totpSecret) as Buffer
      const sealedSeed = vault.seal('u-alice', seed)
      const factor = { userId: 'u-alice', sealedSeed, lastStep: -1, createdAt: clock() }
      await into.activate(factor, [])
    },
    /** What her app shows now. */
    totpCode: () => codeOf(started, totpSecret),
    ask,
    post,
    /** A password login, and its token. */
    async logIn(body: object = { username: 'alice', password }) {
      const { status, body: answer, data } = await post('/login', body)
      if (status !== 200) throw new Error(`login answered ${JSON.stringify(answer)}`)
      return data.authToken as string
    },
    /** The challenge of a sign-in; with a token, of proving anew. */
    async challenge(token?: string) {
      return (await post('/auth/passkey/options', {}, token)).data.challenge as string
    },
    /** Makes a passkey for the holder of a token, and answers it with what came with it. */
    async add(token: string, passkey: TestPasskey = newPasskey(), given: Deviations = {}) {
      const options = await post('/auth/passkeys/options', {}, token)
      if (options.status !== 200) throw new Error(JSON.stringify(options.body))
      passkey.userHandle = options.data.user?.id as string
      const response = creation(passkey, options.data.challenge as string, given)
      const added = await post('/auth/passkeys', { response, name: 'Phone' }, token)
      return { passkey, options: options.data, added }
    },
    /** A code for another program of the holder of a token, with what exchanges it. */
    async codeFor(token: string) {
      const { codeChallenge, codeVerifier } = pkcePair()
      const { data } = await post('/auth/pkce/authorize', { codeChallenge }, token)
      return { authorizationCode: data['authorizationCode'], codeVerifier }
    },
    /** Signs in with a passkey. */
    async signIn(passkey: TestPasskey, given: Deviations = {}, body: object = {}) {
      const response = assertion(passkey, await host.challenge(), given)
      return post('/auth/passkey/login', { response, ...body })
    },
    /** A password login up to the second factor: what it answers, and the challenge in it. */
    async due(name = 'alice') {
      const { status, body } = await post('/login', { username: name, password })
      const { passkeyOptions } = body.details ?? {}
      return { status, body, challenge: passkeyOptions?.challenge ?? '' }
    },
    /** A password login with a passkey beside it. */
    async logInWith(passkey: TestPasskey, given: Deviations = {}) {
      const response = assertion(passkey, (await host.due()).challenge, given)
      return post('/login', { username: 'alice', password, passkey: response })
    },
    typesOf: () => events.map(({ type }) => type).filter((type) => type.startsWith('passkey.')),
    /** Why passkeys were refused. */
    reasons: () =>
      events.flatMap((event) => (event.type === 'passkey.refused' ? [event.reason] : [])),
    sessionsOf: (userId = 'u-alice') => stores.sessions.listForUser(userId, clock()),
  }
  return host
}

function headersOf(body: object | undefined, token: string | undefined) {
  return {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  }
}

function secretsIn({ authToken, refreshToken, recoveryCodes = [] }: Data = {}): string[] {
  return [authToken, refreshToken, ...recoveryCodes].filter((secret) => secret !== undefined)
}

export type PasskeyHost = Awaited<ReturnType<typeof startPasskeys>>

interface Answered {
  readonly error?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>> & {
    readonly passkeyOptions?: { readonly challenge: string }
  }
  readonly data?: Data
}

interface Data {
  readonly authToken?: string
  readonly refreshToken?: string
  readonly recoveryCodes?: readonly string[]
  readonly challenge?: string
  readonly user?: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly passkey?: Readonly<Record<string, unknown>>
  readonly passkeys?: unknown
  readonly [name: string]: unknown
}
