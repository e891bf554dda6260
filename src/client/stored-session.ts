import type { LoginAnswer, Me, TokenAnswer } from './wire.js'

/** A sign-in, as it is kept. Times are milliseconds of this machine's clock. */
export interface StoredSession {
  readonly userId: string
  readonly me: Me
  /** With `userId`, tells one sign-in from the next. */
  readonly signedInAt: number
  readonly accessToken: string
  /** Null: of a server that gives none. */
  readonly refreshToken: string | null
  /** When the access token came, and when it ends; null: with its session. */
  readonly receivedAt: number
  readonly expiresAt: number | null
  readonly enrolmentRequired: boolean
  /** The app that it was opened for: its tokens are refreshed and revoked as those of one. */
  readonly clientId?: string
}

/** What is kept in its place once the server has ended it, so that every tab knows why. */
// As text: a call would stay in every bundle, also of those who use nothing of this file.
const ended = '{"ended":true}'

/** What a store holds: a sign-in, the end of one, or nothing. */
export type Stored =
  | { readonly session: StoredSession }
  | { readonly session: null; readonly hasEnded: boolean }

/** As text. Null stands for a sign-in that the server has ended. */
export function toText(session: StoredSession | null): string {
  return session === null ? ended : JSON.stringify(session)
}

/** What a text says. One that nobody here has written is nothing. */
export function fromText(text: string | null): Stored {
  if (text === ended) return { session: null, hasEnded: true }
  const session = parse(text ?? 'null') as Partial<StoredSession> | null
  const isSession =
    typeof session?.accessToken === 'string' &&
    typeof session.userId === 'string' &&
    typeof session.me === 'object'
  return isSession ? { session: session as StoredSession } : { session: null, hasEnded: false }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A login, as it is kept. */
export function ofLogin(login: LoginAnswer, now: number): StoredSession {
  const { userId, me, authToken, refreshToken, expiresIn, enrolmentRequired } = login
  return {
    userId,
    me,
    signedInAt: now,
    accessToken: authToken,
    refreshToken: refreshToken ?? null,
    receivedAt: now,
    expiresAt: expiresIn === undefined ? null : now + expiresIn * 1000,
    enrolmentRequired: enrolmentRequired === true,
  }
}

/** The same sign-in with newer tokens. */
export function withTokens(
  session: StoredSession,
  answer: TokenAnswer,
  now: number,
): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
  return { ...session, accessToken, refreshToken, receivedAt: now, expiresAt: now + seconds * 1000 }
}

/** Whether both are of one sign-in. */
export function isSameSignIn(one: StoredSession, other: StoredSession): boolean {
  return one.userId === other.userId && one.signedInAt === other.signedInAt
}

/** `good`: to be used. `ageing`: to be used, and replaced. `over`: to be replaced first. */
export type Freshness = 'good' | 'ageing' | 'over'

/** A token that lives shorter than this on its way is taken for over, in milliseconds. */
const travel = 5000
/** The most that is left of a token when it is replaced: more than hidden tabs sleep at a time. */
const margin = 120_000
/** So far the clocks of two tabs or processes may be apart, in milliseconds. */
const skew = 60_000

/** How it stands with the access token. */
export function freshnessOf(session: StoredSession, now: number): Freshness {
  const { receivedAt, expiresAt } = session
  if (expiresAt === null) return 'good'
  // The clock was set back since, so nothing is known of how old the token is.
  if (now < receivedAt - skew) return 'over'
  const left = expiresAt - now
  const third = (expiresAt - receivedAt) / 3
  if (left <= Math.min(travel, third)) return 'over'
  return left <= Math.min(margin, third) ? 'ageing' : 'good'
}
