// A router with a provider that says whatever the test wants, and a browser that goes there.
import supertest from 'supertest'
import type { AuthRouterOptions, ProvidersOptions } from '../../src/index.js'
import type { FinishedFlow, Identity, Provider } from '../../src/providers/contract.js'
import { pkcePair, post } from '../support/client.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'

export const returnTo = 'https://chat.example.com/signed-in'
export const alsoReturnTo = 'com.example.chat:/signed-in'

/** Who comes back from the provider, unless a test says otherwise. */
export const ada: Identity = {
  issuer: 'https://idp.example.com',
  subject: 'ada-1815',
  email: 'ada@example.com',
  emailVerified: true,
  name: 'Ada Lovelace',
  username: 'ada',
}

/** A provider of the test. */
export interface FakeProvider extends Provider {
  /** What it answers: by default that it is ada. */
  answer: FinishedFlow | (() => Promise<FinishedFlow>)
  /** What it was asked. */
  readonly asked: { start: unknown[]; finish: unknown[] }
}

/** Makes one. */
export function fakeProvider(given: Partial<Provider> = {}): FakeProvider {
  const asked: FakeProvider['asked'] = { start: [], finish: [] }
  return {
    id: 'fake',
    name: 'Fake',
    answer: { outcome: 'identified', identity: ada },
    asked,
    async start(flow) {
      asked.start.push(flow)
      const url = `https://idp.example.com/authorize?state=${flow.state}`
      return { url, keep: { nonce: `nonce of ${flow.state}` } }
    },
    async finish(flow) {
      asked.finish.push(flow)
      return typeof this.answer === 'function' ? this.answer() : this.answer
    },
    ...given,
  }
}

export interface ProviderHost extends TestHost {
  readonly provider: FakeProvider
}

export interface ProviderSettings extends Omit<HostSettings, 'options'> {
  /** What starts the host, such as one with pages. */
  readonly start?: typeof startHost
  readonly provider?: FakeProvider
  readonly providers?: Partial<ProvidersOptions>
  readonly options?: Partial<AuthRouterOptions>
}

/** Starts it with alice, who is connected with nobody. */
export async function startProviders(settings: ProviderSettings = {}): Promise<ProviderHost> {
  const { provider = fakeProvider(), providers, options, start = startHost, ...others } = settings
  const host = await start({
    ...others,
    options: {
      providers: {
        baseUrl: 'https://chat.example.com/api/v1',
        list: [provider],
        returnTo: [returnTo, alsoReturnTo],
        ...providers,
      },
      ...options,
    },
  })
  // Named by digests.
  host.issued.add(ada.subject)
  return { ...host, provider }
}

/** A browser: its cookies. */
export interface Browser {
  /** Opens an address of the router, and keeps the cookies. */
  open(url: string): Promise<supertest.Response>
  cookie: string
}

export function browser(host: TestHost): Browser {
  const self: Browser = {
    cookie: '',
    async open(url) {
      const path = url.replace(/^https:\/\/chat\.example\.com\/api\/v1/, '')
      const response = await supertest(host.url).get(path).set('Cookie', self.cookie)
      const [set = ''] = [response.headers['set-cookie'] ?? []].flat()
      if (set !== '') self.cookie = set.split(';')[0] ?? ''
      rememberSecrets(host, self.cookie, response.headers['location'])
      return response
    },
  }
  return self
}

// None of them may come to stand in the log or the events, which a host looks at when its test is
// over.
function rememberSecrets({ issued }: TestHost, cookie: string, location = ''): void {
  const found = `${cookie};${location}`.matchAll(/(?:mar_up=|state=|ticket=)([\w-]{20,})/g)
  for (const [, secret = ''] of found) issued.add(secret)
}

/** A flow that a client has begun in a browser. */
export interface Begun {
  readonly codeVerifier: string
  /** Where the provider sends the browser. */
  readonly callback: string
  readonly state: string
  /** The address of the provider. */
  readonly there: URL
  readonly browser: Browser
}

/** Begins a sign-in, up to the form of the provider. */
export async function begin(host: ProviderHost, used = browser(host)): Promise<Begun> {
  const { codeVerifier, codeChallenge } = pkcePair()
  host.issued.add(codeVerifier)
  const { body } = await post(host, `/auth/providers/${host.provider.id}/start`, {
    returnTo,
    codeChallenge,
    state: 'state of the client',
  }).expect(200)
  return { codeVerifier, ...(await lead(host, body.data.url, used)) }
}

/** Opens the address of a start. */
export async function lead(host: ProviderHost, url: string, used: Browser) {
  const { headers } = await used.open(url)
  const there = new URL(String(headers['location']))
  const state = there.searchParams.get('state') ?? ''
  return {
    there,
    callback: `/auth/providers/${host.provider.id}/callback?state=${state}`,
    state,
    browser: used,
  }
}

/** What the client was told at `returnTo`. */
export interface CameBack {
  readonly ticket: string
  readonly error: string | null
  readonly state: string | null
  readonly iss: string | null
}

/** The browser comes back. */
export async function comeBack({ browser: used, callback }: Begun): Promise<CameBack> {
  const { headers } = await used.open(callback)
  const { searchParams } = new URL(String(headers['location']))
  const told = (name: string) => searchParams.get(name)
  return {
    ticket: told('ticket') ?? '',
    error: told('error'),
    state: told('state'),
    iss: told('iss'),
  }
}

export const finish = (host: TestHost, body: object) => post(host, '/auth/providers/finish', body)

/** Signs in from beginning to end. */
export async function signIn(host: ProviderHost, body: object = {}) {
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  return finish(host, { ticket, codeVerifier: begun.codeVerifier, ...body })
}

/** Connects alice, or somebody else, with ada. */
export async function connected(host: ProviderHost, userId = 'u-alice', identity = ada) {
  const { issuer, subject } = identity
  await host.stores.identities.link({
    issuer,
    subject,
    userId,
    id: `i-${subject}`,
    provider: host.provider.id,
    label: null,
    passwordMark: null,
    createdAt: host.clock(),
    lastUsedAt: null,
  })
}
