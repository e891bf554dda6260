import type { IncomingMessage } from 'node:http'
import { isOwnPage } from '../http/pages.js'
import { equalDigests } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256, sha256 } from '../lib/digest.js'
import type { FlowBinding } from './flow.js'

/** A form of ours: whose browser it was made for, for which request, and on which page. */
export interface FormBinding extends FlowBinding {
  readonly page: string
}

/** Tells forms that our own pages have shown from those that somebody else lays before a user. */
export interface Csrf {
  /** For the hidden field. Null for a browser that has no cookie, of which no form is taken. */
  tokenFor(form: FormBinding): string | null
  /**
   * Whether a form comes from one of our pages, which was shown in this browser for this request,
   * at most an hour ago. Where it does not, the page is shown again, with a new token.
   */
  accepts(incoming: IncomingMessage, token: string | null, form: FormBinding): boolean
}

/** What {@link createCsrf} needs. */
export interface CsrfDeps {
  readonly encryptionKeys: readonly Buffer[]
  /** Of the pages. */
  readonly origin: string
  readonly clock: () => Date
}

/** Milliseconds. A token is good in the half hour it was made in, and in the next. */
const halfHourMs = 30 * 60_000

/** Makes it. The first key makes tokens, all of them check. */
export function createCsrf({ encryptionKeys, origin, clock }: CsrfDeps): Csrf {
  const keys = encryptionKeys.map((key) => deriveKey('csrf', key))
  const [making] = keys as [Buffer, ...Buffer[]]
  const halfHour = () => Math.floor(clock().getTime() / halfHourMs)

  return {
    tokenFor(form) {
      return form.browser === null ? null : tokenOf(making, form, form.browser, halfHour())
    },

    accepts(incoming, token, form) {
      const { browser } = form
      if (!isOwnPage(incoming, origin) || browser === null || token === null) return false
      const now = halfHour()
      return [now, now - 1].some((time) =>
        keys.some((key) => equalDigests(token, tokenOf(key, form, browser, time))),
      )
    },
  }
}

// As JSON, so that no two lists of parts are the same text.
function tokenOf(
  key: Buffer,
  { page, request }: FormBinding,
  browser: string,
  halfHour: number,
): string {
  return hmacSha256(key, JSON.stringify([browser, page, sha256(request), halfHour]))
}
