import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { HandOverView } from '../view.js'

/**
 * Leads to the client by itself. A redirect would not: `form-action 'self'` stops one that leaves
 * the origin after a form. The link is for apps on the device, which some browsers open only when
 * somebody presses something.
 *
 * @throws TypeError for a redirect URI that is none, as the link has it
 */
export function handOverPage({ client, redirect }: HandOverView, texts: PageTexts): PageContent {
  const name = { client: client.name }
  const close =
    client.host === null ? html`<p class="hint">${texts.html('hand-over.close')}</p>` : null
  return {
    title: 'hand-over.title',
    // At once, and with a link beside it: WCAG technique H76.
    head: html`<meta http-equiv="refresh" content="0; url=${redirect}">
`,
    body: html`<p class="lead">${texts.html('hand-over.lead', name)}</p>
<p><a class="button" href="${redirect}">${texts.html('hand-over.link', name)}</a></p>
${close}`,
  }
}
