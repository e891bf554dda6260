import { accountCard, button, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { SignOutView } from '../view.js'
import type { SignedOutView } from '../view-parts.js'

/** Asks before signing out, since any page can link here. */
export function signOutPage(
  { account, everywhere, form }: SignOutView,
  texts: PageTexts,
): PageContent {
  const given = { name: 'choice', value: 'everywhere', class: 'plain' }
  const onAll = everywhere ? html`\n${button(texts.html('sign-out.everywhere'), given)}` : null
  const submit = html`${button(texts.html('sign-out.submit'))}${onAll}`
  return {
    title: 'sign-out.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('sign-out.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.stale', submit)}`,
  }
}

/** The browser is signed out. */
export function signedOutPage(
  { again }: SignedOutView,
  { texts, home }: Pick<PageShell, 'texts' | 'home'>,
): PageContent {
  const links = [
    again && html`<a href="${again}">${texts.html('signed-out.again')}</a>`,
    home && html`<a href="${home}">${texts.html('page.home')}</a>`,
  ]
  return {
    title: 'signed-out.title',
    body: html`<p class="lead">${texts.html('signed-out.lead')}</p>
${again === null && home === null ? null : html`<p class="links">${links}</p>`}`,
  }
}
