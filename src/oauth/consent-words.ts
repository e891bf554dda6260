import { sha256 } from '../lib/secrets.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { redirectHost, redirectKind } from './redirect-uri.js'

// A consent is stored as a set of words; one statement adds words to it. It allows pairs of an API
// and a scope: two separate lists would allow pairs that the user was never shown. So each pair is
// one word:
//
//   messages:read                      the scope at the host's own API
//   mar-at:<SHA-256>:messages:read     the scope at another API
//   mar-to:<SHA-256>                   the destination of the answer, as shown to the user
//
// Only this file writes and reads such words.

const ofOtherApi = 'mar-at:'
const ofDestination = 'mar-to:'
/** Our own words begin with this, so no scope may. */
const reserved = 'mar-'

/** Requested or granted: each of the scopes at each of the APIs. */
interface Grantable {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** The question on the consent page. */
interface Asked extends Grantable {
  readonly client: Pick<OAuthClient, 'type'>
  readonly redirectUri: string
}

/** Whether a scope could be mistaken for one of our words. */
export function isReservedScope(scope: string): boolean {
  return scope.startsWith(reserved)
}

/**
 * The words of a consent to these scopes and APIs, one for each pair.
 *
 * @param ownResource - the host's own API
 */
export function wordsOfGrant(
  { scopes, resources }: Grantable,
  ownResource: string,
): readonly string[] {
  return resources.flatMap((resource) => {
    const before = resource === ownResource ? '' : beforeScopesOf(resource)
    return scopes.map((scope) => before + scope)
  })
}

/**
 * The words of everything that the consent page shows: the pairs, and the destination of the
 * answer. An app with another destination needs a new consent.
 *
 * @param ownResource - the host's own API
 */
export function wordsOfPage(asked: Asked, ownResource: string): readonly string[] {
  return [...wordsOfGrant(asked, ownResource), ofDestination + sha256(destinationOf(asked))]
}

function beforeScopesOf(resource: string): string {
  return `${ofOtherApi}${sha256(resource)}:`
}

// A site is named by its host, as on the page. A private scheme is the domain of the app's maker in
// reverse (RFC 8252 §7.1), so another scheme means another maker. All loopback addresses are one:
// the port varies, and the address does not tell who listens.
function destinationOf({ client: { type }, redirectUri }: Asked): string {
  const host = redirectHost(type, redirectUri)
  if (host !== null) return `site ${host}`
  return redirectKind(redirectUri) === 'private'
    ? `app ${redirectUri.slice(0, redirectUri.indexOf(':'))}`
    : 'device'
}

/** Whether a consent contains all of these words. */
export function hasWords(granted: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((word) => granted.includes(word))
}

/**
 * The longest consent that a SQL store keeps, in characters: what a text column of every engine
 * holds.
 */
const maxChars = 16_000
/** Two quotes, a colon, the value and a comma: the words are stored as members of a JSON object. */
const charsAround = 5

/** Whether a consent with these words added still fits into a row. */
export function fitsWith(granted: readonly string[], added: readonly string[]): boolean {
  const words = new Set([...granted, ...added])
  const chars = [...words].reduce((sum, word) => sum + word.length + charsAround, 2)
  return chars <= maxChars
}

/** A consent in readable form, for the user. */
export interface ReadableConsent {
  /** Scopes at the host's own API. */
  readonly scopes: readonly string[]
  /** Scopes at other APIs that the client is registered for. */
  readonly resources: readonly Readonly<{ resource: string; scopes: readonly string[] }>[]
}

/**
 * Reads the words of a consent. APIs are stored as digests, so an API that the client is no longer
 * registered for cannot be shown; it also allows nothing until the client is registered for it
 * again.
 *
 * @param resources - the APIs that the client is registered for
 */
export function readConsent(
  granted: readonly string[],
  resources: readonly string[],
): ReadableConsent {
  const others = resources.map((resource) => {
    const before = beforeScopesOf(resource)
    const words = granted.filter((word) => word.startsWith(before))
    return { resource, scopes: words.map((word) => word.slice(before.length)) }
  })
  return {
    scopes: granted.filter((word) => !isReservedScope(word)),
    resources: others.filter(({ scopes }) => scopes.length > 0),
  }
}
