import { type BasicSignal, platform } from '../platform.js'
import { browser, type Credential } from './browser.js'
import { credentialToJson, optionsFromJson } from './credential-json.js'
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
