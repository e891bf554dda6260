import type { IncomingMessage, ServerResponse } from 'node:http'

// The only file that reads or writes cookies.

/** One cookie, under one name. */
export interface BrowserCookie {
  /** What the browser has sent; null where there is none, or more than one of this name. */
  read(request: IncomingMessage): string | null
  /** Whether one of this name was sent, whatever is in it, and how often. */
  isSent(request: IncomingMessage): boolean
  /**
   * Has the browser keep a value for so many seconds; null: until it is closed. Throws where the
   * answer has begun.
   */
  keep(response: ServerResponse, value: string, maxAge: number | null): void
  /** Has the browser forget it. */
  forget(response: ServerResponse): void
}

/** The cookie of a page's session. */
export type SessionCookie = BrowserCookie

/** The name of that cookie on a secure page. */
export const sessionCookieName: string = nameOf('session', true)

/** Makes it: see {@link createPreCookie}. */
export function createSessionCookie(isSecure: boolean): SessionCookie {
  return createCookie('session', isSecure)
}

/**
 * Makes the cookie that tells one browser from another before anybody signs in there. It is no
 * session's, and never becomes one's. `isSecure` is false for pages in the clear alone, on the
 * machine of a developer, where no browser that goes by the standard keeps the cookie otherwise.
 *
 * What begins with `__Host-` is taken by browsers of a secure page alone, and of this very host
 * (RFC 6265bis §4.1.3.2); with `__Host-Http-` not of a script either. Where that is unknown it is
 * `__Host-` still.
 *
 * @param slot - of a copy under another name, two hexadecimal digits
 */
export function createPreCookie(isSecure: boolean, slot?: string): BrowserCookie {
  return createCookie(slot === undefined ? 'pre' : `pre_${slot}`, isSecure)
}

/** Makes the cookie of a browser that was offered a passkey; it says no more than that. */
export function createOfferedCookie(isSecure: boolean): BrowserCookie {
  return createCookie('offered', isSecure)
}

type CookieKind = 'session' | 'pre' | `pre_${string}` | 'offered'

function nameOf(kind: CookieKind, isSecure: boolean): string {
  return isSecure ? `__Host-Http-mar_${kind}` : `mar_${kind}_dev`
}

function createCookie(kind: CookieKind, isSecure: boolean): BrowserCookie {
  const name = nameOf(kind, isSecure)
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: (request) => onlyValueOf(name, ownHeader(request, 'cookie') ?? ''),
    isSent: (request) => (ownHeader(request, 'cookie') ?? '').includes(`${name}=`),
    keep(response, value, maxAge) {
      const age = maxAge === null ? '' : `; Max-Age=${maxAge}`
      setCookie(response, name, `${value}${attributes}${age}`)
    },
    forget: (response) => setCookie(response, name, `${attributes}; Max-Age=0`),
  }
}

/**
 * Keeps what depends on the cookie out of caches that others share, unless the host has said
 * something of its own.
 */
export function keepPrivate(response: ServerResponse): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private')
  const varies = response.getHeader('Vary')
  if (varies === undefined) response.setHeader('Vary', 'Cookie')
  else if (!/(?:^|[,\s])(?:\*|cookie)(?:$|[,\s])/i.test([varies].flat().join()))
    response.appendHeader('Vary', 'Cookie')
}

/**
 * A header as it was sent; a repeated one has its values joined. An own one: a request without it
 * must not find that of a polluted `Object.prototype`.
 */
export function ownHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join() : value
}

/** Characters. All headers of a request together have this much room, unless a host gives more. */
const maxCookieCharacters = 16_384

// Of two cookies of one name one was planted, by a neighbour under the same domain, say; which, no
// server can tell. Names are compared as they stand: what a more generous reader trims, such as a
// blank outside of ASCII, would get a cookie past the rules for its name.
function onlyValueOf(name: string, header: string): string | null {
  if (header.length > maxCookieCharacters) return null
  let found: string | null = null
  for (let at = header.indexOf(name); at >= 0; at = header.indexOf(name, at + 1)) {
    const from = at + name.length + 1
    if (header[from - 1] !== '=' || !beginsPair(header, at)) continue
    if (found !== null) return null
    const end = header.indexOf(';', from)
    found = header.slice(from, end < 0 ? undefined : end)
  }
  return found === '' ? null : found
}

function beginsPair(header: string, at: number): boolean {
  let before = at - 1
  while (header[before] === ' ' || header[before] === '\t') before -= 1
  return before < 0 || header[before] === ';'
}

// Others have cookies of their own; of ours the last one counts.
function setCookie(response: ServerResponse, name: string, rest: string): void {
  const others = [response.getHeader('Set-Cookie') ?? []]
    .flat()
    .map(String)
    .filter((cookie) => !cookie.startsWith(`${name}=`))
  response.setHeader('Set-Cookie', [...others, `${name}=${rest}`])
}
