import type { IncomingMessage } from 'node:http'
import type { CookieChange } from '../http/answer.js'
import { type BrowserCookie, createPreCookie } from '../http/cookies.js'
import { randomId } from '../lib/random.js'

/**
 * How pages recognise a browser. The random value has 128 bits, does not look like a session's
 * secret, and is never looked up: planting one in a victim's browser cannot lead to a session.
 */
export interface KnownBrowser {
  /**
   * The value of its session cookie, or the random value; null without both. A repeated cookie
   * counts as not sent.
   */
  of(incoming: IncomingMessage): string | null
  /**
   * The random value, signed in or not; null without. Forms depend on it: it stays the same at a
   * sign-in, so that a sign-in in another tab does not invalidate the forms of this browser.
   */
  preOf(incoming: IncomingMessage): string | null
  /**
   * All values that its forms may depend on, first that of {@link KnownBrowser.preOf}. Several if
   * pages were opened at once: each has set a value, and the browser keeps the last one.
   */
  allOf(incoming: IncomingMessage): readonly string[]
  /** Like `preOf`; a browser without a value gets one, until it is closed. */
  ensure(incoming: IncomingMessage): NamedBrowser
  /** Whether it has sent any of our cookies; false for a browser that blocks cookies. */
  hasSentAny(incoming: IncomingMessage): boolean
}

/** The value of a browser, and the cookies that it must store. */
export interface NamedBrowser {
  readonly browser: string
  readonly cookies: readonly CookieChange[]
}

const form = /^[\w-]{22}$/

/**
 * A value is stored again under a name that depends on it: at its start, a browser may restore many
 * tabs, and each gets a value before the first answer arrives; the forms of all tabs stay valid.
 * Two values collide with a chance of 1 in 64; then only the later one stays.
 */
const slots = Array.from({ length: 64 }, (_none, slot) => slot.toString(16).padStart(2, '0'))

function slotOf(value: string): number {
  return (Buffer.from(value, 'base64url')[0] ?? 0) % slots.length
}

/** `session`: the cookie of sessions; `page` as in that one. */
export function createKnownBrowser(
  session: Pick<BrowserCookie, 'read' | 'isSent'>,
  page: URL,
): KnownBrowser {
  const pre = createPreCookie(page)
  const copies = slots.map((slot) => createPreCookie(page, slot))

  function preOf(incoming: IncomingMessage): string | null {
    const value = pre.read(incoming)
    return value !== null && form.test(value) ? value : null
  }

  function copyIn(incoming: IncomingMessage, slot: number): string | null {
    const value = copies[slot]?.read(incoming) ?? null
    return value !== null && form.test(value) && slotOf(value) === slot ? value : null
  }

  return {
    of: (incoming) => session.read(incoming) ?? preOf(incoming),
    preOf,
    allOf(incoming) {
      const known = [preOf(incoming), ...slots.map((_slot, index) => copyIn(incoming, index))]
      return [...new Set(known.filter((value) => value !== null))]
    },
    ensure(incoming) {
      const known = preOf(incoming)
      if (known !== null) return { browser: known, cookies: [] }
      const value = randomId()
      const kept = [pre, copies[slotOf(value)] ?? pre]
      return { browser: value, cookies: kept.map((of) => ({ of, value, maxAge: null })) }
    },
    hasSentAny: (incoming) => session.isSent(incoming) || pre.isSent(incoming),
  }
}
