import { type Ask, dataOf, noteEnrolled, segment } from '../account.js'
import type { AuthClient } from '../client.js'
import { AuthClientError } from '../errors.js'
import { type ClientParts, partsOf } from '../parts.js'
import type { CodeNeeded, SignInResult } from '../sign-in.js'
import type { PasskeyRequestOptions, Reauthenticated } from '../wire.js'
import { browser } from './browser.js'
import { type CeremonySettings, holdCeremony, isSupported } from './ceremony.js'
import { showSuggestions } from './conditional.js'
import { signalAccepted, signalUnknown, takesSignals } from './signals.js'

export type { CeremonySettings } from './ceremony.js'
export { PasskeyError, type PasskeyErrorCode } from './passkey-error.js'

/** A passkey of the user. */
export interface Passkey {
  readonly id: string
  readonly name: string
  /** ISO 8601, UTC, as all times here. */
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Whether it may be on several devices, and whether it is. */
  readonly synced: boolean
  readonly backedUp: boolean
  readonly transports: readonly string[]
  /** The AAGUID of the authenticator, where it says one. */
  readonly model: string | null
  readonly suspectedCloneAt: string | null
}

/** What a new passkey is to be, and who asks for it. */
export interface NewPasskey {
  /** For the user, up to 100 characters. Default: `Passkey`. */
  readonly name?: string
  /** Needed where the sign-in is older than ten minutes; or `reauthenticate()` before. */
  readonly password?: string
  /** Beside the password, where the user has a second factor. */
  readonly code?: string
  readonly signal?: CeremonySettings['signal']
}

/** A passkey that was added. */
export interface AddedPasskey {
  readonly passkey: Passkey
  /** Shown this once: with the first passkey of a user without another second factor. */
  readonly recoveryCodes?: readonly string[]
}

/** Passkeys. What the browser refuses throws PasskeyError; the rest AuthClientError. */
export interface Passkeys {
  /** Whether this browser has passkeys on this page. */
  isSupported(): boolean
  /** Whether it shows them among the suggestions of a field: `autocomplete="username webauthn"`. */
  hasSuggestions(): Promise<boolean>
  /**
   * Signs in by one, and keeps the tokens. `conditional`: waits until the user chooses one among
   * the suggestions of a field; another ceremony or the `signal` ends the wait.
   */
  signIn(settings?: CeremonySettings): Promise<SignInResult>
  /** Shows one in the place of the code that `signIn` asks for; see `methods` there. */
  submit(asked: CodeNeeded, settings?: Pick<CeremonySettings, 'signal'>): Promise<SignInResult>
  list(): Promise<readonly Passkey[]>
  /** Throws `reauthentication-required`: ask for the password, or `reauthenticate()`. */
  add(asked?: NewPasskey): Promise<AddedPasskey>
  rename(id: string, name: string): Promise<void>
  /** Ends the other sessions of the user. Throws `last-sign-in-method` for the only way in. */
  remove(id: string): Promise<void>
  /**
   * Proves anew who one is, for what asks for a fresh sign-in. By a password it is done with
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
    add: (asked = {}) => add(parts, ask, asked),
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

async function add({ keeper }: ClientParts, ask: Ask, asked: NewPasskey): Promise<AddedPasskey> {
  const { name, signal, ...proof } = asked
  const options = await ask<object>('POST', `${path}/options`, proof)
  const response = await holdCeremony('create', options, signal === undefined ? {} : { signal })
  const named = name === undefined ? {} : { name }
  const added = await ask<AddedPasskey>('POST', path, { response, ...named })
  await noteEnrolled(keeper)
  return added
}

async function remove(parts: ClientParts, ask: Ask, id: string): Promise<void> {
  await ask('DELETE', `${path}/${segment(id)}`)
  if (!takesSignals()) return
  const { rpId } = await optionsForAnybody(parts).catch(() => ({ rpId: null }))
  if (rpId !== null) signalUnknown(rpId, id)
}
