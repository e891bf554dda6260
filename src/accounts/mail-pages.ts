import type { EndpointRequest } from '../http/endpoint.js'
import { withReadableDomain } from '../lib/addresses.js'
import { parseIdentifier } from '../login/login-request.js'
import {
  button,
  field,
  formOf,
  hiddenUsername,
  type NameView,
  type PageForm,
  typedName,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { isRequest, type MailPage, signInAt, tokenIn } from '../pages/mail-form.js'
import { asIdentifier } from '../pages/next-page.js'
import { plainAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import type { AuthUser } from '../users/contract.js'
import type { AddressKit } from './accounts-server.js'
import { minLengthOf, type PasswordsKit, requireNewPassword } from './new-password.js'
import { type NewPasswordOnPage, newPasswordField } from './password-page.js'
import type { Sealed } from './proofs.js'
import { forgotPassword, type MailedWayBack, resetPassword } from './reset-password.js'
import { findUndo, ownerOfProof, undoAddress, undoAsksPassword } from './undo-address.js'

/** `/account/forgot`: mails a link for a new password to a user with a proven address. */
export function createForgotPage(forms: FormsKit, kit: PasswordsKit): MailPage {
  return {
    page: 'account/forgot',
    instead: null,

    async view({ raw, language }, form, { fields }) {
      const back = signInAt(forms, raw, language)
      const username = fields.text('username')
      return (shell) => forgotPage({ form, username, back }, shell)
    },

    async submit({ raw, language }, fields, { incoming, context }) {
      const identifier = parseIdentifier(asIdentifier(fields.text('username')))
      const browser = forms.browsers.preOf(incoming)
      const wayBack = browser === null ? null : wayBackOf(raw, browser)
      await forgotPassword(kit, identifier, context, wayBack)
      return { note: 'mail-sent', onward: signInAt(forms, raw, language) }
    },
  }
}

/** Characters; stored encrypted with the link, whose row has a limit of its own. */
const maxKeptChars = 4000

function wayBackOf(request: string, browser: string): MailedWayBack | null {
  return isRequest(request) && request.length <= maxKeptChars ? { request, browser } : null
}

/** `/account/reset?token=…`: a new password, by the link in a mail. */
export function createResetPage(forms: FormsKit, kit: PasswordsKit): MailPage {
  const { proofs } = kit
  const { limitRefusals } = kit.throttle
  return {
    page: 'account/reset',
    instead: plainAddress(forms, 'account/forgot'),

    async view(place, form, { reasons }, request) {
      const user = await limitRefusals('password-reset', request, () =>
        ownerOfReset(kit, tokenIn(place), request),
      )
      const minLength = await minLengthOf(kit, user)
      return (shell) => resetPage({ form, username: user.username, minLength, reasons }, shell)
    },

    async submit(place, fields, request) {
      const given = { token: tokenIn(place), password: fields.text('password') }
      requireNewPassword(given.password)
      // The page uses the counters of the endpoints: it is no second set of guesses.
      const wayBack = await limitRefusals('password-reset', request, async () => {
        const { sealed } = await proofs.findLink('reset', given.token, request.context)
        await resetPassword(kit, given, request)
        return wayBackIn(sealed)
      })
      // A stranger may have asked for the mail, on the way to an app of his choice.
      const known = forms.browsers.allOf(request.incoming)
      const isHere = wayBack !== null && known.includes(wayBack.browser)
      const onward = signInAt(forms, isHere ? wayBack.request : '', place.language)
      return { note: 'password-set', onward }
    },
  }
}

// The user of a link for a new password.
async function ownerOfReset(
  kit: PasswordsKit,
  token: string,
  { context }: EndpointRequest,
): Promise<AuthUser> {
  const proof = await kit.proofs.findLink('reset', token, context)
  const user = await ownerOfProof(kit, proof, context)
  if (user.disabled === true) throw kit.proofs.refusal('no-user', proof.record, context)
  return user
}

function wayBackIn({ request = null, browser = null }: Sealed): MailedWayBack | null {
  return request === null || browser === null ? null : { request, browser }
}

/** `/account/undo?token=…`: takes a change of the address back, by the link in a mail. */
export function createUndoPage(
  forms: FormsKit,
  kits: readonly [AddressKit, ...AddressKit[]],
): MailPage {
  const [{ throttle }] = kits
  const { limitRefusals } = throttle
  return {
    page: 'account/undo',
    instead: null,

    async view(place, form, { reasons }, request) {
      const token = tokenIn(place)
      const { username, former, minLength } = await limitRefusals('email-undo', request, () =>
        lookAtUndo(kits, token, request),
      )
      const password = minLength === null ? null : { minLength, reasons }
      const view = { form, username, former: former && withReadableDomain(former), password }
      return (shell) => undoPage(view, shell)
    },

    async submit(place, fields, request) {
      const password = fields.has('password') ? fields.text('password') : undefined
      if (password !== undefined) requireNewPassword(password)
      const given = { token: tokenIn(place), password }
      await limitRefusals('email-undo', request, () => undoAddress(kits, given, request))
      return { note: 'address-undone', onward: signInAt(forms, '', place.language) }
    },
  }
}

// The user and the former address of a link; `minLength`: of the new password, null if none is set.
async function lookAtUndo(
  kits: readonly AddressKit[],
  token: string,
  { context }: EndpointRequest,
) {
  const { kit, proof } = await findUndo(kits, token, context)
  const user = await ownerOfProof(kit, proof, context)
  const minLength = undoAsksPassword(kit, user) ? await minLengthOf(kit, user) : null
  return { username: user.username, former: proof.sealed['from'] ?? null, minLength }
}

/** The page on which the holder of a mailed link sets a new password. */
export interface ResetView extends NewPasswordOnPage {
  readonly form: PageForm
  readonly username: string
}

/**
 * Asks the holder of the link in a mail whether to take a change of the address back. The field
 * `password` asks for the new password.
 */
export interface UndoView {
  readonly form: PageForm
  readonly username: string
  /** The address that comes back; null: a number goes. */
  readonly former: string | null
  /** Null: none is set. */
  readonly password: NewPasswordOnPage | null
}

/**
 * Asks for the name of a user who has forgotten the password.
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
 * Asks the holder of the link in a mail for a new password.
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
<p>${
      former === null
        ? texts.html('undo.no-number')
        : texts.html('undo.former', { address: html`<bdi>${former}</bdi>` })
    }</p>
<p>${texts.html(password === null ? 'undo.lead-alone' : 'undo.lead')}</p>
${formOf(form, texts, wrong, content, password !== null)}`,
    scripts: [password && shell.passwordScript],
  }
}
