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

/** Whether a secret is that of the session. A session that keeps none has none. */
export function isSecretOf(
  { kind, sessionId, secretHash }: PresentedSecret,
  session: Pick<SessionRecord, 'id' | 'kind' | 'secretHash'>,
): boolean {
  return (
    session.id === sessionId &&
    session.kind === kind &&
    session.secretHash !== undefined &&
    equalDigests(secretHash, session.secretHash)
  )
}
