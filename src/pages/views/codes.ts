import {
  accountCard,
  button,
  codeField,
  field,
  formOf,
  hiddenFields,
  hiddenUsername,
  stayTick,
  typedName,
} from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountDeleteView, CodeView } from '../view.js'
import { backTo } from './account-factors.js'
import { presentField } from './new-password.js'

/** A sign-in by a mailed code: the name, then the code. */
export function codePage(view: CodeView, texts: PageTexts): PageContent {
  const { form, isSent, username, stay, back } = view
  const isFaulty = form.fault?.kind === 'wrong'
  const again = html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(texts.html('code.again'), { name: 'choice', value: 'again', class: 'link' })}
</form>
`
  const content = isSent
    ? [
        codeField('', form, 'confirm-email.help', texts),
        stayTick(stay, texts),
        button(texts.html('code.sign-in')),
      ]
    : [field({ ...typedName(username, form), isFaulty }, texts), button(texts.html('code.submit'))]
  const wrong = isSent ? 'confirm-email.wrong' : 'forgot.wrong'
  return {
    title: 'code.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html(isSent ? 'code.sent' : 'code.lead')}</p>
${formOf(form, texts, wrong, content, true)}
${isSent ? again : null}<p class="links"><a href="${back}">${texts.html('code.back')}</a></p>`,
  }
}

/** Asks before an account is deleted, and then for the mailed code. */
export function accountDeletePage(view: AccountDeleteView, texts: PageTexts): PageContent {
  const { account, form, asksPassword, mailsCode, requestId, back } = view
  const submit = button(texts.html('account-delete.submit'))
  const isFaulty = form.fault?.kind === 'wrong'
  // For password managers.
  const name = hiddenUsername(account.username)
  const content =
    requestId === null
      ? [...(asksPassword ? [name, presentField(isFaulty, texts)] : []), submit]
      : [
          hiddenFields({ request: requestId }),
          codeField('', form, 'confirm-email.help', texts),
          submit,
        ]
  const wrong = requestId === null ? 'new-password.wrong-present' : 'confirm-email.wrong'
  const asked = mailsCode ? texts.html('account-delete.mail') : null
  const told = requestId === null ? asked : texts.html('account-delete.code')
  return {
    title: 'account.delete',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('account-delete.lead')}</p>
${
  told &&
  html`<p>${told}</p>
`
}${formOf(form, texts, wrong, content, asksPassword || requestId !== null)}
${backTo(back, texts)}`,
  }
}
