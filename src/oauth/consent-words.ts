import { sha256 } from '../lib/digest.js'
import type { OAuthClient } from '../stores/client-contract.js'
import { redirectHost, redirectKind } from './redirect-uri.js'

// A consent is stored as a set of words, to which one statement adds. What it allows are pairs of
// an API and a scope: two lists would allow pairs that nobody was shown. So each pair is one word:
//
//   messages:read                      the scope at the host's own API
//   mar-at:<SHA-256>:messages:read     the scope at another API
//   mar-to:<SHA-256>                   where an answer goes, as the user was shown it
//
// Only this file writes and reads such words.

const ofOtherApi = 'mar-at:'
const ofDestination = 'mar-to:'
/** With this each of ours begins, and so no scope may. */
const reserved = 'mar-'

/** What a client asks for, or was granted: each of the scopes at each of the APIs. */
interface Grantable {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** What a user is asked on the page. */
interface Asked extends Grantable {
  readonly client: Pick<OAuthClient, 'type'>
  readonly redirectUri: string
}

/** Whether a scope could be taken for one of the words that a consent is kept by. */
export function isReservedScope(scope: string): boolean {
  return scope.startsWith(reserved)
}

/**
 * What a consent to this has, one word for each pair.
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
 * All that the page of consent shows, and a consent remembers: the pairs, and where the answer
 * goes. An app that is answered somewhere else is asked about anew.
 *
 * @param ownResource - the host's own API
 */
export function wordsOfPage(asked: Asked, ownResource: string): readonly string[] {
  return [...wordsOfGrant(asked, ownResource), ofDestination + sha256(destinationOf(asked))]
}

function beforeScopesOf(resource: string): string {
  return `${ofOtherApi}${sha256(resource)}:`
}

// A site by its host, as the page has it. A private scheme is the name of the app's maker in
// reverse (RFC 8252 §7.1), so another scheme is another maker. All of loopback is one: the port is
// whichever the app gets, and the address says nothing of who listens.
function destinationOf({ client: { type }, redirectUri }: Asked): string {
  const host = redirectHost(type, redirectUri)
  if (host !== null) return `site ${host}`
  return redirectKind(redirectUri) === 'private'
    ? `app ${redirectUri.slice(0, redirectUri.indexOf(':'))}`
    : 'device'
}

/** Whether a consent has all of these words. */
export function hasWords(granted: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((word) => granted.includes(word))
}

/** Characters of a consent, as SQL stores keep it: what a text column of every engine holds. */
const maxChars = 16_000
/** Two quotes, a colon, the value and a comma: the words are members of a JSON object. */
const charsAround = 5

/** Whether a consent still fits into a row once these words are added. */
export function fitsWith(granted: readonly string[], added: readonly string[]): boolean {
  const words = new Set([...granted, ...added])
  const chars = [...words].reduce((sum, word) => sum + word.length + charsAround, 2)
  return chars <= maxChars
}

/** What a consent allows, for the user to read. */
export interface ReadableConsent {
  /** At the host's own API. */
  readonly scopes: readonly string[]
  /** At others, of those that the client is registered for. */
  readonly resources: readonly Readonly<{ resource: string; scopes: readonly string[] }>[]
}

/**
 * Reads the words of a consent. APIs are kept as digests, so what is none of the client's any more
 * cannot be shown. It allows nothing, either, until the client is registered for it again.
 *
 * @param resources - those that the client is registered for
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
