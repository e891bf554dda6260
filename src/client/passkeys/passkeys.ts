import { type Ask, dataOf, segment } from '../account.js'
import type { AuthClient } from '../client.js'
import { AuthClientError, isRefusal } from '../errors.js'
import { type ClientParts, partsOf } from '../parts.js'
import { pause, platform } from '../platform.js'
import type { CodeNeeded, SignInResult } from '../sign-in.js'
import type { KnownPasskeys, PasskeyRequestOptions, Reauthenticated } from '../wire.js'
import {
  browser,
  type CeremonySettings,
  ceremoniesBegun,
  holdCeremony,
  isSupported,
  PasskeyError,
} from './ceremony.js'

export type { CeremonySettings } from './ceremony.js'
export { PasskeyError, type PasskeyErrorCode } from './ceremony.js'

/** A passkey of the user. */
export interface Passkey {
  readonly id: string
  readonly name: string
  /** ISO 8601, UTC, like all times here. */
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Whether the passkey can be synced to other devices. `backedUp`: whether it is synced. */
  readonly synced: boolean
  readonly backedUp: boolean
  readonly transports: readonly string[]
  /** The AAGUID of the authenticator, if it has told one. */
  readonly model: string | null
  readonly suspectedCloneAt: string | null
}

/** Options of {@link Passkeys.add}. */
export interface NewPasskey {
  /** For people, up to 100 characters. Default: `Passkey`. */
  readonly name?: string
  /** Required if the sign-in is older than ten minutes, unless `reauthenticate()` came before. */
  readonly password?: string
  /** Together with the password, if the user has a second factor. */
  readonly code?: string
  readonly signal?: CeremonySettings['signal']
}

/** An added passkey. */
export interface AddedPasskey {
  readonly passkey: Passkey
  /**
   * The recovery codes come with the first passkey of a user without another second factor. Never
   * shown again.
   */
  readonly recoveryCodes?: readonly string[]
}

/** Passkeys. Throws PasskeyError if the browser fails, AuthClientError if the server refuses. */
export interface Passkeys {
  /** Whether this browser supports passkeys on this page. */
  isSupported(): boolean
  /** Whether it can suggest passkeys in a field with `autocomplete="username webauthn"`. */
  hasSuggestions(): Promise<boolean>
  /**
   * Signs in with a passkey and stores the tokens. `conditional`: waits until the user chooses one
   * among the suggestions of a field; another ceremony or the `signal` ends the wait.
   */
  signIn(settings?: CeremonySettings): Promise<SignInResult>
  /** Uses a passkey instead of the code that `signIn` asks for, if its `methods` allow. */
  submit(asked: CodeNeeded, settings?: Pick<CeremonySettings, 'signal'>): Promise<SignInResult>
  list(): Promise<readonly Passkey[]>
  /** Throws `reauthentication-required`: ask for the password, or call `reauthenticate()`. */
  add(asked?: NewPasskey): Promise<AddedPasskey>
  rename(id: string, name: string): Promise<void>
  /** Also ends the user's other sessions. Throws `last-sign-in-method` for the only one left. */
  remove(id: string): Promise<void>
  /**
   * Reauthenticates with a passkey, for requests that require a fresh sign-in. With a password, use
   * `client.reauthenticate`.
   */
  reauthenticate(settings?: Pick<CeremonySettings, 'signal'>): Promise<Reauthenticated>
}

/**
 * Passkeys for a client of the router, in browsers.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { passkeys } from 'messaging-auth-router/client/passkeys'
 *
 * const client = createAuthClient({ baseUrl: '/api/v1' })
 * const result = await passkeys(client).signIn()
 * ```
 */
export function passkeys(client: AuthClient): Passkeys {
  const parts = partsOf(client)
  const ask = dataOf(parts.call)
  return {
    isSupported,
    hasSuggestions: async () =>
      (await browser.PublicKeyCredential?.isConditionalMediationAvailable?.()) ?? false,
    signIn: (settings = {}) => signIn(parts, settings),
    submit: (asked, settings) => submit(asked, settings),
    list: async () => (await ask<{ passkeys: Passkey[] }>('GET', path)).passkeys,
    add: (asked = {}) => add(ask, asked),
    rename: async (id, name) => void (await ask('POST', `${path}/${segment(id)}`, { name })),
    remove: (id) => remove(parts, ask, id),
    async reauthenticate(settings) {
      const options = await ask<PasskeyRequestOptions>('POST', '/auth/passkey/options', {})
      return client.reauthenticate({ passkey: await holdCeremony('get', options, settings) })
    },
  }
}

const path = '/auth/passkeys'

function optionsForAnybody({ transport, withRetry }: ClientParts): Promise<PasskeyRequestOptions> {
  return dataOf((request) => withRetry(() => transport.ask(request)))(
    'POST',
    '/auth/passkey/options',
    {},
  )
}

async function signIn(parts: ClientParts, settings: CeremonySettings): Promise<SignInResult> {
  const newOptions = () => optionsForAnybody(parts)
  const { options, response } = settings.conditional
    ? await showSuggestions(newOptions, settings)
    : await inWindow(newOptions, settings)
  const login = parts.signInBy('/auth/passkey/login', { response }, ({ passkeys: known }) => {
    if (known !== undefined) signalAccepted(known)
  })
  return login.catch((error: unknown) => {
    const isUnknown =
      error instanceof AuthClientError && error.details['signal'] === 'unknown-credential'
    if (isUnknown) signalUnknown(options.rpId, (response as { readonly id: string }).id)
    throw error
  })
}

async function inWindow(
  newOptions: () => Promise<PasskeyRequestOptions>,
  settings: CeremonySettings,
) {
  const options = await newOptions()
  return { options, response: await holdCeremony('get', options, settings) }
}

async function submit(
  { passkeyOptions, submit: send }: CodeNeeded,
  settings: CeremonySettings | undefined,
): Promise<SignInResult> {
  if (passkeyOptions === undefined)
    throw new TypeError('passkeys.submit: this user has no passkey to show.')
  return send({ passkey: await holdCeremony('get', passkeyOptions, settings) })
}

async function add(ask: Ask, asked: NewPasskey): Promise<AddedPasskey> {
  const { name, signal, ...proof } = asked
  const options = await ask<object>('POST', `${path}/options`, proof)
  const response = await holdCeremony('create', options, signal === undefined ? {} : { signal })
  const named = name === undefined ? {} : { name }
  return ask('POST', path, { response, ...named })
}

async function remove(parts: ClientParts, ask: Ask, id: string): Promise<void> {
  await ask('DELETE', `${path}/${segment(id)}`)
  if (!takesSignals()) return
  const { rpId } = await optionsForAnybody(parts).catch(() => ({ rpId: null }))
  if (rpId !== null) signalUnknown(rpId, id)
}

// WebAuthn Level 3 §5.1.10.1: keeps the list of the browser up to date. Failures are ignored.

/** Lets the browser forget a passkey that the server does not know. */
function signalUnknown(rpId: string, credentialId: string): void {
  void quietly(() => browser.PublicKeyCredential?.signalUnknownCredential?.({ rpId, credentialId }))
}

/** Lets the browser forget all other passkeys of the user. */
function signalAccepted({ rpId, userHandle, credentialIds }: KnownPasskeys): void {
  const accepted = { rpId, userId: userHandle, allAcceptedCredentialIds: credentialIds }
  void quietly(() => browser.PublicKeyCredential?.signalAllAcceptedCredentials?.(accepted))
}

/** Whether the browser supports these signals. */
function takesSignals(): boolean {
  return browser.PublicKeyCredential?.signalUnknownCredential !== undefined
}

async function quietly(work: () => Promise<void> | undefined): Promise<void> {
  try {
    await work()
  } catch {
    // The list shows an unusable passkey, which does no harm.
  }
}

/** Milliseconds. The server's options expire after five minutes; a form may be open longer. */
const renewMs = 240_000

/** Seconds between attempts while the server is unreachable. */
const retryAfter = 15

/** A passkey that the user has chosen, and the options it answers. */
interface Shown {
  readonly options: PasskeyRequestOptions
  readonly response: object
}

/**
 * Waits until the user chooses a passkey among the suggestions of a field. Requests new options
 * before the old ones expire. Ends if another ceremony begins.
 */
async function showSuggestions(
  newOptions: () => Promise<PasskeyRequestOptions>,
  { signal }: Pick<CeremonySettings, 'signal'>,
): Promise<Shown> {
  let begun = ceremoniesBegun()
  let options = await newOptions()
  for (;;) {
    if (begun !== ceremoniesBegun()) throw new PasskeyError('aborted')
    const response = await showFor(options, signal)
    if (response !== null) return { options, response }
    begun = ceremoniesBegun()
    options = await optionsWhenReachable(newOptions, signal)
  }
}

async function optionsWhenReachable(
  newOptions: () => Promise<PasskeyRequestOptions>,
  signal: CeremonySettings['signal'],
): Promise<PasskeyRequestOptions> {
  for (;;) {
    try {
      return await newOptions()
    } catch (error) {
      if (!isRefusal(error, 'unreachable')) throw error
    }
    await pause(retryAfter, signal).catch((cause: unknown) => {
      throw new PasskeyError('aborted', cause)
    })
  }
}

/** Null: the options expire soon. */
async function showFor(
  options: PasskeyRequestOptions,
  signal: CeremonySettings['signal'],
): Promise<object | null> {
  const stopping = new browser.AbortController()
  const stop = () => stopping.abort()
  let isOver = false
  const timer = platform.setTimeout(() => {
    isOver = true
    stop()
  }, renewMs)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    return await holdCeremony('get', options, { signal: stopping.signal, conditional: true })
  } catch (error) {
    if (isOver && !signal?.aborted && isAbort(error)) return null
    throw error
  } finally {
    platform.clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

const isAbort = (error: unknown) => error instanceof PasskeyError && error.code === 'aborted'
