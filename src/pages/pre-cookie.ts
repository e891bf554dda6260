import type { IncomingMessage } from 'node:http'
import type { CookieChange } from '../http/answer.js'
import { type BrowserCookie, createPreCookie } from '../http/cookies.js'
import { randomId } from '../lib/random.js'

/**
 * What a browser is known by on the pages. The random value is 128 bits, has not the form of a
 * session's secret, and is never looked up: who plants one in a victim's browser has planted
 * nothing that could come to be signed in.
 */
export interface KnownBrowser {
  /**
   * The session that it keeps, or the random value; null for a browser that has neither. What came
   * twice counts as not sent.
   */
  of(incoming: IncomingMessage): string | null
  /**
   * The random value, signed in or not; null without. Forms go by it: it is the same before and
   * after a sign-in, so that one in another tab makes no form of this browser a stranger's.
   */
  preOf(incoming: IncomingMessage): string | null
  /**
   * Whatever forms that it was shown may go by, that of {@link KnownBrowser.preOf} first. More than
   * one where several pages were opened at once: each has given it a value, of which it keeps the
   * last one.
   */
  allOf(incoming: IncomingMessage): readonly string[]
  /** The same as `preOf`; a browser that has none is given one, to be kept until it is closed. */
  ensure(incoming: IncomingMessage): NamedBrowser
  /** Whether it has sent any cookie of ours, in whatever form. One that takes none has not. */
  hasSentAny(incoming: IncomingMessage): boolean
}

/** What a browser is known by from now on, and what it must keep for that. */
export interface NamedBrowser {
  readonly browser: string
  readonly cookies: readonly CookieChange[]
}

const form = /^[\w-]{22}$/

/**
 * A value is kept a second time, under a name that goes by the value: tabs that a browser opens
 * again at its start are all given one before any answer has come, and each of their forms is one
 * that this browser was shown. Of two in 64 the one takes the place of the other, as it was before.
 */
const slots = Array.from({ length: 64 }, (_none, slot) => slot.toString(16).padStart(2, '0'))

function slotOf(value: string): number {
  return (Buffer.from(value, 'base64url')[0] ?? 0) % slots.length
}

/** Makes it, of the cookie of sessions. `isSecure` as for that one. */
export function createKnownBrowser(
  session: Pick<BrowserCookie, 'read' | 'isSent'>,
  isSecure: boolean,
): KnownBrowser {
  const pre = createPreCookie(isSecure)
  const copies = slots.map((slot) => createPreCookie(isSecure, slot))

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
