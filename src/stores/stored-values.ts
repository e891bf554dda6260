import type { SessionKind, SessionRecord, StoredKind } from './contract.js'

// The compiler misses a kind here as soon as the contract has a new one. A named token is for a
// program, a session of OAuth for an app of somebody else's or a service, and one that acts is for
// somebody else than its user: they may do the least, though they are known. They pass where a
// guard names a scope that they have, and where they have `*`.
const full: Readonly<Record<SessionKind, boolean>> = {
  login: true,
  pkce: true,
  browser: true,
  token: false,
  oauth: false,
  service: false,
  acting: false,
}

/**
 * Whether sessions of a kind may do all that their scope and their user may. A kind that this
 * release does not know may do the least that any kind may, until the deployment has rolled on.
 */
export function isKnownKind(kind: StoredKind): boolean {
  return Object.hasOwn(full, kind) && full[kind as SessionKind]
}

/** How much of `passwordMarkNext` is kept: 22 marks. Older marks are cut off. */
export const maxNextMarks = 1000

type Marks = Pick<SessionRecord, 'passwordMark' | 'passwordMarkNext'>

/** The marks of one session after `addPasswordMark`; nothing where it changes none. */
export function withPasswordMark(
  { passwordMark, passwordMarkNext = '' }: Marks,
  from: string,
  to: string,
): Marks {
  const next = passwordMarkNext.split(' ')
  if (next.includes(from)) return { passwordMark: from, passwordMarkNext: to }
  if (passwordMark !== from || next.includes(to)) return {}
  return { passwordMarkNext: `${passwordMarkNext} ${to}`.trimStart().slice(-maxNextMarks) }
}

/**
 * The scopes, or an error for one that is no `scope-token` ([RFC 6749
 * §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)). A `scope-token` needs no escaping, so
 * it is one text in every JSON.
 */
export function checkedScopes(scopes: readonly string[]): readonly string[] {
  for (const scope of scopes) {
    if (typeof scope !== 'string' || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      throw new TypeError('a scope is no scope-token of RFC 6749')
  }
  return scopes
}

const maxHashes = 2

/** The hashes of a client's secrets, or an error for hashes that its record may not have. */
export function checkedSecretHashes(hashes: readonly string[] = []): readonly string[] {
  const areHashes = hashes.every(
    (hash) => typeof hash === 'string' && /^sha256:[\w-]{43}$/.test(hash),
  )
  if (hashes.length > maxHashes || !areHashes)
    throw new TypeError(`secretHashes are not at most ${maxHashes} of sha256: and 43 characters`)
  return hashes
}

/** A row that has an age and an id. */
interface Aged {
  readonly id: string
  readonly createdAt: Date
}

/**
 * The order of a user's rows: by `createdAt`, and by the bytes of the id where that is the
 * same.
 */
export function oldestFirst(one: Aged, other: Aged): number {
  return (
    one.createdAt.getTime() - other.createdAt.getTime() ||
    Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  )
}
