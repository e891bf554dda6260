import { type BasicSignal, fromBase64Url, platform, toBase64Url } from '../platform.js'

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

// WebAuthn Level 3 §5.1.8 to §5.1.10, in browsers since 2023 to 2025. In older browsers, this code
// does it.

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

/**
 * Why the browser returned no passkey.
 * - `cancelled`: the user has closed the dialog, has no passkey, or let the time pass; browsers do
 *   not tell which;
 * - `aborted`: by the `signal`, or because another ceremony began;
 * - `exists`: this device already has a passkey of this user;
 * - `not-supported`: the browser does not support passkeys, or not this kind;
 * - `failed`: anything else, such as a page of a wrong domain; see `cause`.
 */
export type PasskeyErrorCode = 'cancelled' | 'aborted' | 'exists' | 'not-supported' | 'failed'

const messages: Readonly<Record<PasskeyErrorCode, string>> = {
  cancelled: 'No passkey was shown.',
  aborted: 'The passkey is not asked for any more.',
  exists: 'This device has a passkey of yours already.',
  'not-supported': 'This browser cannot use passkeys here.',
  failed: 'The browser could not use a passkey.',
}

/** The browser returned no passkey. The server was not asked, so nothing has changed. */
export class PasskeyError extends Error {
  override readonly name: string = 'PasskeyError'
  /** The stable name. Compare this, never `message`. */
  readonly code: PasskeyErrorCode

  constructor(code: PasskeyErrorCode, cause?: unknown) {
    super(messages[code], cause === undefined ? undefined : { cause })
    this.code = code
  }
}

// WebAuthn Level 3 §5.1.3 and §5.1.4 define when each is thrown.
const codesByName: Readonly<Record<string, PasskeyErrorCode>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'aborted',
  InvalidStateError: 'exists',
  NotSupportedError: 'not-supported',
  ConstraintError: 'not-supported',
}

/** Converts the exception of a ceremony. */
function ceremonyError(cause: unknown, isAborted: boolean): PasskeyError {
  if (cause instanceof PasskeyError) return cause
  const { name = '' } = Object(cause) as { readonly name?: string }
  return new PasskeyError(isAborted ? 'aborted' : (codesByName[name] ?? 'failed'), cause)
}

/** The parts of the browser used for passkeys, typed as in platform.ts. */
export interface PasskeyBrowser {
  readonly navigator?: { readonly credentials?: CredentialsContainer }
  readonly PublicKeyCredential?: CredentialClass
  readonly AbortController: new () => {
    readonly signal: BasicSignal
    abort(reason?: unknown): void
  }
}

interface CredentialsContainer {
  get(options: CeremonyOptions): Promise<Credential | null>
  create(options: CeremonyOptions): Promise<Credential | null>
}

/** The argument of `navigator.credentials.get` and `create`. */
export interface CeremonyOptions {
  readonly publicKey: unknown
  readonly mediation?: 'conditional'
  readonly signal: BasicSignal
}

interface CredentialClass {
  isConditionalMediationAvailable?(): Promise<boolean>
  parseRequestOptionsFromJSON?(options: object): unknown
  parseCreationOptionsFromJSON?(options: object): unknown
  signalUnknownCredential?(options: object): Promise<void>
  signalAllAcceptedCredentials?(options: object): Promise<void>
}

/** The result of a ceremony. */
export interface Credential {
  readonly id: string
  readonly type: string
  readonly rawId: ArrayBuffer
  readonly response: {
    readonly clientDataJSON: ArrayBuffer
    readonly attestationObject?: ArrayBuffer
    readonly authenticatorData?: ArrayBuffer
    readonly signature?: ArrayBuffer
    readonly userHandle?: ArrayBuffer | null
    getTransports?(): string[]
  }
  toJSON?(): object
}

/** The browser. Its members are read at each use, since extensions replace them. */
export const browser: PasskeyBrowser = globalThis as unknown as PasskeyBrowser
