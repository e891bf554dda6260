import { type Audit, noRequest } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { withAsciiDomain } from '../lib/addresses.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { deriveKey, hmacSha256 } from '../lib/secrets.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/**
 * Replaces the default canonical form of identifiers. Receives a checked identifier, returns the
 * value to look up.
 */
export type CanonicalIdentifier = (identifier: LoginIdentifier) => string | Promise<string>

/**
 * The default: e-mail addresses and user names in lower case and Unicode form NFKC; `user` as
 * typed, since it may be a case-sensitive id. The domain of an address is in ASCII in both.
 * @internal
 */
export function lowerCaseNames({ kind, value }: LoginIdentifier): string {
  if (kind === 'username') return inLowerCase(value)
  return kind === 'user' ? withAsciiDomain(value) : folded(value)
}

/**
 * Returns the function that makes identifiers canonical: the host's, or the default. Blanks at
 * either end do not count. Rejects with 503 if the host's function fails, and with 400 for nothing
 * but blanks.
 */
export function createCanonical(
  ofHost: CanonicalIdentifier | undefined,
  call: HostCall,
): (identifier: LoginIdentifier) => Promise<LoginIdentifier> {
  if (ofHost === undefined) {
    return async function canonical(identifier) {
      return { kind: identifier.kind, value: lowerCaseNames(trimmed(identifier)) }
    }
  }
  return async function canonicalByHost(identifier) {
    const typed = trimmed(identifier)
    const value = typed.kind === 'email' ? withAsciiDomain(typed.value) : typed.value
    const found = await call('canonicalIdentifier', async () =>
      nonEmptyText(await ofHost({ ...typed, value })),
    )
    return { kind: identifier.kind, value: found }
  }
}

// Some databases ignore trailing blanks: one account would have a counter for each spelling.
function trimmed({ kind, value }: LoginIdentifier): LoginIdentifier {
  const name = value.trim()
  if (name !== '') return { kind, value: name }
  throw invalidRequest([{ path: kind, message: 'Invalid input: nothing but blanks' }])
}

function nonEmptyText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UnexpectedAnswer('the answer is not a non-empty string')
}

/**
 * Keyed if the host has an encryption key, because an unknown identifier is often a mistyped
 * password. Processes with the same key share their counts.
 */
export function identifierDigests(encryptionKeys: readonly Buffer[]): DigestIdentifier {
  const key = deriveKey('identifier', encryptionKeys[0])
  return function digestIdentifier({ kind, value }) {
    return {
      name: hmacSha256(key, folded(value)),
      typed: hmacSha256(key, JSON.stringify([kind, value])),
    }
  }
}

/**
 * In lower case and NFKC. Lower-casing can break NFKC: W with a ring is two characters, w with a
 * ring is one.
 */
function inLowerCase(value: string): string {
  return value.toLowerCase().normalize('NFKC')
}

/** The same, an address with its domain in ASCII. */
function folded(value: string): string {
  const lower = value.toLowerCase()
  return /\P{ASCII}/u.test(lower) ? withAsciiDomain(lower.normalize('NFKC')) : lower
}

/**
 * A database may compare names more loosely than by case, as MySQL does by default. It then finds
 * one user by many names, each with its own failure count. So a user found by a name other than
 * their own counts as not found; the audit stream reports it once.
 */
export function withExactNames(users: UserStore, audit: Audit): UserStore {
  let isReported = false
  return {
    ...users,
    async findByIdentifier(identifier) {
      const user = await users.findByIdentifier(identifier)
      if (user === null || identifier.kind !== 'username' || goesBy(user, identifier.value))
        return user
      if (!isReported) audit({ type: 'user.mismatched', userId: user.id }, noRequest)
      isReported = true
      return null
    },
  }
}

/** Characters. NFKC of a long name is slow, and no real name is this long. */
const maxNameChars = 2000

function goesBy({ username }: AuthUser, value: string): boolean {
  return (
    username.length <= maxNameChars && [value, inLowerCase(value)].includes(inLowerCase(username))
  )
}
