import type { IncomingMessage, ServerResponse } from 'node:http'

// The only file that reads or writes cookies.

/** A cookie with a fixed name and fixed attributes. */
export interface BrowserCookie {
  /** The value that the browser sent; null without one, or with more than one of this name. */
  read(request: IncomingMessage): string | null
  /** Whether the browser sent at least one of this name. */
  isSent(request: IncomingMessage): boolean
  /**
   * Sets the cookie for `maxAge` seconds; null: until the browser is closed. Throws if the headers
   * are sent.
   */
  keep(response: ServerResponse, value: string, maxAge: number | null): void
  /** Deletes the cookie. */
  forget(response: ServerResponse): void
}

/** The cookie of a browser session. */
export type SessionCookie = BrowserCookie

/** Its name on a secure page. */
export const sessionCookieName: string = nameOf('session', new URL('https://localhost'))

/** `page`: see {@link createPreCookie}. */
export function createSessionCookie(page: URL): SessionCookie {
  return createCookie('session', page)
}

/**
 * The cookie that identifies a browser before sign-in. It never becomes a session. `page`: the
 * pages' origin. Plain HTTP is only for a developer's machine, where browsers reject `Secure`
 * cookies, and share the others between ports: there the name has the port.
 *
 * Browsers accept `__Host-` only from a secure page of exactly this host (RFC 6265bis §4.1.3.2),
 * and `__Host-Http-` only from a header, not from a script. Browsers that do not know the latter
 * treat it as `__Host-`.
 */
export function createPreCookie(page: URL): BrowserCookie {
  return createCookie('pre', page)
}

/** Copies of that cookie, each under a name of its own. */
export interface PreCookieCopies {
  readonly cookies: readonly BrowserCookie[]
  /** The value of each, in one pass over the header: null without, or with more than one. */
  read(request: IncomingMessage): readonly (string | null)[]
}

/** `slots`: two hexadecimal digits for each copy. */
export function createPreCookieCopies(page: URL, slots: readonly string[]): PreCookieCopies {
  const kinds = slots.map((slot) => `pre_${slot}` as const)
  const names = kinds.map((kind) => nameOf(kind, page))
  return {
    cookies: kinds.map((kind) => createCookie(kind, page)),
    read(request) {
      const values = valuesOf(new Set(names), ownHeader(request, 'cookie') ?? '')
      return names.map((name) => values.get(name) ?? null)
    },
  }
}

/** The cookie of a browser that was offered a passkey. It contains nothing else. */
export function createOfferedCookie(page: URL): BrowserCookie {
  return createCookie('offered', page)
}

/**
 * The cookie that recognises a browser when it comes back from a provider. It never becomes a
 * session.
 *
 * @param isPosted - whether a page of a provider posts a form here: browsers send no `Lax` cookie
 * with it
 */
export function createProviderCookie(page: URL, isPosted: boolean): BrowserCookie {
  return createCookie('up', page, isPosted ? '; SameSite=None; Secure' : undefined)
}

/** The cookie of a browser in which a user is not asked for the second factor. */
export function createRememberedCookie(page: URL): BrowserCookie {
  return createCookie('remembered', page)
}

type CookieKind = 'remembered' | 'up' | 'session' | 'pre' | `pre_${string}` | 'offered'

function nameOf(kind: CookieKind, { protocol, port }: URL): string {
  return protocol === 'https:' ? `__Host-Http-mar_${kind}` : `mar_${kind}_dev${port && `_${port}`}`
}

function createCookie(
  kind: CookieKind,
  page: URL,
  sent = `; SameSite=Lax${page.protocol === 'https:' ? '; Secure' : ''}`,
): BrowserCookie {
  const name = nameOf(kind, page)
  const attributes = `; Path=/; HttpOnly${sent}`
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
 * Keeps answers that depend on the cookie out of shared caches, unless the host has set its own
 * `Cache-Control`.
 */
export function keepPrivate(response: ServerResponse): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private')
  const varies = response.getHeader('Vary')
  if (varies === undefined) response.setHeader('Vary', 'Cookie')
  else if (!/(?:^|[,\s])(?:\*|cookie)(?:$|[,\s])/i.test([varies].flat().join()))
    response.appendHeader('Vary', 'Cookie')
}

/**
 * A header; repeated ones are joined. Own members only: a polluted `Object.prototype` must not add
 * one.
 */
export function ownHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join() : value
}

/** Characters; Node's default limit for all headers of a request. */
const maxCookieCharacters = 16_384

// Of two cookies with one name, an attacker may have planted one, from a sibling subdomain for
// example, and no server can tell which. Names are compared exactly: trimming, of Unicode blanks
// for example, would let a cookie evade the rules for its prefix.
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

// The values of many cookies, by these rules. A name that was sent twice has no value.
function valuesOf(names: ReadonlySet<string>, header: string): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>()
  if (header.length > maxCookieCharacters) return values
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).replace(/^[ \t]+/, '')
    if (!names.has(name)) continue
    values.set(name, values.has(name) ? null : pair.slice(equals + 1) || null)
  }
  return values
}

function beginsPair(header: string, at: number): boolean {
  let before = at - 1
  while (header[before] === ' ' || header[before] === '\t') before -= 1
  return before < 0 || header[before] === ';'
}

// Keeps other cookies of the answer and replaces an earlier one of the same name.
function setCookie(response: ServerResponse, name: string, rest: string): void {
  const others = [response.getHeader('Set-Cookie') ?? []]
    .flat()
    .map(String)
    .filter((cookie) => !cookie.startsWith(`${name}=`))
  response.setHeader('Set-Cookie', [...others, `${name}=${rest}`])
}
