import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { watchRequest } from '../http/client-abort.js'
import { parseOptions, requireRequest } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { callable } from '../lib/check-options.js'
import type { LogIn } from '../login/log-in.js'
import { parseCredentials } from '../login/login-request.js'
import {
  type RequiredAction,
  type RequiredInAnswer,
  requiredIn,
} from '../principal/required-actions.js'
import { type SignInOptions, signInOptionsShape } from '../sessions/sign-in-options.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Me } from '../users/me.js'
import { type SessionSummary, summarizeAll } from './own-sessions.js'

/** Exactly one of the three names, a password, and the second-factor code if the user typed one. */
export interface Credentials {
  readonly user?: string
  readonly email?: string
  readonly username?: string
  readonly password: string
  readonly code?: string
  /** Whether this browser is not asked for the second factor for some days. Default false. */
  readonly remember?: boolean
  /** {@link SignedIn.rememberToken} of the last sign-in in this browser. */
  readonly rememberToken?: string
}

/** Options of a sign-in by password. */
export interface PasswordSignInOptions extends SignInOptions {
  /**
   * `password` holds the SHA-256 of the password, in hexadecimal. Needs a hasher (`passwords`) with
   * `verifyDigest`. Anybody who has seen the digest can then sign in with it. Default: `password`
   * is the password itself.
   */
  readonly digest?: 'sha-256'
  /**
   * Receives the `RateLimit-*` headers of the attempt as soon as they are known, whatever its
   * outcome. Default: they are only in the error of a limit that refuses.
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

/** `auth.signIn`. */
export function signInForHost(kit: SignInKit, logIn: LogIn): SignInForHost {
  return async function signIn(given, credentials, options = {}) {
    const incoming = requireRequest(given)
    const { tokens, lifetime, digest, onLimits } = parseOptions(schema, options)
    const request = parseCredentials(credentials, digest !== undefined)
    const context = kit.contexts.of(incoming)
    // If the client disconnects before its turn, nothing is hashed.
    const watched = watchRequest(incoming)
    try {
      const aborted = () => watched.signal
      // A limit that refuses puts its headers into the error; the answer belongs to the host.
      const setHeaders = onLimits ?? (() => {})
      const asked = { request, tokens, lifetime, context, aborted, setHeaders }
      return await toSignedIn(kit, await logIn(asked))
    } finally {
      watched.end()
    }
  }
}

/** A complete sign-in, for the host's own code. */
export interface SignedIn extends RequiredInAnswer {
  readonly userId: string
  /**
   * The authToken, or with `tokens: 'refreshable'` the access token. Clients send it as
   * `Authorization: Bearer`, or as `X-Auth-Token` with `X-User-Id`.
   */
  readonly token: string
  /** When `token` expires. */
  readonly expiresAt: Date
  /** With `tokens: 'refreshable'`: for `POST /auth/refresh`. */
  readonly refreshToken?: string
  readonly session: SessionSummary
  /**
   * The user as clients see it: `_id`, `name`, `username`, `status`, and what `describeUser` adds.
   */
  readonly me: Me
  /**
   * With `secondFactor.remember`: give it to the browser in a cookie that no script reads, and pass
   * it with its next sign-in. It stands in for the code, once.
   */
  readonly rememberToken?: string
}

/** An opened session. */
interface Opened {
  readonly session: SessionRecord
  readonly token: string
  readonly expiresAt: Date
  readonly refreshToken: string | null
  readonly me: Me
  readonly required: readonly RequiredAction[]
  readonly rememberToken: string | null
}

/** The result for the host's code. */
export async function toSignedIn(
  { countSockets }: SignInKit,
  { session, token, expiresAt, refreshToken, me, required, rememberToken }: Opened,
): Promise<SignedIn> {
  const [summary] = await summarizeAll([session], countSockets)
  return {
    userId: session.userId,
    token,
    expiresAt,
    session: summary as SessionSummary,
    me,
    ...(refreshToken === null ? {} : { refreshToken }),
    ...requiredIn(required),
    ...(rememberToken === null ? {} : { rememberToken }),
  }
}
