import { type BasicSignal, fromBase64Url, platform, toBase64Url } from '../platform.js'
import { browser, type Credential } from './browser.js'
import { ceremonyError, PasskeyError } from './passkey-error.js'

/** Options of a ceremony. */
export interface CeremonySettings {
  /** Ends the ceremony, which then throws PasskeyError `aborted`. */
  readonly signal?: BasicSignal
  /** Offers passkeys in the suggestions of a field instead of a dialog. */
  readonly conditional?: boolean
}

let running: { abort(reason?: unknown): void } | null = null
let begun = 0

/** Number of ceremonies begun on this page, to notice that another has begun meanwhile. */
export function ceremoniesBegun(): number {
  return begun
}

/**
 * Asks the browser for a passkey, or for a new one; resolves with it as JSON. Throws PasskeyError.
 * A browser runs one ceremony at a time, so this ends an earlier one, such as suggestions.
 */
export async function holdCeremony(
  kind: 'get' | 'create',
  options: object,
  settings?: CeremonySettings,
): Promise<object> {
  const signal = settings?.signal
  const container = browser.navigator?.credentials
  if (!isSupported() || container === undefined) throw new PasskeyError('not-supported')
  const stopping = new browser.AbortController()
  const stop = () => stopping.abort()
  running?.abort()
  running = stopping
  begun += 1
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    const credential: Credential | null = await container[kind]({
      publicKey: optionsFromJson(kind, options),
      ...(settings?.conditional === true ? { mediation: 'conditional' } : {}),
      signal: stopping.signal,
    })
    if (credential === null) throw new PasskeyError('cancelled')
    return credentialToJson(credential)
  } catch (cause) {
    throw ceremonyError(cause, stopping.signal.aborted)
  } finally {
    signal?.removeEventListener('abort', stop)
    if (running === stopping) running = null
  }
}

/**
 * Whether this browser supports passkeys on this page: HTTPS or `localhost`. On an IP address the
 * functions exist but always fail.
 */
export function isSupported(): boolean {
  const origin = platform.location?.origin ?? ''
  return browser.PublicKeyCredential !== undefined && !numeric.test(origin)
}

const numeric = /^https?:\/\/(?:[\d.]+|\[.*\])(?::\d+)?$/

// WebAuthn Level 3 §5.1.8 to §5.1.10, in browsers since 2023 to 2025; by hand in older ones.

/** A passkey or user in options. */
interface Named {
  readonly id: string
}

/** Converts options of the server for `navigator.credentials`. */
function optionsFromJson(kind: 'get' | 'create', options: object): unknown {
  const { PublicKeyCredential } = browser
  if (kind === 'get' && PublicKeyCredential?.parseRequestOptionsFromJSON)
    return PublicKeyCredential.parseRequestOptionsFromJSON(options)
  if (kind === 'create' && PublicKeyCredential?.parseCreationOptionsFromJSON)
    return PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return byHand(options)
}

function byHand(options: object): object {
  const { challenge, user, allowCredentials, excludeCredentials } = options as {
    readonly challenge: string
    readonly user?: Named
    readonly allowCredentials?: readonly Named[]
    readonly excludeCredentials?: readonly Named[]
  }
  return {
    ...options,
    challenge: fromBase64Url(challenge),
    ...(user && { user: withBytes(user) }),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(withBytes) }),
    ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(withBytes) }),
  }
}

const withBytes = (named: Named) => ({ ...named, id: fromBase64Url(named.id) })

/** Converts the result of a ceremony for the server. */
function credentialToJson(credential: Credential): object {
  try {
    if (credential.toJSON) return credential.toJSON()
  } catch {
    // Password managers return their own objects, and some of them throw here.
  }
  const { id, type, rawId, response } = credential
  const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = response
  const bytes = { clientDataJSON, attestationObject, authenticatorData, signature, userHandle }
  const encoded = Object.entries(bytes).flatMap(([name, value]) =>
    value ? [[name, toBase64Url(value)]] : [],
  )
  const transports = attestationObject ? { transports: response.getTransports?.() ?? [] } : {}
  return {
    id,
    type,
    rawId: toBase64Url(rawId),
    clientExtensionResults: {},
    response: { ...Object.fromEntries(encoded), ...transports },
  }
}
