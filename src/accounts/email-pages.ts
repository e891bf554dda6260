import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { withReadableDomain } from '../lib/addresses.js'
import { type AccountFormPage, changedBy } from '../pages/account-form.js'
import type { FormFields, Submitted } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  codeField,
  field,
  formOf,
  hiddenUsername,
  type OwnView,
  type PageForm,
  unspelt,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { plainAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { refusalOfCode, wrongFields } from '../pages/renew-cookie.js'
import { type NoteView, notePage } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import type { AskingUser } from '../principal/principal.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import {
  addressOf,
  type CodeSent,
  changeEmail,
  confirmEmail,
  type EmailsKit,
  isOfSession,
  verifyEmail,
} from './email.js'
import { nothingShown, provePresentOnPage } from './new-password.js'
import { presentField } from './password-page.js'

/** `/account/email`: the address of the signed-in user, proven and changed by a mailed code. */
export function createEmailPage(forms: FormsKit, kit: EmailsKit): AccountFormPage {
  const back = plainAddress(forms, 'account')

  async function viewOf(user: AuthUser, typed: string, isPasswordWrong = false) {
    const shown = await addressShown(kit, user, typed, isPasswordWrong)
    return (form: PageForm): Content =>
      (shell) =>
        accountEmailPage({ ...shown, form, back }, shell)
  }

  return {
    page: 'account/email',
    needsFresh: true,

    view: async ({ approved }, form) => (await viewOf(approved.user, ''))(form),

    async submit(asking) {
      const { user: asked, fields, request } = asking
      try {
        const { requestId } = await mailCode(kit, asked, fields, request)
        return { next: 'open', page: 'account/confirm', query: `request=${requestId}` }
      } catch (error) {
        const isWrong = isWrongPassword(error)
        const refused = isWrong
          ? wrongFields
          : refusalOf(error, ['invalid-request', 'already-verified'])
        if (refused.next !== 'again') return changedBy(refused, asking)
        const content = await viewOf(asked.user, fields.text('email').trim(), isWrong)
        return { next: 'answer', answer: asking.show(content, refused) }
      }
    },
  }
}

/** What the forms of an address show. Rejects with 503. */
export async function addressShown(
  kit: EmailsKit,
  user: AuthUser,
  typed: string,
  isPasswordWrong: boolean,
): Promise<Omit<AddressView, 'form'>> {
  const { email: address, verified } = await addressOf(kit, user.id)
  const account = { name: user.name, username: user.username }
  const email = address && withReadableDomain(address)
  const asksPassword = await kit.owesPassword(user)
  return { account, email, verified, typed, asksPassword, isPasswordWrong }
}

/** Mails a code to the present address or to a new one, as one of these forms asks for. */
export function mailCode(
  kit: EmailsKit,
  asked: AskingUser,
  fields: FormFields,
  request: EndpointRequest,
): Promise<CodeSent> {
  if (fields.text('choice') === 'verify') return verifyEmail(kit, asked, request.context)
  const proof = { ...nothingShown, password: presentIn(fields) }
  const given = { email: fields.text('email').trim(), proof }
  return changeEmail(kit, asked, given, request, provePresentOnPage)
}

/**
 * `/account/confirm?request=…`: takes the code that was mailed to the address. A link in that mail
 * leads here with `code=…` as well.
 */
export function createConfirmPage(forms: FormsKit, kit: EmailsKit): AccountFormPage {
  const { limitRefusals } = kit.throttle
  const back = plainAddress(forms, 'account/email')
  return {
    page: 'account/confirm',
    needsFresh: false,
    landing: { elsewhere: codeElsewhere, instead: back },

    async view(found, form, { query, request }) {
      const mailedTo = await limitRefusals('email-confirm', request, () =>
        addressMailedTo(kit, found.session, requestIn(query), request),
      )
      if (mailedTo === null) return codeElsewhere(query)
      // A wrong code is not filled in again.
      const code = form.fault === null ? shownCode(query) : ''
      const shown = { account: accountOf(found), mailedTo: withReadableDomain(mailedTo), code }
      return (shell) => confirmEmailPage({ ...shown, form, back }, shell)
    },

    async submit(asking) {
      const { user: asked, fields } = asking
      const given = { requestId: requestIn(asking.query), code: fields.text('code') }
      try {
        // The page uses the counters of the endpoints: it is no second set of guesses.
        await limitRefusals('email-confirm', asking.request, () =>
          confirmEmail(kit, asked, given, asking.request.context),
        )
        const done: NoteView = { note: 'address-confirmed', onward: plainAddress(forms, 'account') }
        return { next: 'answer', answer: asking.show(() => (shell) => notePage(done, shell)) }
      } catch (error) {
        if (error instanceof AuthError && error.code === 'superseded')
          return { next: 'open', page: 'account/email' }
        return changedBy(refusalOf(error, ['invalid-request', 'proof-refused']), asking)
      }
    },
  }
}

/** The address to which the code of a request went; null unless this session has asked for it. */
async function addressMailedTo(
  { proofs }: EmailsKit,
  session: SessionRecord,
  requestId: string,
  { context }: EndpointRequest,
): Promise<string | null> {
  const proof = await proofs.findCode(['verify-address', 'change-address'], requestId, context)
  // No other session is told whether the code is over.
  if (!isOfSession(proofs, proof, session)) return null
  const reason = proofs.whyVoid(proof)
  if (reason !== null) throw new AuthError('proof-refused', { details: { reason } })
  return proof.sealed['to'] ?? ''
}

/** Shows the page again, or a new sign-in. `typed`: the errors that are due to the typed text. */
export function refusalOf(error: unknown, typed: readonly AuthError['code'][]): Submitted {
  if (error instanceof AuthError && error.status === 401) throw error
  if (error instanceof AuthError && typed.includes(error.code)) return wrongFields
  return refusalOfCode(error)
}

/** Whether the error is due to a wrong or missing password, and not to the session. */
export function isWrongPassword(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  return error.details?.['wrong'] === 'password' || error.code === 'reauthentication-required'
}

/** The present password. */
export function presentIn(fields: FormFields): string | undefined {
  return fields.has('present') ? fields.text('present') : undefined
}

// The page of the code in any other browser, and in any other session of this browser.
function codeElsewhere(query: string): Content {
  const code = shownCode(query)
  if (code === '') throw new AuthError('proof-refused')
  return (shell) => codeElsewherePage({ code }, shell)
}

function requestIn(query: string): string {
  return new URLSearchParams(query).get('request') ?? ''
}

// Only digits are shown: text that others write into a link must not stand on a page of the host.
function shownCode(query: string): string {
  const [, first, second] =
    /^(\d{4})(\d{4})$/.exec(new URLSearchParams(query).get('code') ?? '') ?? []
  return first === undefined ? '' : `${first} ${second}`
}

/** The address of a signed-in user: prove it, or change it. */
export interface AddressView extends Omit<OwnView, 'back'> {
  /** Null without. */
  readonly email: string | null
  readonly verified: boolean
  /** As it was typed; empty at first. */
  readonly typed: string
  /** Whether a change takes the present password, in the field `present`. */
  readonly asksPassword: boolean
  /** Whether the fault is that password. */
  readonly isPasswordWrong: boolean
}

interface ConfirmEmailView extends OwnView {
  readonly mailedTo: string
  /** From the link in the mail; empty without. */
  readonly code: string
}

/**
 * The address: prove it, or change it.
 *
 * @internal
 */
export function accountEmailPage(
  view: AddressView & Pick<OwnView, 'back'>,
  { texts }: PageShell,
): PageContent {
  const { account, form, back } = view
  return {
    title: 'account.email',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${addressForms(view, texts)}
${backTo(back, texts)}`,
  }
}

/** The address in words, a button that proves it, and a form that changes it. */
export function addressForms(view: AddressView, texts: PageTexts): SafeHtml {
  const { form, email, verified, isPasswordWrong } = view
  const wrong = isPasswordWrong ? 'new-password.wrong-present' : 'account-email.wrong'
  const verify = { name: 'choice', value: 'verify' }
  const proving =
    email === null || verified
      ? null
      : html`<form method="post" action="${form.action}">
${form.hidden}${button(texts.html('account-email.verify'), verify)}
</form>
`
  return html`<p>${addressText({ address: email, verified }, texts)}</p>
${proving}${formOf(form, texts, wrong, changing(view, texts), true)}`
}

function changing(view: AddressView, texts: PageTexts) {
  const { account, form, email, typed, asksPassword, isPasswordWrong } = view
  const isFaulty = form.fault?.kind === 'wrong' && !isPasswordWrong
  const attributes = {
    type: 'email',
    value: typed,
    autocomplete: 'email',
    ...unspelt,
    required: true,
    autofocus: isFaulty,
  }
  const label = email === null ? 'account-email.first' : 'account-email.new'
  const hint = 'account-email.help'
  return [
    field({ id: 'email', name: 'email', label, hint, isFaulty, attributes }, texts),
    ...(asksPassword
      ? [hiddenUsername(account.username), presentField(isPasswordWrong, texts)]
      : []),
    button(texts.html('account-email.change')),
  ]
}

/**
 * The code that was mailed to the address.
 *
 * @internal
 */
export function confirmEmailPage(view: ConfirmEmailView, { texts }: PageShell): PageContent {
  const { account, form, mailedTo, code, back } = view
  const content = [
    codeField(code, form, 'confirm-email.help', texts),
    button(texts.html('confirm-email.submit')),
  ]
  return {
    title: 'confirm-email.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('confirm-email.lead', { address: html`<bdi>${mailedTo}</bdi>` })}</p>
${formOf(form, texts, 'confirm-email.wrong', content, true)}
<p class="links"><a href="${back}">${texts.html('confirm-email.back')}</a></p>`,
  }
}

/**
 * The code for the window that has asked for it.
 *
 * @internal
 */
export function codeElsewherePage(
  { code }: { readonly code: string },
  { texts }: PageShell,
): PageContent {
  return {
    title: 'code-elsewhere.title',
    body: html`<p>${texts.html('code-elsewhere.lead', { code: html`<b>${code}</b>` })}</p>
<p class="hint">${texts.html('code-elsewhere.help')}</p>`,
  }
}

/** The address and its state in words. */
export function addressText(
  { address, verified }: { readonly address: string | null; readonly verified: boolean },
  texts: PageTexts,
): SafeHtml {
  if (address === null) return texts.html('account-email.none')
  const shown = html`<bdi>${address}</bdi>`
  return texts.html(verified ? 'account-email.proven' : 'account-email.unproven', {
    address: shown,
  })
}
