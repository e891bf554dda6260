import { accountCard, button, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AddPasskeyView } from '../view.js'

/** Whether somebody who has signed in wants a passkey for the next time. */
export function addPasskeyPage(
  { account, form, passkey }: AddPasskeyView,
  texts: PageTexts,
): PageContent {
  const given = { name: 'choice', value: 'later', class: 'link' }
  const content = [passkey, button(texts.html('add-passkey.later'), given)]
  return {
    title: 'add-passkey.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('add-passkey.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.wrong-passkey', content)}`,
  }
}
