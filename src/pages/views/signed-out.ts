import { html } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { SignedOutView } from '../view.js'

/** Nobody is signed in to this browser any more. */
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
