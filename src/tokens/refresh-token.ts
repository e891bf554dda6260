import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '../lib/constant-time.js'
import { sha256 } from '../lib/digest.js'
import { randomId, randomSecret } from '../lib/random.js'
import type { RefreshState, SpentRefreshToken } from '../stores/contract.js'

/** A refresh token as the client gets it, and the state the session keeps of it. */
export interface NewRefreshToken {
  readonly token: string
  readonly refresh: RefreshState
}

/** What a presented token is to its session. */
export type RefreshTokenClass =
  | { readonly is: 'current' }
  | { readonly is: 'spent-lately'; readonly successor: string }
  | { readonly is: 'spent' }
  | { readonly is: 'foreign' }

// `mar_rt_<session id>.<secret><tag>`: the prefix keeps it from being taken for any other one-time
// value.
const pattern = /^mar_rt_([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{65}$/
const prefix = 'mar_rt_'
const tagLength = 22
/** The most spent tokens a session remembers; older ones are known by their tag alone. */
const maxSpentTokens = 20
/**
 * Seconds by which clocks of processes may differ without an honest client looking like a thief.
 */
const maxSkewSeconds = 20
/** 132 of the 256 bits of a hash. */
const pairNameLength = 22

/** The id of the session a token claims to be of; null for text that is no refresh token. */
export function sessionIdOf(token: string): string | null {
  return pattern.exec(token)?.[1] ?? null
}

/** Makes the first refresh token of a session. */
export function newRefreshToken(sessionId: string): NewRefreshToken {
  const familyKey = randomSecret()
  const token = compose(sessionId, randomSecret(), familyKey)
  return { token, refresh: { hash: sha256(token), familyKey, spent: [] } }
}

/**
 * Makes the successor of the current token. It is derived from the token itself and a random salt,
 * so that a client that shows the same token again gets the same successor, although neither is
 * stored: a database holds only hashes and salts.
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
  // A process whose clock is ahead must not forget what one that is right would still repeat.
  const stillRepeatable = refresh.spent
    .filter(({ spentAt }) => isWithin(grace + maxSkewSeconds, spentAt, now))
    .slice(1 - maxSpentTokens)
  const spent = [...stillRepeatable, { hash: refresh.hash, salt, spentAt: now }]
  // Spread: what a newer release has put into the state stays there. That the pair was used is said
  // of the pair before.
  const { pairUsed: _ofThePairBefore, ...state } = refresh
  return { token: successor, refresh: { ...state, hash: sha256(successor), spent } }
}

/**
 * Judges a token against its session. A spent one may be repeated within `grace` seconds of being
 * spent, or for as long as nothing of the pair it was answered with has been used: the answer may
 * have been lost, or two tabs may have asked at once.
 */
export function classifyRefreshToken(
  sessionId: string,
  token: string,
  refresh: RefreshState,
  now: Date,
  grace: number,
): RefreshTokenClass {
  const hash = sha256(token)
  if (equalInConstantTime(hash, refresh.hash)) return { is: 'current' }
  const parent = refresh.spent.find((one) => equalInConstantTime(hash, one.hash))
  // A pair whose refresh token was spent in its turn has been used.
  const isUnused = parent === refresh.spent.at(-1) && refresh.pairUsed !== true
  if (parent !== undefined && (isUnused || isWithin(grace, parent.spentAt, now))) {
    return {
      is: 'spent-lately',
      successor: deriveSuccessor(sessionId, token, parent.salt, refresh.familyKey),
    }
  }
  return { is: isOfFamily(token, refresh) ? 'spent' : 'foreign' }
}

/**
 * Names the pair of tokens that the refresh token of this hash is of, and gives nothing of it away.
 */
export function pairNameOf(hash: string): string {
  return hash.slice(0, pairNameLength)
}

/**
 * What a session's state says of the pair that an access token is of, and that was there when the
 * token was issued. A pair that it does not name was spent long ago, or is `newer` than the state.
 */
export function usageOfPair(
  name: string,
  { hash, spent, pairUsed }: RefreshState,
  issuedAt: Date,
): 'used' | 'unused' | 'newer' {
  // The first pair answers a code: there is no refresh token that could be found out by it.
  if (pairNameOf(hash) === name) return pairUsed === true || spent.length === 0 ? 'used' : 'unused'
  if (spent.some((one) => pairNameOf(one.hash) === name)) return 'used'
  const lastSpent = spent.at(-1)?.spentAt.getTime() ?? Number.NEGATIVE_INFINITY
  // A spent token is dropped no sooner than the clocks' skew after the last answer to its parent.
  return lastSpent > issuedAt.getTime() + maxSkewSeconds * 1000 ? 'used' : 'newer'
}

/**
 * What stands for the state of a session that is not there. No token is of its family. Without a
 * spent one: most sessions have one at most.
 */
export const nobodysRefresh: RefreshState = newRefreshToken('').refresh

// A session id is no secret. Without the tag, anybody who knows one could end the session with an
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
  // Either way: a clock that was set back must not make an old token young again.
  return Math.abs(now.getTime() - earlier.getTime()) <= seconds * 1000
}
