import { equalDigests } from '../lib/constant-time.js'
import { sha256 } from '../lib/digest.js'
import { randomSecret } from '../lib/random.js'
import type { SessionRecord } from '../stores/contract.js'

/** Kinds of sessions that are shown by a secret of their own, instead of by signed tokens. */
export type SecretKind = 'browser' | 'token'

/** A secret as its client keeps it, and the hash that the session keeps of it. */
export interface NewSessionSecret {
  readonly secret: string
  readonly secretHash: string
}

/** A secret that was presented: whose it claims to be, and its hash. */
export interface PresentedSecret {
  readonly kind: SecretKind
  readonly sessionId: string
  readonly secretHash: string
}

/** What of a session says which secrets are good. */
type SecretKeeper = Pick<SessionRecord, 'id' | 'kind' | 'secretHash' | 'formerSecret'>

/** What a named token begins with: secret scanners look for it. It is never to change. */
export const namedTokenPrefix = 'mar_pat_'

// The value of a cookie has no prefix: as a header it is no token.
const prefixes: Readonly<Record<SecretKind, string>> = { browser: '', token: namedTokenPrefix }
const pattern = /^(?<sessionId>[A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$/
const characters = 22 + 1 + 43

/** Makes the secret of a session: `<session id>.<256 bits>`, behind the prefix of its kind. */
export function newSessionSecret(kind: SecretKind, sessionId: string): NewSessionSecret {
  const secret = `${prefixes[kind]}${sessionId}.${randomSecret()}`
  return { secret, secretHash: sha256(secret) }
}

/** Reads a secret; null for text that is none of this kind. Proves nothing. */
export function readSessionSecret(kind: SecretKind, text: string): PresentedSecret | null {
  const prefix = prefixes[kind]
  if (text.length !== prefix.length + characters || !text.startsWith(prefix)) return null
  const sessionId = pattern.exec(text.slice(prefix.length))?.groups?.['sessionId']
  return sessionId === undefined ? null : { kind, sessionId, secretHash: sha256(text) }
}

/**
 * Whether a secret is that of the session at this moment: the present one, or the one before it for
 * as long as that is good. A session that keeps none has none.
 */
export function isSecretOf(
  { kind, sessionId, secretHash }: PresentedSecret,
  { id, kind: ofKind, secretHash: present, formerSecret: former }: SecretKeeper,
  now: Date,
): boolean {
  if (id !== sessionId || ofKind !== kind || present === undefined) return false
  if (equalDigests(secretHash, present)) return true
  return former !== undefined && equalDigests(secretHash, former.hash) && now < former.until
}

/** Whether a secret that is the session's is the one before its present one. */
export function isFormerSecret(
  { secretHash }: PresentedSecret,
  { secretHash: present }: Pick<SessionRecord, 'secretHash'>,
): boolean {
  return present === undefined || !equalDigests(secretHash, present)
}

/** Until when a secret that is the session's is good, unless the session ends before. */
export function endOfSecret(
  presented: PresentedSecret,
  session: Pick<SessionRecord, 'secretHash' | 'formerSecret' | 'expiresAt'>,
): Date {
  const { expiresAt, formerSecret } = session
  const until = isFormerSecret(presented, session) ? formerSecret?.until : undefined
  return new Date(Math.min(expiresAt.getTime(), (until ?? expiresAt).getTime()))
}
