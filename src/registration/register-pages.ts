import { type NewPasswordOnPage, newPasswordField } from '../accounts/password-page.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { withReadableDomain } from '../lib/addresses.js'
import type { LoggedIn } from '../login/log-in.js'
import {
  button,
  codeField,
  field,
  formOf,
  hiddenFields,
  type PageForm,
  unspelt,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import {
  type MailFormDone,
  type MailPage,
  type MailPlace,
  replayFirstDone,
  requestIn,
  signInAt,
  tokenIn,
} from '../pages/mail-form.js'
import { pageAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { endEarlier } from '../pages/renew-cookie.js'
import type { TextKey } from '../pages/texts/en.js'
import type { PageTexts } from '../pages/texts.js'
import { browserLifetime } from '../sessions/browser-session.js'
import { confirmRegistration, confirmRegistrationRequest } from './confirm-registration.js'
import { findInvitation } from './invitations.js'
import { isOpen, type RegistrationKit, register, registerRequest } from './register.js'

/**
 * The pages for new users use the counters of the endpoints: a page is no second set of guesses.
 */
export function createRegisterPages(forms: FormsKit, kit: RegistrationKit): MailPage[] {
  return [
    createRegisterPage(forms, kit, 'account/register'),
    createRegisterPage(forms, kit, 'account/invitation'),
    replayFirstDone(createConfirmRegisterPage(forms, kit), kit.clock),
  ]
}

/**
 * `/account/register`, and `/account/invitation?token=…` for an invited person: mails a code to a
 * new user.
 */
function createRegisterPage(
  forms: FormsKit,
  kit: RegistrationKit,
  page: 'account/register' | 'account/invitation',
): MailPage {
  const isInvited = page === 'account/invitation'
  // A link in a mail carries no request of an app.
  const appOf = ({ raw }: MailPlace) => (isInvited ? '' : raw)
  return {
    page,
    instead: null,

    async view(place, form, { fields, wrong }, request) {
      if (!isInvited && !(await isOpen(kit))) throw new AuthError('registration-closed')
      const given = isInvited ? await invitedAddress(kit, tokenIn(place), request) : null
      const view: RegisterView = {
        form,
        email: given === null ? fields.text('email') : withReadableDomain(given),
        isEmailGiven: given !== null,
        username: fields.text('username'),
        name: fields.text('name'),
        wrong: registerFields.find((one) => wrong.includes(one)) ?? null,
        isTaken: wrong.includes('username-taken'),
        back: signInAt(forms, appOf(place), place.language),
      }
      return (shell) => registerPage(view, shell)
    },

    async submit(place, fields, request) {
      const sent = ['email', 'username', 'name', ...(fields.has('locale') ? ['locale'] : [])]
      const typed = sent.map((name) => [name, fields.text(name)] as const)
      const invitation = isInvited ? { invitation: tokenIn(place) } : {}
      const given = { ...Object.fromEntries(typed), ...invitation }
      const { requestId } = await kit.throttle.limitRefusals('register', request, () =>
        register(kit, parseInput(registerRequest, given), request),
      )
      const app = appOf(place)
      const raw = `proof=${requestId}${app === '' ? '' : '&'}${app}`
      const next = { raw, flow: null, language: place.language }
      return { goTo: pageAddress(forms.baseUrl, 'account/register/confirm', next), cookies: [] }
    },
  }
}

function invitedAddress(
  kit: RegistrationKit,
  token: string,
  request: EndpointRequest,
): Promise<string | null> {
  return kit.throttle.limitRefusals('invitation', request, async () => {
    return (await findInvitation(kit, token, request.context)).email
  })
}

const registerFields: readonly RegisterField[] = ['email', 'username', 'name']

/** `/account/register/confirm?proof=…`: takes the code, and signs the new user in. */
function createConfirmRegisterPage(forms: FormsKit, kit: RegistrationKit): MailPage {
  const { emailSignIn, passwordRules } = kit.accountsOptions
  // Without a password, a user can sign in by a mailed code.
  const needsPassword = !emailSignIn
  const { minLength } = passwordRules
  return {
    page: 'account/register/confirm',
    instead: null,
    takesCode: true,

    async view(place, form, { fields, reasons, wrong }) {
      const { app } = confirmIn(place)
      const again = { raw: app, flow: null, language: place.language }
      const isTaken = wrong.includes('username-taken')
      const view: ConfirmRegisterView = {
        form,
        code: fields.text('code'),
        // The name is asked for only after somebody else has taken it.
        username: isTaken || fields.has('username') ? fields.text('username') : null,
        isTaken,
        password: { minLength, reasons },
        isPasswordOptional: !needsPassword,
        back: pageAddress(forms.baseUrl, 'account/register', again),
      }
      return (shell) => confirmRegisterPage(view, shell)
    },

    async submit(place, fields, request) {
      const { requestId, app } = confirmIn(place)
      const optional = needsPassword ? [] : ['password'].filter((one) => fields.text(one) !== '')
      const sent = ['code', ...(needsPassword ? ['password'] : optional)]
      const other = ['username'].filter((one) => fields.has(one))
      const typed = [...sent, ...other].map((name) => [name, fields.text(name)] as const)
      const given = { requestId, ...Object.fromEntries(typed) }
      const opened = await kit.throttle.limitRefusals('register-confirm', request, () => {
        const { tokens: _, ...parsed } = parseInput(confirmRegistrationRequest, given)
        const asked = { tokens: 'cookie', lifetime: browserLifetime(false) } as const
        return confirmRegistration(kit, { ...parsed, ...asked }, request)
      })
      return signedIn(forms, opened, app, place, request)
    },
  }
}

/** The id of the request for a code, and the request of the app. */
function confirmIn({ raw }: MailPlace): { readonly requestId: string; readonly app: string } {
  const [, requestId = '', app = ''] = /^proof=([\w-]{1,100})(?:&(.*))?$/.exec(raw) ?? []
  return { requestId, app }
}

async function signedIn(
  forms: FormsKit,
  { session, token: value }: LoggedIn,
  app: string,
  { language }: MailPlace,
  request: EndpointRequest,
): Promise<MailFormDone> {
  const { pages, flows } = forms
  await endEarlier(forms, session, request)
  const raw = requestIn(forms, app)
  // The flow is like the flow after a sign-in: the request may ask for a new sign-in.
  const flow = flows.seal(flows.withStep(flows.begin(), 'login'), { request: raw, browser: value })
  const goTo = pageAddress(forms.baseUrl, 'authorize', { raw, flow, language })
  return { goTo, cookies: [{ of: pages.cookie, value, maxAge: null }] }
}

/** A new account. The form has the fields of {@link RegisterField}. */
export interface RegisterView {
  readonly form: PageForm
  /**
   * The address as it was typed. If `isEmailGiven`, the address of the invitation, which cannot be
   * changed.
   */
  readonly email: string
  readonly isEmailGiven: boolean
  readonly username: string
  /** The name that others see. */
  readonly name: string
  /** The field at fault; null if none is known. */
  readonly wrong: RegisterField | null
  /** Whether somebody else has the user name. */
  readonly isTaken: boolean
  /** The sign-in page. */
  readonly back: string
}

/** A field of the page for a new account. */
export type RegisterField = 'email' | 'username' | 'name'

/**
 * The code that was mailed to a new user, and the password that goes with it. The form has the
 * fields `code` and `password`, and perhaps `username`.
 */
export interface ConfirmRegisterView {
  readonly form: PageForm
  readonly code: string
  /** Another user name, which is asked for if somebody was quicker; null otherwise. */
  readonly username: string | null
  readonly isTaken: boolean
  readonly password: NewPasswordOnPage
  /** Whether users without a password can sign in. */
  readonly isPasswordOptional: boolean
  /** The page of the registration. */
  readonly back: string
}

const plainText = { type: 'text', ...unspelt }

/**
 * A new account.
 *
 * @internal
 */
export function registerPage(view: RegisterView, shell: PageShell): PageContent {
  const { form, isTaken, back } = view
  const { texts } = shell
  const content = [
    // The language of mails to the new user.
    hiddenFields({ locale: texts.tag }),
    emailField(view, texts),
    usernameField(view.username, isTaken || view.wrong === 'username', texts, view.wrong === null),
    nameField(view, texts),
    button(texts.html('register.submit')),
  ]
  return {
    title: 'register.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('register.lead')}</p>
${formOf(form, texts, faultOf(view), content, isTaken || view.wrong !== null)}
<p class="links"><a href="${back}">${texts.html('register.back')}</a></p>`,
  }
}

function faultOf({ isTaken, wrong }: RegisterView): TextKey {
  if (isTaken) return 'register.taken'
  if (wrong === 'email') return 'register.wrong-email'
  return wrong === null ? 'register.wrong' : 'register.wrong-name'
}

function emailField(
  { form, email, isEmailGiven, wrong }: RegisterView,
  texts: PageTexts,
): SafeHtml {
  const isFaulty = wrong === 'email'
  const attributes = {
    ...plainText,
    type: 'email',
    value: email,
    autocomplete: 'email',
    required: true,
    readonly: isEmailGiven,
    autofocus: isFaulty || (form.fault === null && !isEmailGiven),
  }
  const label = 'register.email'
  const hint = 'register.email-help'
  return field({ id: 'email', name: 'email', label, hint, isFaulty, attributes }, texts)
}

function usernameField(
  value: string,
  isFaulty: boolean,
  texts: PageTexts,
  isFirst: boolean,
): SafeHtml {
  const attributes = {
    ...plainText,
    value,
    autocomplete: 'username',
    required: true,
    autofocus: isFaulty && isFirst,
  }
  const label = 'register.username'
  const hint = 'register.username-help'
  return field({ id: 'username', name: 'username', label, hint, isFaulty, attributes }, texts)
}

function nameField({ name, wrong }: RegisterView, texts: PageTexts): SafeHtml {
  const isFaulty = wrong === 'name'
  const attributes = { type: 'text', value: name, autocomplete: 'name', required: true }
  const label = 'register.name'
  const focus = { ...attributes, autofocus: isFaulty }
  return field({ id: 'name', name: 'name', label, isFaulty, attributes: focus }, texts)
}

/**
 * The code that was mailed to a new user, and the password that goes with it.
 *
 * @internal
 */
export function confirmRegisterPage(view: ConfirmRegisterView, shell: PageShell): PageContent {
  const { form, code, username, isTaken, password, back } = view
  const { texts } = shell
  const isRefused = password.reasons.length > 0
  const isCodeFaulty = !isTaken && !isRefused
  const content = [
    codeField(code, form, 'confirm-register.help', texts, isCodeFaulty),
    username === null ? null : usernameField(username, isTaken, texts, true),
    passwordField(view, shell),
    button(texts.html('confirm-register.submit')),
  ]
  const ofCode = isTaken ? 'register.taken' : 'confirm-email.wrong'
  return {
    title: 'confirm-email.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('confirm-register.lead')}</p>
${formOf(form, texts, isRefused ? 'new-password.wrong' : ofCode, content, true)}
<p class="links"><a href="${back}">${texts.html('confirm-register.back')}</a></p>`,
    scripts: [shell.passwordScript],
  }
}

function passwordField(view: ConfirmRegisterView, shell: PageShell): SafeHtml {
  const { password, form, isPasswordOptional } = view
  const isFaulty = password.reasons.length > 0
  const optional =
    isPasswordOptional &&
    html`<p>${shell.texts.html('register.password-optional')}</p>
`
  const field = newPasswordField(password, form, shell, isFaulty, !isPasswordOptional)
  return html`${optional || null}${field}`
}
