import type { IncomingMessage } from 'node:http'
import { isOwnPage } from '../http/page-origin.js'
import { equalDigests } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256, sha256 } from '../lib/digest.js'

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

/** The same for a browser with several values: the form must match one of them. */
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
  /** The origin of the pages. */
  readonly origin: string
  readonly clock: () => Date
}

/** Milliseconds; less than the 600 for which the style sheet hides the button. */
const glanceMs = 400

/** The time of display, the MAC of the account and browser, and the MAC of the whole. */
const shape = /^([0-9a-z]{1,9})\.([\w-]{43})\.([\w-]{43})$/

/** The first key makes tokens, all keys check them. */
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

// As JSON, so that different lists of parts are different texts.
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
