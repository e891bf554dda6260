import type { IncomingMessage } from 'node:http'
import { isOwnPage } from '../http/page-origin.js'
import { equalDigests } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256, sha256 } from '../lib/digest.js'

/** A form of ours: on which page it was shown, for which request, in whose browser, and to whom. */
export interface FormBinding {
  readonly page: string
  /** The authorization request, as it stands in the address, and what the page makes of it. */
  readonly request: string
  /** The random value that the browser is known by; null for one that has none. */
  readonly browser: string | null
  /** The id of who is signed in there; null for nobody, and where the form does not go by that. */
  readonly account: string | null
}

/**
 * Where a form comes from. `ours`: from this page, for this request, in this browser, and shown to
 * whoever is signed in now. `other-account`: the same, but somebody else was signed in, or nobody.
 * `foreign`: nothing proves that this browser was shown it.
 */
export type FormOrigin = 'ours' | 'other-account' | 'foreign'

/** Tells forms that our own pages have shown from those that somebody else lays before a user. */
export interface Csrf {
  /** For the hidden field. Null for a browser that has no value, of which no form is taken. */
  tokenFor(form: FormBinding): string | null
  /**
   * Judges the token of a form. Its age counts for nothing: the value of the browser, who is signed
   * in, and what is asked for, are all judged as they are now.
   */
  judge(incoming: IncomingMessage, token: string, form: FormBinding): FormOrigin
  /**
   * Whether a form that is ours comes sooner than anybody can have read its page: it is the second
   * click of a double click that a page of somebody else has asked for. False where that cannot be
   * told, as where the clock of another process has shown the page.
   */
  isTooSoon(token: string): boolean
}

/** The same for a browser that has several values: of one of them the form must be. */
export function judgeInBrowser(
  csrf: Pick<Csrf, 'judge'>,
  incoming: IncomingMessage,
  token: string,
  form: Omit<FormBinding, 'browser'>,
  browsers: readonly string[],
): FormOrigin {
  for (const browser of browsers) {
    const found = csrf.judge(incoming, token, { ...form, browser })
    if (found !== 'foreign') return found
  }
  return 'foreign'
}

export interface CsrfDeps {
  readonly encryptionKeys: readonly Buffer[]
  /** Of the pages. */
  readonly origin: string
  readonly clock: () => Date
}

/** Milliseconds. Less than the 600 for which the style sheet hides the button. */
const glanceMs = 400

/** The time of display, the MAC of the account and browser, and the MAC of the whole. */
const shape = /^([0-9a-z]{1,9})\.([\w-]{43})\.([\w-]{43})$/

/** Makes it. The first key makes tokens, all of them check. */
export function createCsrf({ encryptionKeys, origin, clock }: CsrfDeps): Csrf {
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

// As JSON, so that no two lists of parts are the same text.
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
