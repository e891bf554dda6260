import { createHmac } from 'node:crypto'
import { equalInConstantTime } from '../lib/constant-time.js'
import { sha256 } from '../lib/digest.js'
import { randomBuffer, randomId, randomSecret } from '../lib/random.js'
import type { RefreshState, SpentRefreshToken } from '../stores/contract.js'

/** A refresh token as the client gets it, and the state the session keeps of it. */
export interface NewRefreshToken {
  readonly token: string
  readonly refresh: RefreshState
}

/** What a presented token is to its session. */
export type RefreshStanding =
  | { readonly is: 'current' }
  | { readonly is: 'spent-lately'; readonly successor: string }
  | { readonly is: 'spent' }
  | { readonly is: 'foreign' }

// `mar_rt_<session id>.<secret><tag>`: the prefix keeps it from being taken for any other one-time value.
const pattern = /^mar_rt_([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{65}$/
const prefix = 'mar_rt_'
const tagLength = 22
/** The most spent tokens a session remembers; older ones are known by their tag alone. */
const mostRemembered = 20

/** The id of the session a token claims to be of; null for text that is no refresh token. */
export function sessionIdOf(token: string): string | null {
  return pattern.exec(token)?.[1] ?? null
}

/** Makes the first refresh token of a session. */
export function newRefreshToken(sessionId: string): NewRefreshToken {
  const familyKey = randomSecret()
  const token = compose(sessionId, randomBuffer(32), familyKey)
  return { token, refresh: { hash: sha256(token), familyKey, spent: [] } }
}

/**
 * Makes the successor of the current token. It is derived from the token itself and a random salt, so that whoever shows the same
 * token again can be given the same successor, although neither is stored: a database holds only hashes and salts.
 */
export function succeed(sessionId: string, token: string, refresh: RefreshState, now: Date, grace: number): NewRefreshToken {
  const salt = randomId()
  const successor = deriveSuccessor(sessionId, token, salt, refresh.familyKey)
  const stillRepeatable = refresh.spent.filter(({ spentAt }) => isWithin(grace, spentAt, now)).slice(1 - mostRemembered)
  const spent = [...stillRepeatable, { hash: refresh.hash, salt, spentAt: now }]
  return { token: successor, refresh: { hash: sha256(successor), familyKey: refresh.familyKey, spent } }
}

/**
 * Judges a token against its session. A spent one may be repeated within `grace` seconds of being spent, or for as long as its
 * successor has not been used: the answer may have been lost, or two tabs may have asked at once.
 */
export function standingOf(sessionId: string, token: string, refresh: RefreshState, now: Date, grace: number): RefreshStanding {
  const hash = sha256(token)
  if (equalInConstantTime(hash, refresh.hash)) return { is: 'current' }
  const parent = refresh.spent.find((one) => equalInConstantTime(hash, one.hash))
  if (parent !== undefined && (parent === refresh.spent.at(-1) || isWithin(grace, parent.spentAt, now))) {
    return { is: 'spent-lately', successor: deriveSuccessor(sessionId, token, parent.salt, refresh.familyKey) }
  }
  return { is: isOfFamily(token, refresh) ? 'spent' : 'foreign' }
}

/** What stands for the state of a session that is not there. No token is of its family. Without a spent one: most sessions have one at most. */
export const nobodysRefresh: RefreshState = newRefreshToken('').refresh

// A session id is no secret. Without the tag, anybody who knows one could end the session with an invented "spent" token.
function isOfFamily(token: string, { familyKey }: RefreshState): boolean {
  return equalInConstantTime(token.slice(-tagLength), tagOf(token.slice(prefix.length, -tagLength), familyKey))
}

function deriveSuccessor(sessionId: string, token: string, salt: string, familyKey: string): string {
  return compose(sessionId, createHmac('sha256', token).update(`refresh-successor:${salt}`).digest(), familyKey)
}

function compose(sessionId: string, bytes: Buffer, familyKey: string): string {
  const tagged = `${sessionId}.${bytes.toString('base64url')}`
  return `${prefix}${tagged}${tagOf(tagged, familyKey)}`
}

function tagOf(tagged: string, familyKey: string): string {
  return createHmac('sha256', familyKey).update(tagged).digest().subarray(0, 16).toString('base64url')
}

function isWithin(seconds: number, earlier: SpentRefreshToken['spentAt'], now: Date): boolean {
  // Either way: a clock that was set back must not make an old token young again.
  return Math.abs(now.getTime() - earlier.getTime()) <= seconds * 1000
}
