import { accountCard, button, formOf } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ConsentView } from '../view.js'

/** What somebody else's app would be allowed to do, and where its answer goes. */
export function consentPage(view: ConsentView, texts: PageTexts): PageContent {
  const { client, account, form } = view
  const name = html`<b><bdi>${client.name}</bdi></b>`
  const content = [
    button(texts.html('consent.allow'), { name: 'choice', value: 'allow' }),
    button(texts.html('page.cancel'), { name: 'choice', value: 'cancel', class: 'plain' }),
  ]
  return {
    title: 'consent.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('consent.lead', { client: name })}
${texts.html('consent.foreign')}</p>
${accountCard(account)}
${scopesOf(view, texts)}
${target(view, texts)}
${formOf(form, texts, 'fault.stale', content)}
${revoke(view, texts)}`,
  }
}

function scopesOf({ scopes }: ConsentView, texts: PageTexts): SafeHtml {
  const items = scopes.map((scope) => html`<li><bdi>${scope}</bdi></li>`)
  return html`<p id="scopes">${texts.html('consent.scopes')}</p>
<ul class="scopes" aria-labelledby="scopes">${items}</ul>`
}

// The one thing that an app cannot make up: its name is what it says itself.
function target({ client: { host } }: ConsentView, texts: PageTexts): SafeHtml {
  const text =
    host === null
      ? texts.html('consent.device')
      : texts.html('consent.site', { host: html`<b class="host" dir="ltr">${host}</b>` })
  return html`<p class="note">${text}</p>`
}

function revoke({ manage }: ConsentView, texts: PageTexts): SafeHtml {
  const link = manage && html` <a href="${manage}">${texts.html('consent.manage')}</a>`
  return html`<p class="hint">${texts.html('consent.revoke')}${link}</p>`
}
