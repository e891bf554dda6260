import { hasAppScheme } from '../lib/addresses.js'
import type { OAuthClientType } from '../stores/client-contract.js'

// All checks are on the text. Another spelling that a URL parser reads as the same address
// (`127.1`, `%6cocalhost`, a backslash) is a different text, and cannot be registered.

/** The longest redirect URI, in characters. */
const maxRedirectChars = 2000

/** The target of a redirect: a site, a port of the user's own device, or an app on the device. */
export type RedirectKind = 'https' | 'loopback' | 'private'

/**
 * The device itself, in the spelling of a URL parser: 127.0.0.0/8 and `::1`, the unspecified
 * addresses, which systems treat as the device, and the names of [RFC 6761
 * §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3).
 */
const device =
  /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::(?:1|ffff:(?:7f..:[^:]+|0:0))?\]|(?:.+\.)?localhost)$/

/**
 * The kind of a redirect URI without a {@link redirectProblem}. With https on a loopback address,
 * too, nobody can tell who listens.
 */
export function redirectKind(uri: string): RedirectKind {
  const [, host = ''] = /^https?:\/\/(\[[^\]]*\]|[^:/?]*)/.exec(uri) ?? []
  if (device.test(host)) return 'loopback'
  return uri.startsWith('https:') ? 'https' : 'private'
}

/**
 * The host of a redirect URI without a {@link redirectProblem}, with its port; null if it leads to
 * an app on the device, whose maker cannot be verified.
 */
export function redirectHost(type: OAuthClientType, uri: string): string | null {
  return type === 'web' || redirectKind(uri) === 'https' ? new URL(uri).host : null
}

/** Host and port of a site, followed by path and query. */
const site =
  /^https:\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(?=[/?]|$)/
/** [RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3): literal, port, the rest. */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9][0-9]{0,4}))?(?=\/|$)/
/**
 * The scheme of an app: a domain of its maker, in reverse ([RFC 8252
 * §7.1](https://www.rfc-editor.org/rfc/rfc8252#section-7.1)), or a name such as `vscode`.
 */
const privateScheme = /^[a-z][a-z0-9+.-]*[a-z0-9]:\/(?:\/[A-Za-z0-9._-]+(?=[/?]|$)|(?!\/))/
/** Path and query of [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986#section-3.3), no `*`. */
const pathAndQuery = /^(?:[A-Za-z0-9\-._~/?:@!$&'()+,;=]|%[0-9A-Fa-f]{2})*$/

/** Mistakes with an explanation of their own. Everything else that is wrong is refused, too. */
const mistakes: readonly (readonly [RegExp, string])[] = [
  [/#/, 'has a fragment, which no server gets to see.'],
  [/\*/, 'has a wildcard: every redirect URI is listed, and compared as text.'],
  [/^[^/?]*\/\/[^/?]*@/, 'has a user name in front of the host.'],
  [
    /[?&](?:code|state|iss|error|error_description)(?:[=&]|$)/,
    'has a parameter in its query that every answer adds.',
  ],
]

/**
 * The fault of a redirect URI that a client wants to register; null if it has none. The rule is an
 * allow list: `https:` for all, and for native clients also `http:` on a loopback address ([RFC
 * 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)) and the scheme of an app. A
 * scheme that browsers or systems act on themselves, such as `javascript:`, is refused.
 *
 * @param webOnLoopback - whether web clients may use `http:` on a loopback address, too
 */
export function redirectProblem(
  uri: string,
  type: OAuthClientType,
  webOnLoopback = false,
): string | null {
  if (type === 'service') return 'is of a service, which has no browser to send anywhere.'
  if (uri.length > maxRedirectChars) return `is longer than ${maxRedirectChars} characters.`
  const mistake = mistakes.find(([pattern]) => pattern.test(uri))
  if (mistake !== undefined) return mistake[1]
  const isSite = isRest(uri, site)
  // The pages show the host, and `redirectKind` relies on it, so it must be the host that a browser
  // connects to.
  if (isSite && !isOwnSpelling(uri))
    return 'has a host that browsers write otherwise or cannot open.'
  if (isSite || (type === 'native' && isOfDevice(uri)) || (webOnLoopback && isRest(uri, loopback)))
    return null
  return type === 'native'
    ? 'is neither https, nor http on 127.0.0.1, [::1] or localhost, nor of the scheme of an app, ' +
        'like com.example.app:/path.'
    : 'is not https with a host in small letters.'
}

/**
 * Whether a request's redirect URI equals a registered one, as text. For a native client on a
 * loopback address only the port may differ, since an app listens on any free port ([RFC 8252
 * §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)).
 */
export function redirectMatches(
  presented: string,
  registered: string,
  type: OAuthClientType,
): boolean {
  if (presented.length > maxRedirectChars) return false
  if (presented === registered) return true
  if (type !== 'native') return false
  const given = loopback.exec(presented)
  const wanted = loopback.exec(registered)
  if (given === null || wanted === null) return false
  return (
    isPort(given[2]) &&
    given[1] === wanted[1] &&
    presented.slice(given[0].length) === registered.slice(wanted[0].length)
  )
}

function isOfDevice(uri: string): boolean {
  return isRest(uri, loopback) || (hasAppScheme(uri) && isRest(uri, privateScheme))
}

// `127.1`, `0x7f.1`, `[0::1]`, `1.2.3.4.5`, `xn--`.
function isOwnSpelling(uri: string): boolean {
  return URL.canParse(uri) && new URL(uri).hostname === site.exec(uri)?.[1]
}

function isRest(uri: string, beginning: RegExp): boolean {
  const match = beginning.exec(uri)
  if (match === null || !isPort(match[2])) return false
  return pathAndQuery.test(uri.slice(match[0].length))
}

function isPort(digits: string | undefined): boolean {
  return digits === undefined || Number(digits) <= 65_535
}

/** An answer to a client: a code, or an error with a description. */
export type AuthorizationResponse = {
  /** The `state` of the request; null without one. */
  readonly state: string | null
  /**
   * The issuer, so that a client of several servers cannot be misled by another: [RFC
   * 9207](https://www.rfc-editor.org/rfc/rfc9207).
   */
  readonly iss: string
} & ({ readonly code: string } | { readonly error: string; readonly error_description: string })

const names = ['code', 'error', 'error_description', 'state', 'iss'] as const

/**
 * The address that an answer is sent to: the redirect URI as the client wrote it, with the
 * parameters appended. It is never parsed and reassembled: a URL parser changes the text of some
 * addresses, and the client's server may accept only the registered text.
 *
 * @param redirectUri - verified to be the client's
 */
export function redirectLocation(redirectUri: string, response: AuthorizationResponse): string {
  return appended(redirectUri, answerFields(response))
}

/** The parameters of an answer, in the order in which they are sent. */
export function answerFields(response: AuthorizationResponse): Readonly<Record<string, string>> {
  const given: Readonly<Partial<Record<(typeof names)[number], string | null>>> = response
  const added = names.flatMap((name) => {
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null
    return value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(added)
}

/** An address with parameters appended, in this order. */
export function appended(address: string, parameters: Readonly<Record<string, string>>): string {
  return `${address}${separatorOf(address)}${queryOf(parameters)}`
}

/** Parameters as a query without the `?`, in this order. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${formEncoded(value)}`)
  return pairs.join('&')
}

function separatorOf(redirectUri: string): '?' | '&' | '' {
  if (!redirectUri.includes('?')) return '?'
  return redirectUri.endsWith('?') || redirectUri.endsWith('&') ? '' : '&'
}

// A blank as %20, which parsers of forms and of URIs both accept, and all characters that RFC 3986
// reserves, so that no browser rewrites them.
function formEncoded(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
