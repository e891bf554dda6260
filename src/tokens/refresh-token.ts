import { createHmac } from 'node:crypto'
import { lazily } from '../lib/async.js'
import {
  equalDigests,
  equalInConstantTime,
  randomId,
  randomSecret,
  sha256,
} from '../lib/secrets.js'
import type { RefreshState, SpentRefreshToken } from '../stores/contract.js'

/** A refresh token for the client, and the state of it that the session stores. */
export interface NewRefreshToken {
  readonly token: string
  readonly refresh: RefreshState
}

/** The relation of a presented token to its session. */
export type RefreshTokenClass =
  | { readonly is: 'current' }
  | { readonly is: 'spent-lately'; readonly successor: string }
  | { readonly is: 'spent' }
  | { readonly is: 'foreign' }

// `mar_rt_<session id>.<secret><tag>`: the prefix distinguishes it from other one-time values.
const pattern = /^mar_rt_([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{65}$/
const prefix = 'mar_rt_'
const tagLength = 22
/** Maximum number of spent tokens in a session; older tokens are recognised by their tag. */
const maxSpentTokens = 20
/**
 * Seconds by which the clocks of processes may differ before an honest client looks like a thief.
 */
const maxSkewSeconds = 20
/** 132 of the 256 bits of a hash. */
const pairNameLength = 22

/** The session id in a token, unverified; null for text that is not a refresh token. */
export function sessionIdOf(token: string): string | null {
  return pattern.exec(token)?.[1] ?? null
}

/**
 * The first refresh token of a session. `secret`: 256 bits as base64url, if they are not random but
 * computed, for {@link sameRefreshToken}.
 */
export function newRefreshToken(
  sessionId: string,
  secret: string = randomSecret(),
): NewRefreshToken {
  const familyKey = randomSecret()
  const token = compose(sessionId, secret, familyKey)
  return { token, refresh: { hash: sha256(token), familyKey, spent: [] } }
}

/** The first refresh token again, made of the same secret; null once another token is current. */
export function sameRefreshToken(
  sessionId: string,
  secret: string,
  { hash, familyKey }: RefreshState,
): string | null {
  const token = compose(sessionId, secret, familyKey)
  return equalDigests(sha256(token), hash) ? token : null
}

/**
 * The successor of the current token, derived from the token and a random salt. So a client that
 * repeats the same token gets the same successor, although the database stores only hashes and
 * salts.
 */
export function rotateRefreshToken(
  sessionId: string,
  token: string,
  refresh: RefreshState,
  now: Date,
  grace: number,
): NewRefreshToken {
  const salt = randomId()
  const successor = deriveSuccessor(sessionId, token, salt, refresh.familyKey)
  // There is a margin: a process whose clock is ahead must keep the hashes that other processes may
  // still repeat.
  const stillRepeatable = refresh.spent
    .filter(({ spentAt }) => isWithin(grace + maxSkewSeconds, spentAt, now))
    .slice(1 - maxSpentTokens)
  const spent = [...stillRepeatable, { hash: refresh.hash, salt, spentAt: now }]
  // Keeps members of newer releases, but not `pairUsed`, which was about the previous pair.
  const { pairUsed: _ofThePairBefore, ...state } = refresh
  return { token: successor, refresh: { ...state, hash: sha256(successor), spent } }
}

/**
 * Classifies a token of a session. A spent token may be repeated within `grace` seconds after it
 * was spent, or until the pair that it was exchanged for has been used: the answer may have been
 * lost, or two tabs may have refreshed at once.
 */
export function classifyRefreshToken(
  sessionId: string,
  token: string,
  refresh: RefreshState,
  now: Date,
  grace: number,
): RefreshTokenClass {
  const hash = sha256(token)
  if (equalDigests(hash, refresh.hash)) return { is: 'current' }
  const parent = refresh.spent.find((one) => equalDigests(hash, one.hash))
  // A pair whose refresh token has been spent has been used.
  const isUnused = parent === refresh.spent.at(-1) && refresh.pairUsed !== true
  if (parent !== undefined && (isUnused || isWithin(grace, parent.spentAt, now))) {
    return {
      is: 'spent-lately',
      successor: deriveSuccessor(sessionId, token, parent.salt, refresh.familyKey),
    }
  }
  return { is: isOfFamily(token, refresh) ? 'spent' : 'foreign' }
}

/** The name of the pair of the refresh token with this hash. Reveals nothing about the token. */
export function pairNameOf(hash: string): string {
  return hash.slice(0, pairNameLength)
}

/**
 * Whether the pair of an access token counts as used, by the session's state. A pair that is not in
 * the state was spent long ago, or is `newer` than the state.
 */
export function usageOfPair(
  name: string,
  { hash, spent, pairUsed }: RefreshState,
  issuedAt: Date,
): 'used' | 'unused' | 'newer' {
  // The first pair was exchanged for a code, so no refresh token waits for the news of its use.
  if (pairNameOf(hash) === name) return pairUsed === true || spent.length === 0 ? 'used' : 'unused'
  if (spent.some((one) => pairNameOf(one.hash) === name)) return 'used'
  const lastSpent = spent.at(-1)?.spentAt.getTime() ?? Number.NEGATIVE_INFINITY
  // A spent token stays at least for the skew of clocks after the last answer to its parent.
  return lastSpent > issuedAt.getTime() + maxSkewSeconds * 1000 ? 'used' : 'newer'
}

/**
 * A dummy state for a session that does not exist; no token belongs to it. Without spent tokens,
 * like most sessions.
 */
export const nobodysRefresh: () => RefreshState = lazily(() => newRefreshToken('').refresh)

// Session ids are not secret. Without the tag, anybody who knows one could end the session with an
// invented "spent" token.
function isOfFamily(token: string, { familyKey }: RefreshState): boolean {
  return equalInConstantTime(
    token.slice(-tagLength),
    tagOf(token.slice(prefix.length, -tagLength), familyKey),
  )
}

function deriveSuccessor(
  sessionId: string,
  token: string,
  salt: string,
  familyKey: string,
): string {
  return compose(
    sessionId,
    createHmac('sha256', token).update(`refresh-successor:${salt}`).digest('base64url'),
    familyKey,
  )
}

function compose(sessionId: string, secret: string, familyKey: string): string {
  const tagged = `${sessionId}.${secret}`
  return `${prefix}${tagged}${tagOf(tagged, familyKey)}`
}

function tagOf(tagged: string, familyKey: string): string {
  return createHmac('sha256', familyKey)
    .update(tagged)
    .digest()
    .subarray(0, 16)
    .toString('base64url')
}

function isWithin(seconds: number, earlier: SpentRefreshToken['spentAt'], now: Date): boolean {
  // The absolute value: a clock that was set back must not make an old token young.
  return Math.abs(now.getTime() - earlier.getTime()) <= seconds * 1000
}
