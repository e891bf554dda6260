import { button, hiddenFields } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'

/** An answer that the browser posts to the client. */
export interface PostedAnswer {
  readonly clientName: string
  readonly redirectUri: string
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Posts the answer to the client by itself, or without scripts at the press of a button: [OAuth 2.0
 * Form Post Response Mode](https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html).
 */
export function postOverPage(
  { clientName, redirectUri, fields }: PostedAnswer,
  script: string,
  texts: PageTexts,
): PageContent {
  const name = { client: clientName }
  return {
    title: 'hand-over.title',
    body: html`<p class="lead">${texts.html('hand-over.lead', name)}</p>
<form method="post" action="${redirectUri}">
${hiddenFields(fields)}${button(texts.html('hand-over.link', name))}
</form>
<script src="${script}" defer></script>`,
  }
}
