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
import type { AccountDeleteView, CodeView, ConfirmView } from '../view.js'
import { confirmed } from '../view-parts.js'
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

/** Asks before something ends or is removed. Its button comes late, for a double click. */
export function confirmPage(view: ConfirmView, texts: PageTexts): PageContent {
  const { account, form, choice, question, named } = view
  const given = { name: 'choice', value: choice, class: 'danger grants' }
  const shown = named ?? (question === 'end' ? texts.plain('account.unknown-device') : null)
  const name = shown && html`<p class="lead"><bdi><b>${shown}</b></bdi></p>`
  return {
    title: 'confirm.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${name}
<p>${texts.html(`confirm.${question}`)}</p>
${formOf(form, texts, 'fault.stale', button(texts.html(confirmed[question]), given))}
<p class="links"><a href="${form.action}">${texts.html('page.cancel')}</a></p>`,
  }
}

/** Asks before an account is deleted, and then for the mailed code. */
export function accountDeletePage(view: AccountDeleteView, texts: PageTexts): PageContent {
  const { account, form, asksPassword, mailsCode, requestId, back } = view
  const isLast = requestId !== null || !mailsCode
  const submit = isLast
    ? button(texts.html('account-delete.submit'), { class: 'danger' })
    : button(texts.html('code.submit'))
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
