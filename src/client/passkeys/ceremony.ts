import { type BasicSignal, platform } from '../platform.js'
import { browser, type Credential } from './browser.js'
import { credentialToJson, optionsFromJson } from './credential-json.js'
import { ceremonyError, PasskeyError } from './passkey-error.js'

/** How a ceremony is done. */
export interface CeremonySettings {
  /** Ends it: it then throws PasskeyError `aborted`. */
  readonly signal?: BasicSignal
  /** Passkeys stand in the suggestions of a field, instead of in a window. */
  readonly conditional?: boolean
}

let running: { abort(reason?: unknown): void } | null = null
let begun = 0

/** How many have begun on this page: who waits for the server can tell that another has since. */
export function ceremoniesBegun(): number {
  return begun
}

/**
 * Asks the browser for a passkey, or for a new one; answers it as JSON. Throws PasskeyError. A
 * browser does one at a time: what was begun before, such as suggestions, is ended.
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
 * Whether this browser has passkeys at all: pages of HTTPS, and of `localhost`. At an address in
 * numbers it has the functions, and they refuse.
 */
export function isSupported(): boolean {
  const origin = platform.location?.origin ?? ''
  return browser.PublicKeyCredential !== undefined && !numeric.test(origin)
}

const numeric = /^https?:\/\/(?:[\d.]+|\[.*\])(?::\d+)?$/
