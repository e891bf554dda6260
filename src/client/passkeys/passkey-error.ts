/**
 * Why the browser gave no passkey.
 * - `cancelled`: the user has closed the window, or has none, or let the time pass: browsers do not
 *   tell which;
 * - `aborted`: by the `signal`, or by another ceremony that began;
 * - `exists`: this device has a passkey of this user already;
 * - `not-supported`: the browser has no passkeys, or none as they are asked for;
 * - `failed`: anything else, such as a page of a domain that they are not made for; see `cause`.
 */
export type PasskeyErrorCode = 'cancelled' | 'aborted' | 'exists' | 'not-supported' | 'failed'

const messages: Readonly<Record<PasskeyErrorCode, string>> = {
  cancelled: 'No passkey was shown.',
  aborted: 'The passkey is not asked for any more.',
  exists: 'This device has a passkey of yours already.',
  'not-supported': 'This browser cannot use passkeys here.',
  failed: 'The browser could not use a passkey.',
}

/** The browser gave no passkey; the server has not been asked, and nothing has changed. */
export class PasskeyError extends Error {
  override readonly name: string = 'PasskeyError'
  /** The stable name. Compare this, never `message`. */
  readonly code: PasskeyErrorCode

  constructor(code: PasskeyErrorCode, cause?: unknown) {
    super(messages[code], cause === undefined ? undefined : { cause })
    this.code = code
  }
}

// WebAuthn Level 3 §5.1.3 and §5.1.4 tell what is thrown when.
const codesByName: Readonly<Record<string, PasskeyErrorCode>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'aborted',
  InvalidStateError: 'exists',
  NotSupportedError: 'not-supported',
  ConstraintError: 'not-supported',
}

/** What a ceremony threw, by its stable name. */
export function ceremonyError(cause: unknown, isAborted: boolean): PasskeyError {
  if (cause instanceof PasskeyError) return cause
  const { name = '' } = Object(cause) as { readonly name?: string }
  return new PasskeyError(isAborted ? 'aborted' : (codesByName[name] ?? 'failed'), cause)
}
