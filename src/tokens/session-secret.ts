import { equalDigests, randomSecret, sha256 } from '../lib/secrets.js'
import type { SessionRecord } from '../stores/contract.js'

/** Kinds of sessions whose credential is a secret instead of signed tokens. */
export type SecretKind = 'browser' | 'token'

/** A secret for the client, and its hash for the session. */
export interface NewSessionSecret {
  readonly secret: string
  readonly secretHash: string
}

/** A presented secret: the session id that it claims, and its hash. */
export interface PresentedSecret {
  readonly kind: SecretKind
  readonly sessionId: string
  readonly secretHash: string
}

/** The members of a session that decide which secrets are valid. */
type SecretKeeper = Pick<SessionRecord, 'id' | 'kind' | 'secretHash' | 'formerSecret'>

/** The prefix of named tokens, for secret scanners. It must never change. */
export const namedTokenPrefix = 'mar_pat_'

// The value of a cookie has no prefix, so it is not a token in a header.
const prefixes: Readonly<Record<SecretKind, string>> = { browser: '', token: namedTokenPrefix }
const pattern = /^(?<sessionId>[A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$/
const characters = 22 + 1 + 43

/** A new secret of a session: the prefix of its kind, then `<session id>.<256 bits>`. */
export function newSessionSecret(kind: SecretKind, sessionId: string): NewSessionSecret {
  const secret = `${prefixes[kind]}${sessionId}.${randomSecret()}`
  return { secret, secretHash: sha256(secret) }
}

/** Parses a secret without verifying it; null for text that is not of this kind. */
export function readSessionSecret(kind: SecretKind, text: string): PresentedSecret | null {
  const prefix = prefixes[kind]
  if (text.length !== prefix.length + characters || !text.startsWith(prefix)) return null
  const sessionId = pattern.exec(text.slice(prefix.length))?.groups?.['sessionId']
  return sessionId === undefined ? null : { kind, sessionId, secretHash: sha256(text) }
}

/**
 * Whether a secret is valid for the session now: the current secret, or the former secret until its
 * end. False for a session without secrets.
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

/** Whether a valid secret is the former one. */
export function isFormerSecret(
  { secretHash }: PresentedSecret,
  { secretHash: present }: Pick<SessionRecord, 'secretHash'>,
): boolean {
  return present === undefined || !equalDigests(secretHash, present)
}

/** When a valid secret expires, unless the session ends before. */
export function endOfSecret(
  presented: PresentedSecret,
  session: Pick<SessionRecord, 'secretHash' | 'formerSecret' | 'expiresAt'>,
): Date {
  const { expiresAt, formerSecret } = session
  const until = isFormerSecret(presented, session) ? formerSecret?.until : undefined
  return new Date(Math.min(expiresAt.getTime(), (until ?? expiresAt).getTime()))
}
