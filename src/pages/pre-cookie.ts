import type { IncomingMessage } from 'node:http'
import type { CookieChange } from '../http/answer.js'
import { type BrowserCookie, createPreCookie } from '../http/cookies.js'
import { randomId } from '../lib/random.js'

/**
 * What a browser is known by on the pages: the session that it keeps, or a random value before it
 * has one. That value is 128 bits, has not the form of a session's secret, and is never looked up:
 * who plants one in a victim's browser has planted nothing that could come to be signed in.
 */
export interface KnownBrowser {
  /** Null for a browser that has neither; what came twice counts as not sent. */
  of(incoming: IncomingMessage): string | null
  /** The same; a browser that has neither is given a value, to be kept until it is closed. */
  ensure(incoming: IncomingMessage): NamedBrowser
  /** Has the browser forget the random value: it has signed in. */
  readonly forgotten: CookieChange
}

/** What a browser is known by from now on, and what it must keep for that. */
export interface NamedBrowser {
  readonly browser: string
  readonly cookies: readonly CookieChange[]
}

const form = /^[\w-]{22}$/

/** Makes it, of the cookie of sessions. `isSecure` as for that one. */
export function createKnownBrowser(
  session: Pick<BrowserCookie, 'read'>,
  isSecure: boolean,
): KnownBrowser {
  const pre = createPreCookie(isSecure)

  function of(incoming: IncomingMessage): string | null {
    const kept = session.read(incoming)
    if (kept !== null) return kept
    const value = pre.read(incoming)
    return value !== null && form.test(value) ? value : null
  }

  return {
    of,
    ensure(incoming) {
      const known = of(incoming)
      if (known !== null) return { browser: known, cookies: [] }
      const value = randomId()
      return { browser: value, cookies: [{ of: pre, value, maxAge: null }] }
    },
    forgotten: { of: pre, value: null },
  }
}
