import type { IncomingMessage } from 'node:http'
import type { CookieChange } from '../http/answer.js'
import { createPreCookie, createPreCookieCopies } from '../http/cookies.js'
import { isOwnPage } from '../http/page-origin.js'
import { deriveKey, equalDigests, hmacSha256, randomId, sha256 } from '../lib/secrets.js'
import type { AppsKit } from '../oauth/apps-kit.js'

/** The context of a form: its page, its request, the browser and the account. */
export interface FormBinding {
  readonly page: string
  /** The authorization request in the address, and what the page grants. */
  readonly request: string
  /** The browser's random value; null without. */
  readonly browser: string | null
  /** The id of the signed-in user; null for nobody, or if the form does not depend on it. */
  readonly account: string | null
}

/**
 * The origin of a form. `ours`: this page showed it for this request in this browser, to the user
 * who is signed in now. `other-account`: the same, but another user or nobody was signed in.
 * `foreign`: nothing proves that the form was shown in this browser.
 */
export type FormOrigin = 'ours' | 'other-account' | 'foreign'

/** Distinguishes forms of our own pages from forms of other sites. */
export interface Csrf {
  /** The hidden field. Null for a browser without a value, whose forms are refused. */
  tokenFor(form: FormBinding): string | null
  /**
   * Checks the token of a form against the current browser, user and request. Its age does not
   * matter.
   */
  judge(incoming: IncomingMessage, token: string, form: FormBinding): FormOrigin
  /**
   * Whether a form comes sooner than a user can read its page: then it is the second click of a
   * double click on another site's page. False if the time is unknown, for example by the clock of
   * another process.
   */
  isTooSoon(token: string): boolean
}

/** Milliseconds; less than the 600 for which the style sheet hides the button. */
const glanceMs = 400

/** The time of display, the MAC of the account and browser, and the MAC of the whole. */
const shape = /^([0-9a-z]{1,9})\.([\w-]{43})\.([\w-]{43})$/

/** The first key makes tokens, all keys check them. */
export function createCsrf({ encryptionKeys, baseUrl: { origin }, clock }: AppsKit): Csrf {
  const keys = encryptionKeys.map((key) => deriveKey('csrf', key))
  const [making] = keys as [Buffer, ...Buffer[]]

  return {
    tokenFor(form) {
      if (form.browser === null) return null
      const { browser, account } = form
      const shown = {
        moment: clock().getTime().toString(36),
        accountMac: macOfAccount(making, account, browser),
      }
      return `${shown.moment}.${shown.accountMac}.${macOfForm(making, form, browser, shown)}`
    },

    judge(incoming, token, form) {
      const { browser, account } = form
      if (!isOwnPage(incoming, origin) || browser === null) return 'foreign'
      const [, moment, accountMac, mac] = shape.exec(token) ?? []
      if (moment === undefined || accountMac === undefined || mac === undefined) return 'foreign'
      const shown = { moment, accountMac }
      const key = keys.find((one) => equalDigests(mac, macOfForm(one, form, browser, shown)))
      if (key === undefined) return 'foreign'
      const isSame = equalDigests(accountMac, macOfAccount(key, account, browser))
      return isSame ? 'ours' : 'other-account'
    },

    isTooSoon(token) {
      const [moment = ''] = token.split('.', 1)
      const age = clock().getTime() - Number.parseInt(moment, 36)
      return age >= 0 && age < glanceMs
    },
  }
}

// JSON is used so that different lists of parts are different texts.
function macOfAccount(key: Buffer, account: string | null, browser: string): string {
  return hmacSha256(key, JSON.stringify(['account', account, browser]))
}

function macOfForm(
  key: Buffer,
  { page, request }: FormBinding,
  browser: string,
  { moment, accountMac }: { readonly moment: string; readonly accountMac: string },
): string {
  return hmacSha256(key, JSON.stringify([browser, page, sha256(request), moment, accountMac]))
}

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
   * All values that its forms may depend on, first the value of {@link KnownBrowser.preOf}. There
   * are several if pages were opened at once: each has set a value, and the browser keeps the last
   * one.
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

export function createKnownBrowser({ pages: { cookie: session }, baseUrl }: AppsKit): KnownBrowser {
  const pre = createPreCookie(baseUrl)
  const copies = createPreCookieCopies(baseUrl, slots)

  function preOf(incoming: IncomingMessage): string | null {
    const value = pre.read(incoming)
    return value !== null && form.test(value) ? value : null
  }

  return {
    of: (incoming) => session.read(incoming) ?? preOf(incoming),
    preOf,
    allOf(incoming) {
      const own = (value: string | null, slot: number) =>
        value !== null && form.test(value) && slotOf(value) === slot
      const known = [preOf(incoming), ...copies.read(incoming).filter(own)]
      return [...new Set(known.filter((value) => value !== null))]
    },
    ensure(incoming) {
      const known = preOf(incoming)
      if (known !== null) return { browser: known, cookies: [] }
      const value = randomId()
      const kept = [pre, copies.cookies[slotOf(value)] ?? pre]
      return { browser: value, cookies: kept.map((of) => ({ of, value, maxAge: null })) }
    },
    hasSentAny: (incoming) => session.isSent(incoming) || pre.isSent(incoming),
  }
}
