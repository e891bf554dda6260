import { returnPathOf } from '../../http/return-path.js'
import { withReadableDomain } from '../../lib/address-domain.js'
import { parseIdentifier } from '../../login/login-request.js'
import {
  button,
  field,
  formOf,
  hiddenUsername,
  type NameView,
  type PageForm,
  typedName,
} from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import { asIdentifier } from '../next-page.js'
import { pageAddress, plainAddress, returnQuery } from '../page-request.js'
import type { FormsKit } from '../pages-kit.js'
import type { MailedWayBack, PasswordOnPages, UndoOnPages } from '../ports.js'
import type { MailPage, MailPlace } from './mail-form.js'
import { type NewPasswordOnPage, newPasswordField } from './password-page.js'

/** `/account/forgot`: mails a link for a new password to whoever has a proven address. */
export function createForgotPage(kit: FormsKit, password: PasswordOnPages): MailPage {
  return {
    page: 'account/forgot',
    instead: null,

    async view({ raw, language }, form, { fields }) {
      const back = signInAt(kit, raw, language)
      const username = fields.text('username')
      return (shell) => forgotPage({ form, username, back }, shell)
    },

    async submit({ raw, language }, fields, { incoming, context }) {
      const identifier = parseIdentifier(asIdentifier(fields.text('username')))
      const browser = kit.browsers.preOf(incoming)
      const wayBack = browser === null ? null : wayBackOf(raw, browser)
      await password.forgot(identifier, context, wayBack)
      return { note: 'mail-sent', onward: signInAt(kit, raw, language) }
    },
  }
}

/** Characters; stored encrypted with the link, whose row has a limit of its own. */
const maxKeptChars = 4000

function wayBackOf(request: string, browser: string): MailedWayBack | null {
  return isRequest(request) && request.length <= maxKeptChars ? { request, browser } : null
}

/** `/account/reset?token=…`: a new password, by the link in a mail. */
export function createResetPage(kit: FormsKit, password: PasswordOnPages): MailPage {
  return {
    page: 'account/reset',
    instead: plainAddress(kit, 'account/forgot'),

    async view(place, form, { reasons }, request) {
      const { username, minLength } = await password.look(tokenIn(place), request)
      return (shell) => resetPage({ form, username, minLength, reasons }, shell)
    },

    async submit(place, fields, request) {
      const given = { token: tokenIn(place), password: fields.text('password') }
      const wayBack = await password.reset(given, request)
      // A stranger may have asked for the mail, on the way to an app of his choice.
      const known = kit.browsers.allOf(request.incoming)
      const isHere = wayBack !== null && known.includes(wayBack.browser)
      const onward = signInAt(kit, isHere ? wayBack.request : '', place.language)
      return { note: 'password-set', onward }
    },
  }
}

/** `/account/undo?token=…`: takes a change of the address back, by the link in a mail. */
export function createUndoPage(kit: FormsKit, { look, undo }: UndoOnPages): MailPage {
  return {
    page: 'account/undo',
    instead: null,

    async view(place, form, { reasons }, request) {
      const { minLength, ...shown } = await look(tokenIn(place), request)
      const password = minLength === null ? null : { minLength, reasons }
      const view = { ...shown, form, former: withReadableDomain(shown.former), password }
      return (shell) => undoPage(view, shell)
    },

    async submit(place, fields, request) {
      const password = fields.has('password') ? fields.text('password') : undefined
      await undo({ token: tokenIn(place), password }, request)
      return { note: 'address-undone', onward: signInAt(kit, '', place.language) }
    },
  }
}

/** The token of a link in a mail. */
export function tokenIn({ raw }: MailPlace): string {
  return new URLSearchParams(raw).get('token') ?? ''
}

// The query of a sign-in: the request of an app, or a path of this origin.
function isRequest(raw: string): boolean {
  return /(?:^|&)(?:client_id|return_to)=/.test(raw)
}

/** The request of an app or of a page; without one, the request of the account page. */
export function requestIn({ accountUrl }: FormsKit, raw: string): string {
  if (isRequest(raw)) return raw
  return returnQuery(
    accountUrl === null ? '/' : (returnPathOf(new URL(accountUrl).pathname) ?? '/'),
  )
}

/** The address of the sign-in page, which does nothing without a request. */
export function signInAt(kit: FormsKit, raw: string, language: string | null): string {
  return pageAddress(kit.baseUrl, 'sign-in', { raw: requestIn(kit, raw), flow: null, language })
}

/** A new password, of whoever holds the link in a mail. */
export interface ResetView extends NewPasswordOnPage {
  readonly form: PageForm
  readonly username: string
}

/**
 * Asks whoever holds the link in a mail whether a change of the address is to be taken back, and
 * for the new password, in the field `password`.
 */
export interface UndoView {
  readonly form: PageForm
  readonly username: string
  /** The address that comes back. */
  readonly former: string
  /** Null: none is set. */
  readonly password: NewPasswordOnPage | null
}

/**
 * The name of whoever has forgotten the password.
 *
 * @internal
 */
export function forgotPage({ form, username, back }: NameView, { texts }: PageShell): PageContent {
  const isFaulty = form.fault?.kind === 'wrong'
  const name = field({ ...typedName(username, form), isFaulty }, texts)
  return {
    title: 'forgot.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('forgot.lead')}</p>
${formOf(form, texts, 'forgot.wrong', [name, button(texts.html('forgot.submit'))], true)}
<p class="links"><a href="${back}">${texts.html('forgot.back')}</a></p>`,
  }
}

/**
 * A new password, of whoever holds the link in a mail.
 *
 * @internal
 */
export function resetPage(view: ResetView, shell: PageShell): PageContent {
  const { form, username } = view
  const { texts } = shell
  // In the form, so that password managers store the new password under this name.
  const attributes = { type: 'text', value: username, autocomplete: 'username', readonly: true }
  const label = 'new-password.account'
  const content = [
    field({ id: 'username', name: 'username', label, isFaulty: false, attributes }, texts),
    newPasswordField(view, form, shell),
    html`<p class="hint">${texts.html('new-password.ends')}</p>
`,
    button(texts.html('new-password.submit')),
  ]
  return {
    title: 'new-password.title',
    isFaulty: form.fault !== null,
    body: formOf(form, texts, 'new-password.wrong', content, true),
    scripts: [shell.passwordScript],
  }
}

/**
 * Asks before a change of the address is taken back: whatever opens a link opens this page.
 *
 * @internal
 */
export function undoPage(
  { form, username, former, password }: UndoView,
  shell: PageShell,
): PageContent {
  const { texts } = shell
  const wrong = password === null ? 'fault.stale' : 'new-password.wrong'
  const content = [
    hiddenUsername(username),
    password && newPasswordField(password, form, shell),
    button(texts.html('undo.submit')),
  ]
  return {
    title: 'undo.title',
    isFaulty: form.fault !== null,
    body: html`<p class="account"><bdi><b>${username}</b></bdi></p>
<p>${texts.html('undo.former', { address: html`<bdi>${former}</bdi>` })}</p>
<p>${texts.html(password === null ? 'undo.lead-alone' : 'undo.lead')}</p>
${formOf(form, texts, wrong, content, password !== null)}`,
    scripts: [password && shell.passwordScript],
  }
}
