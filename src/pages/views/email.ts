import { accountCard, button, codeField, field, formOf, hiddenUsername } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountEmailView, ConfirmEmailView } from '../view.js'
import type { CodeElsewhereView } from '../view-parts.js'
import { addressText } from './account.js'
import { backTo } from './account-factors.js'
import { presentField } from './new-password.js'

/** The address: prove it, or change it. */
export function accountEmailPage(view: AccountEmailView, texts: PageTexts): PageContent {
  const { account, form, email, verified, isPasswordWrong, back } = view
  const wrong = isPasswordWrong ? 'new-password.wrong-present' : 'account-email.wrong'
  const verify = { name: 'choice', value: 'verify' }
  const proving =
    email === null || verified
      ? null
      : html`<form method="post" action="${form.action}">
${form.hidden}${button(texts.html('account-email.verify'), verify)}
</form>
`
  return {
    title: 'account.email',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${addressText({ address: email, verified }, texts)}</p>
${proving}${formOf(form, texts, wrong, changing(view, texts), true)}
${backTo(back, texts)}`,
  }
}

function changing(view: AccountEmailView, texts: PageTexts) {
  const { account, form, email, typed, asksPassword, isPasswordWrong } = view
  const isFaulty = form.fault?.kind === 'wrong' && !isPasswordWrong
  const attributes = {
    type: 'email',
    value: typed,
    autocomplete: 'email',
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: 'false',
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

/** The code that was mailed to the address. */
export function confirmEmailPage(view: ConfirmEmailView, texts: PageTexts): PageContent {
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

/** The code for the window that has asked for it. */
export function codeElsewherePage({ code }: CodeElsewhereView, texts: PageTexts): PageContent {
  return {
    title: 'code-elsewhere.title',
    body: html`<p>${texts.html('code-elsewhere.lead', { code: html`<b>${code}</b>` })}</p>
<p class="hint">${texts.html('code-elsewhere.help')}</p>`,
  }
}
