import { returnPathOf } from '../../http/return-path.js'
import { withReadableDomain } from '../../lib/address-domain.js'
import { parseIdentifier } from '../../login/login-request.js'
import { asIdentifier } from '../judge-form.js'
import { pageAddress } from '../page-request.js'
import type { KnownBrowser } from '../pre-cookie.js'
import { returnQuery } from '../sign-in-url.js'
import type { MailPage, MailPlace } from './mail-form.js'
import type { MailedWayBack, PasswordOnPages, UndoOnPages } from './parts.js'

export interface MailPagesDeps {
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'allOf'>
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  /** The account page; null without. */
  readonly accountUrl: string | null
}

/** `/account/forgot`: mails a link for a new password to whoever has a proven address. */
export function createForgotPage(deps: MailPagesDeps, password: PasswordOnPages): MailPage {
  const { browsers } = deps
  return {
    page: 'account/forgot',
    instead: null,

    async view({ raw, language }, form, { fields }) {
      const back = signInAt(deps, raw, language)
      return () => ({ page: 'forgot', form, username: fields.text('username'), back })
    },

    async submit({ raw, language }, fields, { incoming, context }) {
      const identifier = parseIdentifier(asIdentifier(fields.text('username')))
      const browser = browsers.preOf(incoming)
      const wayBack = browser === null ? null : wayBackOf(raw, browser)
      await password.forgot(identifier, context, wayBack)
      return { note: 'mail-sent', onward: signInAt(deps, raw, language) }
    },
  }
}

/** Characters; stored encrypted with the link, whose row has a limit of its own. */
const maxKeptChars = 4000

function wayBackOf(request: string, browser: string): MailedWayBack | null {
  return isRequest(request) && request.length <= maxKeptChars ? { request, browser } : null
}

/** `/account/reset?token=…`: a new password, by the link in a mail. */
export function createResetPage(deps: MailPagesDeps, password: PasswordOnPages): MailPage {
  const { baseUrl, browsers } = deps
  return {
    page: 'account/reset',
    instead: pageAddress(baseUrl, 'account/forgot', nowhere),

    async view(place, form, { reasons }, request) {
      const { username, minLength } = await password.look(tokenIn(place), request)
      return () => ({ page: 'reset', form, username, minLength, reasons })
    },

    async submit(place, fields, request) {
      const given = { token: tokenIn(place), password: fields.text('password') }
      const wayBack = await password.reset(given, request)
      // A stranger may have asked for the mail, on the way to an app of his choice.
      const isHere = wayBack !== null && browsers.allOf(request.incoming).includes(wayBack.browser)
      const onward = signInAt(deps, isHere ? wayBack.request : '', place.language)
      return { note: 'password-set', onward }
    },
  }
}

/** `/account/undo?token=…`: takes a change of the address back, by the link in a mail. */
export function createUndoPage(deps: MailPagesDeps, { look, undo }: UndoOnPages): MailPage {
  return {
    page: 'account/undo',
    instead: null,

    async view(place, form, { reasons }, request) {
      const { username, former, minLength } = await look(tokenIn(place), request)
      const password = minLength === null ? null : { minLength, reasons }
      return () => ({ page: 'undo', form, username, former: withReadableDomain(former), password })
    },

    async submit(place, fields, request) {
      const password = fields.has('password') ? fields.text('password') : undefined
      await undo({ token: tokenIn(place), password }, request)
      return { note: 'address-undone', onward: signInAt(deps, '', place.language) }
    },
  }
}

const nowhere = { raw: '', flow: null, language: null }

/** The token of a link in a mail. */
export function tokenIn({ raw }: MailPlace): string {
  return new URLSearchParams(raw).get('token') ?? ''
}

// The query of a sign-in: the request of an app, or a path of this origin.
function isRequest(raw: string): boolean {
  return /(?:^|&)(?:client_id|return_to)=/.test(raw)
}

/** The request of an app or of a page; without one, the request of the account page. */
export function requestIn({ accountUrl }: Pick<MailPagesDeps, 'accountUrl'>, raw: string): string {
  if (isRequest(raw)) return raw
  return returnQuery(
    accountUrl === null ? '/' : (returnPathOf(new URL(accountUrl).pathname) ?? '/'),
  )
}

/** The address of the sign-in page, which does nothing without a request. */
export function signInAt(deps: MailPagesDeps, raw: string, language: string | null): string {
  return pageAddress(deps.baseUrl, 'sign-in', { raw: requestIn(deps, raw), flow: null, language })
}
