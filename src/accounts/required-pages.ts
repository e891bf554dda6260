import { AuthError } from '../errors.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { Flow } from '../pages/flow.js'
import type { FormFields, FormPage, Submitted } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  button,
  choice,
  codeField,
  formOf,
  type PageForm,
  waysOut,
} from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { goOnWith, type PageVisit } from '../pages/page-visit.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { refusalOfCode, staleForm, wrongFields } from '../pages/renew-cookie.js'
import type { PasswordReason } from '../passwords/password-rules.js'
import type { AskingUser } from '../principal/principal.js'
import type { AddressKit } from './accounts-server.js'
import {
  type AddressView,
  addressForms,
  addressShown,
  isWrongPassword,
  sendCode,
} from './address-pages.js'
import { type ConfirmEmail, confirmAddress } from './addresses.js'
import { minLengthOf, type PasswordsKit } from './new-password.js'
import { changeByForm, type NewPasswordView, newPasswordForm } from './password-page.js'

// Pages that a sign-in leads through before it opens anything.

/** `/oauth/new-password`: the user must set another password. */
export function createNewPasswordPage(forms: FormsKit, kit: PasswordsKit): FormPage {
  async function contentOf(found: BrowserUser) {
    const minLength = await minLengthOf(kit, found.approved.user)
    const shown = { account: accountOf(found), hasPassword: true, minLength }
    return (form: PageForm, reasons: readonly PasswordReason[]): Content =>
      (shell) =>
        requiredPasswordPage({ ...shown, form, reasons }, shell)
  }

  return {
    page: 'new-password',

    view: async ({ found }, form) => found && (await contentOf(found))(form, []),

    async submit(visit, fields) {
      const { found, request } = visit
      if (found === null) return { next: 'start-over' }
      // The flow goes on with the new cookie: another page may give the browser one more.
      const done = (browser: string | null) =>
        goOnWith(forms, { ...visit, binding: { ...visit.binding, browser } }, flowIn(forms, visit))
      const form = { found, fields, request }
      const { submitted, reasons } = await changeByForm(forms, kit, form, done)
      if (reasons.length === 0 || submitted.next !== 'again') return submitted
      const content = await contentOf(found)
      return { ...submitted, contentWith: (form) => content(form, reasons) }
    },
  }
}

/** `/oauth/address`: the user must prove an address. */
export function createAddressPage(forms: FormsKit, kit: AddressKit): FormPage {
  async function send(visit: PageVisit, asking: AskingUser, fields: FormFields) {
    const { requestId } = await sendCode(kit, asking, fields, visit.request)
    const mailed = forms.flows.withMailed(flowIn(forms, visit), requestId)
    return goOnWith(forms, visit, mailed, 'address')
  }

  async function confirm(visit: PageVisit, asking: AskingUser, given: ConfirmEmail) {
    const { request } = visit
    // The page uses the counters of the endpoints: it is no second set of guesses.
    await kit.throttle.limitRefusals('email-confirm', request, () =>
      confirmAddress(kit, asking, given, request.context),
    )
    return goOnWith(forms, visit, withoutMail(forms, visit))
  }

  async function act(visit: PageVisit, { session, approved }: BrowserUser, fields: FormFields) {
    const asking = { session, user: approved.user }
    const requestId = visit.flow?.mailed?.requestId
    const anew = () => goOnWith(forms, visit, withoutMail(forms, visit), 'address')
    if (fields.text('choice') === 'again') return anew()
    if (requestId === undefined) return send(visit, asking, fields)
    const given = { requestId, code: fields.text('code') }
    return confirm(visit, asking, given).catch((error: unknown) => {
      // Another address by now.
      if (isCode(error, ['superseded'])) return anew()
      throw error
    })
  }

  return {
    page: 'address',

    async view({ found, flow }, form, typed) {
      if (found === null) return null
      if (flow?.mailed === undefined)
        return (await addressContent(kit, found, typed.text('email'), false))(form)
      return (shell) => requiredCodePage({ account: accountOf(found), form }, shell)
    },

    async submit(visit, fields) {
      const { found } = visit
      if (found === null) return { next: 'start-over' }
      // A copy of the cookie from before a change dies within seconds, and changes nothing.
      if (found.signIn.isByFormerSecret) return staleForm
      try {
        return { next: 'answer', answer: await act(visit, found, fields) }
      } catch (error) {
        return refusalOf(kit, error, found, fields)
      }
    },
  }
}

async function addressContent(
  kit: AddressKit,
  { approved }: BrowserUser,
  typed: string,
  isPasswordWrong: boolean,
): Promise<(form: PageForm) => Content> {
  const shown = await addressShown(kit, approved.user, typed, isPasswordWrong)
  return (form) => (shell) => requiredAddressPage({ ...shown, form }, shell)
}

async function refusalOf(
  kit: AddressKit,
  error: unknown,
  found: BrowserUser,
  fields: FormFields,
): Promise<Submitted> {
  const isMissing = !fields.has('present') && (await kit.owesPassword(found.approved.user))
  // Otherwise the sign-in is too old by now, and another one comes first.
  const isWrong = isMissing || !isCode(error, ['reauthentication-required'])
  if (isWrong && isWrongPassword(error)) {
    const contentWith = await addressContent(kit, found, fields.text('email').trim(), true)
    return { ...wrongFields, contentWith }
  }
  return isCode(error, typedWrong) ? wrongFields : refusalOfCode(error)
}

const typedWrong = ['invalid-request', 'already-verified', 'proof-refused'] as const

function isCode(error: unknown, codes: readonly AuthError['code'][]): boolean {
  return error instanceof AuthError && codes.includes(error.code)
}

function flowIn({ flows }: FormsKit, { flow }: PageVisit): Flow {
  return flow ?? flows.begin()
}

// These pages come only after a sign-in, so that step is no news.
function withoutMail(forms: FormsKit, visit: PageVisit): Flow {
  return forms.flows.withStep(flowIn(forms, visit), 'login')
}

/**
 * Another password, before anything else.
 *
 * @internal
 */
export function requiredPasswordPage(view: NewPasswordView, shell: PageShell): PageContent {
  const { account, form } = view
  const { texts, passwordScript } = shell
  return {
    title: 'new-password.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('new-password.required')}</p>
${newPasswordForm(view, shell)}
${waysOut(form, texts)}`,
    scripts: [passwordScript],
  }
}

/**
 * A proven address, before anything else.
 *
 * @internal
 */
export function requiredAddressPage(view: AddressView, { texts }: PageShell): PageContent {
  return {
    title: 'account.email',
    isFaulty: view.form.fault !== null,
    body: html`${accountCard(view.account)}
<p>${texts.html('account-email.required')}</p>
${addressForms(view, texts)}
${waysOut(view.form, texts)}`,
  }
}

/**
 * The code that was mailed to the address.
 *
 * @internal
 */
export function requiredCodePage(
  { account, form }: Pick<AddressView, 'account' | 'form'>,
  { texts }: PageShell,
): PageContent {
  const content = [
    codeField('', form, 'confirm-email.help', texts),
    button(texts.html('confirm-email.submit')),
  ]
  return {
    title: 'confirm-email.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${formOf(form, texts, 'confirm-email.wrong', content, true)}
<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(texts.html('confirm-email.back'), choice('again', 'link'))}
</form>
${waysOut(form, texts)}`,
  }
}
