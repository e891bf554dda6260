import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { PasswordElsewhere } from '../kits/sign-in-kit.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { type AccountFormPage, type Asking, changedBy } from '../pages/account-form.js'
import type { Submitted } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  changeLink,
  field,
  formOf,
  hiddenUsername,
  type OwnView,
  type PageForm,
  revealPassword,
  unspelt,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { reasonsIn } from '../pages/mail-form.js'
import { plainAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { refusalOfCode, renewCookie, wrongFields } from '../pages/renew-cookie.js'
import type { PageTexts } from '../pages/texts.js'
import type { PasswordReason } from '../passwords/password-rules.js'
import {
  changePassword,
  minLengthOf,
  nothingShown,
  type PasswordsKit,
  provePresentOnPage,
  requireNewPassword,
} from './new-password.js'

/** `/account/password`: a new password for the signed-in user. */
export function createPasswordPage(forms: FormsKit, kit: PasswordsKit): AccountFormPage {
  async function contentOf(found: BrowserUser) {
    const { user } = found.approved
    const elsewhere = await kit.passwordElsewhere?.(user.id)
    const back = plainAddress(forms, 'account')
    if (elsewhere) {
      const account = accountOf(found)
      return (form: PageForm): Content =>
        (shell) =>
          passwordElsewherePage({ account, form, back, ...elsewhere }, shell)
    }
    const minLength = await minLengthOf(kit, user)
    const hasPassword = user.passwordHash !== null
    const shown = { account: accountOf(found), hasPassword, back }
    return (form: PageForm, reasons: readonly PasswordReason[]): Content =>
      (shell) =>
        accountPasswordPage({ ...shown, form, minLength, reasons }, shell)
  }

  return {
    page: 'account/password',
    needsFresh: true,

    view: async (found, form) => (await contentOf(found))(form, []),

    async submit(asking) {
      const { found } = asking
      const done = () => asking.open('account')
      const { submitted, reasons } = await changeByForm(forms, kit, asking, done)
      if (reasons.length === 0) return changedBy(submitted, asking)
      const content = await contentOf(found)
      const answer = asking.show((form) => content(form, reasons), wrongFields)
      return { next: 'answer', answer }
    },
  }
}

/**
 * Sets the password of a form. `done` answers, and gets the new value of the cookie. `reasons`: why
 * the new password is refused.
 */
export async function changeByForm(
  forms: FormsKit,
  kit: PasswordsKit,
  { found, fields, request }: Pick<Asking, 'found' | 'fields' | 'request'>,
  done: (cookie: string | null) => TextAnswer,
): Promise<{ readonly submitted: Submitted; readonly reasons: readonly PasswordReason[] }> {
  const { session, approved } = found
  const asked = { session, user: approved.user }
  // An empty field is a wrong password, not a missing one.
  const present = asked.user.passwordHash === null ? undefined : fields.text('present')
  const newPassword = fields.text('password')
  if (present === '') return { submitted: wrongFields, reasons: [] }
  const reasons: PasswordReason[] = []
  const refusal = (error: unknown) => {
    if (!(error instanceof AuthError)) throw error
    reasons.push(...reasonsIn(error))
    return isWrong(error) ? wrongFields : refusalOfCode(error)
  }
  const change = async (beforehand: () => Promise<void>, cookie: () => string | null) => {
    requireNewPassword(newPassword)
    const how = { prove: provePresentOnPage, beforehand }
    const given = { newPassword, proof: { ...nothingShown, password: present } }
    await changePassword(kit, asked, given, request, how)
    return { next: 'answer', answer: done(cookie()) } as const
  }
  const submitted = await renewCookie(forms, found, request.incoming, change, refusal)
  return { submitted, reasons }
}

// Whether the error is due to a password, and not to the session.
function isWrong({ code, details }: AuthError): boolean {
  return (
    code === 'password-refused' ||
    code === 'invalid-request' ||
    (code === 'Unauthorized' && details?.['wrong'] === 'password')
  )
}

/** A form for a new password of a signed-in user. */
export interface NewPasswordView extends NewPasswordOnPage, Omit<OwnView, 'back'> {
  readonly hasPassword: boolean
}

/** The rules for a new password, and their verdict on the last typed password. */
export interface NewPasswordOnPage {
  /** The least number of characters. */
  readonly minLength: number
  /** Why the typed password was refused; empty at first. */
  readonly reasons: readonly PasswordReason[]
}

/**
 * A new password of a signed-in user.
 *
 * @internal
 */
export function accountPasswordPage(
  view: NewPasswordView & Pick<OwnView, 'back'>,
  shell: PageShell,
): PageContent {
  const { account, form, back } = view
  return {
    title: 'account.change-password',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${newPasswordForm(view, shell)}
${backTo(back, shell.texts)}`,
    scripts: [shell.passwordScript],
  }
}

/** The form, with the present password if there is one. */
export function newPasswordForm(view: NewPasswordView, shell: PageShell): SafeHtml {
  const { account, form, hasPassword, reasons } = view
  const { texts } = shell
  const isPresentWrong = form.fault?.kind === 'wrong' && reasons.length === 0
  const content = [
    hiddenUsername(account.username),
    hasPassword ? presentField(isPresentWrong, texts) : null,
    newPasswordField(view, form, shell, !isPresentWrong),
    html`<p class="hint">${texts.html('new-password.ends-others')}</p>
`,
    button(texts.html('new-password.submit')),
  ]
  const wrong = isPresentWrong ? 'new-password.wrong-present' : 'new-password.wrong'
  return formOf(form, texts, wrong, content, true)
}

/**
 * A user of a directory, whose password is changed there.
 *
 * @internal
 */
export function passwordElsewherePage(
  { account, back, name, url }: OwnView & Pick<PasswordElsewhere, 'name' | 'url'>,
  { texts }: PageShell,
): PageContent {
  return {
    title: 'account.change-password',
    body: html`${accountCard(account)}
<p>${texts.html('new-password.elsewhere', { name })}${changeLink(url, texts)}</p>
${backTo(back, texts)}`,
  }
}

/** The present password. */
export function presentField(isFaulty: boolean, texts: PageTexts): SafeHtml {
  const given = { type: 'password', autocomplete: 'current-password', required: true }
  const attributes = { ...given, autofocus: isFaulty }
  const label = 'new-password.present'
  return field({ id: 'present', name: 'present', label, isFaulty, attributes }, texts)
}

/** The field for a new password, with its rules, and their verdict on the last typed password. */
export function newPasswordField(
  { minLength, reasons }: NewPasswordOnPage,
  form: PageForm,
  { texts, passwordScript }: PageShell,
  mayBeFaulty = true,
  required = true,
): SafeHtml {
  const count = String(minLength)
  const isFaulty = mayBeFaulty && form.fault?.kind === 'wrong'
  const said = reasons.map((one) => html`<li>${texts.html(`new-password.${one}`, { count })}</li>`)
  const listed =
    reasons.length === 0
      ? null
      : html`<ul id="reasons">${said}</ul>
`
  const attributes = {
    type: 'password',
    autocomplete: 'new-password',
    ...unspelt,
    required,
    autofocus: isFaulty,
  }
  const after = revealPassword('new-password', texts, passwordScript)
  const id = 'new-password'
  const label = 'new-password.label'
  const describedBy = [...(listed === null ? [] : ['reasons']), 'rules']
  const given = { id, name: 'password', label, describedBy, isFaulty, attributes, after } as const
  return html`<p id="rules">${texts.html('new-password.rules', { count })}</p>
${listed}${field(given, texts)}`
}
