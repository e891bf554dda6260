import { type Ask, dataOf, segment } from '../account.js'
import type { AuthClient } from '../client.js'
import { noAnswer } from '../errors.js'
import {
  type Begun,
  type BegunStore,
  defaultBegunStore,
  keepBegun,
  takeBegun,
} from '../oauth/begun.js'
import { OAuthError, queryOf, toldError } from '../oauth/query.js'
import { challengeOf, newSecret } from '../oauth/steps.js'
import { type ClientParts, partsOf } from '../parts.js'
import { originOf } from '../platform.js'
import type { SignInResult } from '../sign-in.js'
import type { ConnectedIdentity, Proof, SignInProvider } from '../wire.js'

export type { BegunStore } from '../oauth/begun.js'
export { OAuthError, type OAuthErrorCode } from '../oauth/query.js'
export type { ConnectedIdentity, SignInProvider } from '../wire.js'

/** Options of {@link providers}. */
export interface ProvidersClientOptions {
  /** The issuer in the server's answers. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Storage of sign-ins that have begun. Default: `sessionStorage`, or memory without it. */
  readonly begun?: BegunStore
}

/** The result of a sign-in, and the text that `start` was given. */
export type ProviderSignIn = SignInResult & { readonly carry: string | null }

/** The options of `finish`. */
export interface ProviderFinish {
  /** For a new user, after `username-taken`. */
  readonly username?: string
}

/** A connected account, and the text that `start` was given. */
export interface Connected {
  readonly identity: ConnectedIdentity
  readonly carry: string | null
}

/** The proof that a start may need: a password, with a code if there is a factor; or a passkey. */
export interface ConnectStart extends ProviderStart {
  readonly password?: string
  readonly code?: string
  readonly passkey?: object
}

/** The accounts at providers that the signed-in user is connected with. */
export interface Identities {
  list(): Promise<readonly ConnectedIdentity[]>
  /**
   * Begins to connect an account; resolves with the address to send the browser to. Throws
   * `reauthentication-required` if the sign-in is older than ten minutes: ask for a proof.
   */
  start(provider: string, options: ConnectStart): Promise<string>
  /** Whether an address is an answer to such a start. */
  isAnswer(address: string): boolean
  /**
   * Connects the account. The same sign-in as at the start is required. Throws OAuthError, and
   * AuthClientError: `identity-in-use` if another user is connected with it.
   */
  finish(address: string): Promise<Connected>
  /**
   * Disconnects one, and ends the sessions that it has opened. Throws `last-sign-in-method`, and
   * `reauthentication-required`: call it again with a proof.
   */
  remove(id: string, proof?: Proof): Promise<void>
}

/** Sign-in with the account of a provider. */
export interface ProvidersClient {
  /** The providers of the server, in the order of their buttons. */
  list(): Promise<readonly SignInProvider[]>
  /** Begins a sign-in; resolves with the address to send the browser to, within ten minutes. */
  start(provider: string, options: ProviderStart): Promise<string>
  /** Whether an address is an answer to such a start. */
  isAnswer(address: string): boolean
  /**
   * Signs in by such an address, within two minutes, and stores the tokens in the client. Throws
   * OAuthError: `access_denied` if the user has cancelled, `provider_refused`, `not-begun`. Throws
   * AuthClientError: `provider-refused` if no user is connected with the account, `forbidden`,
   * `proof-refused` if it took too long; `username-taken` for a new user: call it again with the
   * same address and another `username`.
   */
  finish(address: string, options?: ProviderFinish): Promise<ProviderSignIn>
  readonly identities: Identities
}

/**
 * Signs users in with their account at a provider, such as Google, in a client with pages of its
 * own. Only if the server has the option `providers`.
 *
 * @example
 * ```ts
 * import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
 * import { providers } from 'messaging-auth-router/client/providers'
 *
 * const client = createAuthClient({
 *   baseUrl: 'https://chat.example.com/api/v1',
 *   storage: localStorageStore(),
 * })
 * const elsewhere = providers(client)
 * const returnTo = 'https://chat.example.com/signed-in'
 * const address = await elsewhere.start('google', { returnTo })
 * ```
 */
export function providers(
  client: AuthClient,
  options: ProvidersClientOptions = {},
): ProvidersClient {
  const parts = partsOf(client)
  const { transport, withRetry, baseUrl } = parts
  const issuer = options.issuer ?? originOf(baseUrl)
  const store = options.begun ?? defaultBegunStore()
  const flows = createFlows('provider.', issuer, store)
  const ask = dataOf((request) => withRetry(() => transport.ask(request)))
  const finishOnce = once((address: string, username?: string) =>
    signInBy(parts, flows, address, username),
  )
  return {
    list: async () => (await ask<{ providers: SignInProvider[] }>('GET', path)).providers,
    start: (provider, start) =>
      flows.begin(start, (body) => ask('POST', `${path}/${segment(provider)}/start`, body)),
    isAnswer: flows.isAnswer,
    finish: (address, options) => finishOnce(address, options?.username),
    identities: createIdentities(dataOf(parts.call), createFlows('identity.', issuer, store)),
  }
}

const path = '/auth/providers'

async function signInBy(
  parts: ClientParts,
  flows: Flows,
  address: string,
  username: string | undefined,
): Promise<ProviderSignIn> {
  const ended = await flows.end(address)
  const named = username === undefined ? {} : { username }
  const result = await unlessFinal(ended, () =>
    parts.signInBy(`${path}/finish`, { ...ended.proof, ...named }),
  )
  return { ...result, carry: ended.carry }
}

function createIdentities(ask: Ask, flows: Flows): Identities {
  const ofUser = '/auth/identities'
  const finishOnce = once(async (address: string) => {
    const ended = await flows.end(address)
    const { identity } = await unlessFinal(ended, () =>
      ask<{ identity: ConnectedIdentity }>('POST', ofUser, ended.proof),
    )
    return { identity, carry: ended.carry }
  })
  return {
    list: async () => (await ask<{ identities: ConnectedIdentity[] }>('GET', ofUser)).identities,
    start: (provider, { returnTo, carry, ...proof }) =>
      flows.begin(carry === undefined ? { returnTo } : { returnTo, carry }, (body) =>
        ask('POST', `${ofUser}/${segment(provider)}`, { ...proof, ...body }),
      ),
    isAnswer: flows.isAnswer,
    finish: (address) => finishOnce(address),
    remove: async (id, proof) => void (await ask('DELETE', `${ofUser}/${segment(id)}`, proof)),
  }
}

/** After these the ticket may still be good, so the address may be finished again. */
const passing: readonly unknown[] = ['username-taken', 'unreachable', 'temporarily-unavailable']

async function unlessFinal<T>(ended: Ended, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Only the name is compared: a page may have loaded the core twice, in two bundles.
    if (passing.includes(Object(error).code)) await ended.putBack()
    throw error
  }
}

/** Once at a time for the same arguments: React renders components twice in development. */
function once<T>(
  work: (address: string, username?: string) => Promise<T>,
): (address: string, username?: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return function together(address, username) {
    const key = JSON.stringify([address, username])
    const result = running.get(key) ?? work(address, username)
    running.set(key, result)
    const forget = () => void running.delete(key)
    result.then(forget, forget)
    return result
  }
}

/** Options of a start. */
export interface ProviderStart {
  /**
   * The address that the browser comes back to: exactly one of the server's option
   * `providers.returnTo`.
   */
  readonly returnTo: string
  /** A text that `finish` returns, such as the user's last page. It does not leave this browser. */
  readonly carry?: string
  /**
   * Seconds within which the user must have signed in at the provider; 0: signs in there now. After
   * `reauthentication-required`. A provider that cannot say it refuses. Default: whenever.
   */
  readonly maxAge?: number
}

/** The prefix of `state`, by which the page at `returnTo` knows what has come back. */
type Purpose = 'provider.' | 'identity.'

/** Begins the flows of one purpose, and reads their answers. */
interface Flows {
  /** Resolves with the address for the browser; `ask` requests it from the server. */
  begin(start: ProviderStart, ask: (body: object) => Promise<unknown>): Promise<string>
  isAnswer(address: string): boolean
  /** Reads an answer, once. Throws OAuthError. */
  end(address: string): Promise<Ended>
}

/** An answer that was begun here. */
interface Ended {
  readonly carry: string | null
  /** Exchanges it at the server. */
  readonly proof: { readonly ticket: string; readonly codeVerifier: string }
  /** Lets the same address be finished again. */
  putBack(): Promise<void>
}

function createFlows(purpose: Purpose, issuer: string, store: BegunStore): Flows {
  function isAnswer(address: string): boolean {
    const query = queryOf(address)
    const isOurs = query.get('state')?.startsWith(purpose) ?? false
    return isOurs && (query.has('ticket') || query.has('error'))
  }

  return {
    isAnswer,

    async begin({ returnTo, carry, maxAge }, ask) {
      const [state, codeVerifier] = [`${purpose}${newSecret()}`, newSecret()]
      const codeChallenge = await challengeOf(codeVerifier)
      const url = addressIn(await ask({ returnTo, codeChallenge, state, maxAge }))
      const flow: Begun = {
        issuer,
        codeVerifier,
        nonce: null,
        maxAge: null,
        returnTo: carry ?? null,
      }
      await keepBegun(store, state, flow)
      return url
    },

    async end(address) {
      const answer = queryOf(address)
      const state = answer.get('state') ?? ''
      const begun = isAnswer(address) ? await takeBegun(store, state) : null
      // An answer begun elsewhere could sign this browser in as an attacker (login CSRF).
      if (begun === null)
        throw new OAuthError('not-begun', 'This sign-in was not begun here, or is finished.')
      // RFC 9207: the ticket of another server must not be sent to this one.
      if (answer.get('iss') !== begun.issuer)
        throw new OAuthError('wrong-issuer', 'Another server has answered.')
      const error = answer.get('error')
      if (error !== undefined) throw errorOf(error)
      const { codeVerifier, returnTo: carry } = begun
      const proof = { ticket: answer.get('ticket') ?? '', codeVerifier }
      return { carry, proof, putBack: () => keepBegun(store, state, begun) }
    },
  }
}

function errorOf(error: string): OAuthError {
  if (error !== 'provider_refused') return toldError(error, undefined)
  return new OAuthError(error, 'This account was refused.')
}

function addressIn(answer: unknown): string {
  const { url } = Object(answer) as { readonly url?: unknown }
  if (typeof url === 'string' && /^https?:\/\//.test(url)) return url
  throw noAnswer()
}
