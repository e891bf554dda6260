import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { invalidRequest } from '../errors.js'
import { watchRequest } from '../http/client-abort.js'
import { requireOptions, requireRequest } from '../http/host-input.js'
import type { Contexts } from '../http/request-context.js'
import { callable } from '../lib/check-options.js'
import type { LogIn } from '../login/log-in.js'
import { parseCredentials } from '../login/login-request.js'
import { type SignInOptions, signInOptionsShape } from '../sessions/sign-in-options.js'
import type { Summarize } from './sessions.endpoint.js'
import { type SignedIn, toSignedIn } from './signed-in.js'

/** Exactly one name, a password, and the second-factor code where the user typed one. */
export interface Credentials {
  readonly user?: string
  readonly email?: string
  readonly username?: string
  readonly password: string
  readonly code?: string
}

/** What the host may say about a sign-in by password. */
export interface PasswordSignInOptions extends SignInOptions {
  /**
   * `password` is not the password, but its SHA-256 in hexadecimal. Needs `passwords` with
   * `verifyDigest`. Whoever has seen the digest anywhere can then sign in with it. Default: it is
   * the password.
   */
  readonly digest?: 'sha-256'
  /**
   * Takes the headers `RateLimit-*` of the attempt, as soon as they are known, whatever becomes of
   * it. Default: they are in the error where a limit refuses, and nowhere else.
   */
  onLimits?(headers: Readonly<Record<string, string>>): void
}

/** Signs a user in by a password, for the host's own code. */
export type SignInForHost = (
  request: IncomingMessage,
  credentials: Credentials,
  options?: PasswordSignInOptions,
) => Promise<SignedIn>

const schema = z.strictObject({
  ...signInOptionsShape,
  digest: z.literal('sha-256').optional(),
  onLimits: callable<NonNullable<PasswordSignInOptions['onLimits']>>().optional(),
})

/** Makes `auth.signIn`. */
export function createSignInForHost(
  logIn: LogIn,
  contexts: Pick<Contexts, 'of'>,
  summarize: Summarize,
): SignInForHost {
  return async function signIn(given, credentials, options = {}) {
    const incoming = requireRequest(given)
    const parsed = schema.safeParse(requireOptions(options))
    if (!parsed.success) {
      throw invalidRequest(
        parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
      )
    }
    const { tokens, lifetime, digest, onLimits } = parsed.data
    const request = parseCredentials(credentials, digest !== undefined)
    const context = contexts.of(incoming)
    // A client that hangs up before its turn costs no hash.
    const watched = watchRequest(incoming)
    try {
      const aborted = () => watched.signal
      // What the limits say is in the error where they refuse; the answer is the host's.
      const setHeaders = onLimits ?? (() => {})
      const asked = { request, tokens, lifetime, context, aborted, setHeaders }
      return await toSignedIn(await logIn(asked), summarize)
    } finally {
      watched.end()
    }
  }
}
