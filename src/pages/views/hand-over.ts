import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { HandOverView } from '../view-parts.js'

/**
 * Navigates to the client by itself. A redirect would not: `form-action 'self'` blocks redirects to
 * other origins after a form. The link is for apps on the device, which some browsers open only
 * after a click.
 *
 * @throws TypeError for an invalid redirect URI, by the check of the link
 */
export function handOverPage({ client, redirect }: HandOverView, texts: PageTexts): PageContent {
  const name = { client: client.name }
  const close =
    client.host === null ? html`<p class="hint">${texts.html('hand-over.close')}</p>` : null
  return {
    title: 'hand-over.title',
    // Without a delay, and with a link: WCAG technique H76.
    head: html`<meta http-equiv="refresh" content="0; url=${redirect}">
`,
    body: html`<p class="lead">${texts.html('hand-over.lead', name)}</p>
<p><a class="button" href="${redirect}">${texts.html('hand-over.link', name)}</a></p>
${close}`,
  }
}
