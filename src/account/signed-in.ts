import type { SessionRecord } from '../stores/contract.js'
import type { Me } from '../users/me.js'
import type { SessionSummary } from './sessions.endpoint.js'

/** A complete sign-in, for the host's own code. */
export interface SignedIn {
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
  /** True if the user must have a second factor and has none: the session may only enrol one. */
  readonly enrolmentRequired?: true
}

/** An opened session. */
interface Opened {
  readonly session: SessionRecord
  readonly token: string
  readonly expiresAt: Date
  readonly refreshToken: string | null
  readonly me: Me
  readonly mustEnrol: boolean
}

/** The result for the host's code. */
export async function toSignedIn(
  { session, token, expiresAt, refreshToken, me, mustEnrol }: Opened,
  summarize: (session: SessionRecord) => Promise<SessionSummary>,
): Promise<SignedIn> {
  return {
    userId: session.userId,
    token,
    expiresAt,
    session: await summarize(session),
    me,
    ...(refreshToken === null ? {} : { refreshToken }),
    ...(mustEnrol ? { enrolmentRequired: true } : {}),
  }
}
