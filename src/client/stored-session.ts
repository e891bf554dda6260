import { actionsIn, type Demands } from './required.js'
import type { LoginAnswer, Me, TokenAnswer } from './wire.js'

/** A sign-in as stored. Times are milliseconds of this machine's clock. */
export interface StoredSession extends Demands {
  readonly userId: string
  readonly me: Me
  /** Identifies the sign-in, together with `userId`. */
  readonly signedInAt: number
  readonly accessToken: string
  /** Null if the server issued none. */
  readonly refreshToken: string | null
  /** When the access token arrived and when it expires; null: with its session. */
  readonly receivedAt: number
  readonly expiresAt: number | null
  /** The app, if it is an app's session: then OAuth endpoints refresh and revoke its tokens. */
  readonly clientId?: string
}

/** The content of a store: a sign-in, an ended one, or nothing. */
export interface Stored extends Kept {
  readonly session: StoredSession | null
}

interface Kept {
  /** True if the server has ended the sign-in, so that every tab knows why. */
  readonly ended?: boolean | undefined
  /** Stays when the user signs out. Undefined unless the server remembers this browser. */
  readonly rememberToken?: string | undefined
}

/** Serializes. */
export function toText({ session, ...kept }: Stored): string {
  return JSON.stringify({ ...session, ...kept })
}

/** Parses; any text of other origin counts as nothing. */
export function fromText(text: string | null): Stored {
  const found = parse(text ?? '{}') as (Partial<StoredSession> & Kept) | null
  const { rememberToken, ended, ...session } = found ?? {}
  const isSession =
    typeof session.accessToken === 'string' &&
    typeof session.userId === 'string' &&
    typeof session.me === 'object'
  // Sessions of before say nothing of it.
  const required = actionsIn(session.required)
  if (isSession) return { session: { ...session, required } as StoredSession, rememberToken }
  return { session: null, ended, rememberToken }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The sign-in of a login answer, without what the user must do first. */
export function ofLogin(login: LoginAnswer, now: number): StoredSession {
  const { userId, me, authToken, refreshToken, expiresIn } = login
  return {
    userId,
    me,
    signedInAt: now,
    accessToken: authToken,
    refreshToken: refreshToken ?? null,
    receivedAt: now,
    expiresAt: expiresIn === undefined ? null : now + expiresIn * 1000,
    enrolmentRequired: false,
    required: [],
  }
}

/** The session with newer tokens of its sign-in. */
export function withTokens(
  session: StoredSession,
  answer: TokenAnswer,
  now: number,
): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
  return { ...session, accessToken, refreshToken, receivedAt: now, expiresAt: now + seconds * 1000 }
}

/** Whether both are versions of one sign-in. */
export function isSameSignIn(one: StoredSession, other: StoredSession): boolean {
  return one.userId === other.userId && one.signedInAt === other.signedInAt
}

/** `good`: use it. `ageing`: use it and refresh meanwhile. `over`: refresh first. */
export type Freshness = 'good' | 'ageing' | 'over'

/** A token that expires within this time may expire on its way, in milliseconds. */
const travel = 5000
/** Refresh this long before expiry, in milliseconds: longer than browsers pause hidden tabs. */
const margin = 120_000
/** Allowed difference between the clocks of two tabs or processes, in milliseconds. */
const skew = 60_000

/** Whether the access token can be used. */
export function freshnessOf(session: StoredSession, now: number): Freshness {
  const { receivedAt, expiresAt } = session
  if (expiresAt === null) return 'good'
  // The clock was set back, so the age of the token is unknown.
  if (now < receivedAt - skew) return 'over'
  const left = expiresAt - now
  const third = (expiresAt - receivedAt) / 3
  if (left <= Math.min(travel, third)) return 'over'
  return left <= Math.min(margin, third) ? 'ageing' : 'good'
}
