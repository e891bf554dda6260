import {
  accountCard,
  button,
  field,
  formOf,
  hiddenUsername,
  revealPassword,
} from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountPasswordView, PageForm } from '../view.js'
import type { NewPasswordOnPage } from '../view-parts.js'
import { backTo } from './account-factors.js'

type Shell = Pick<PageShell, 'texts' | 'passwordScript'>

/** A new password of a signed-in user. */
export function accountPasswordPage(view: AccountPasswordView, shell: Shell): PageContent {
  const { account, form, hasPassword, reasons, back } = view
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
  return {
    title: 'account.change-password',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${formOf(form, texts, wrong, content, true)}
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

/** The field for a new password, with its rules, and what they said to the last one. */
export function newPasswordField(
  { minLength, reasons }: NewPasswordOnPage,
  form: PageForm,
  { texts, passwordScript }: Shell,
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
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: 'false',
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
