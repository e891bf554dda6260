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
export function ceremonyError(cause: unknown, isAborted: boolean): PasskeyError {
  if (cause instanceof PasskeyError) return cause
  const { name = '' } = Object(cause) as { readonly name?: string }
  return new PasskeyError(isAborted ? 'aborted' : (codesByName[name] ?? 'failed'), cause)
}
