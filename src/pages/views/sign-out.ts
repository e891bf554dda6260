import { accountCard, button, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { SignOutView } from '../view.js'

/** Somebody wants to leave this browser, or has followed a link that says so: a form asks. */
export function signOutPage({ account, form }: SignOutView, texts: PageTexts): PageContent {
  const submit = button(texts.html('sign-out.submit'))
  return {
    title: 'sign-out.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('sign-out.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.stale', submit)}`,
  }
}
