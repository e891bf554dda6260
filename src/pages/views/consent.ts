import { accountCard, button, formOf } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ConsentView, ContinueView } from '../view.js'

/** The requested permissions, and the target of the answer. */
export function consentPage(view: ConsentView, texts: PageTexts): PageContent {
  const { client, account, form } = view
  const name = html`<b><bdi>${client.name}</bdi></b>`
  const content = [
    button(texts.html('consent.allow'), { name: 'choice', value: 'allow', class: 'grants' }),
    button(texts.html('page.cancel'), { name: 'choice', value: 'cancel', class: 'plain' }),
    button(texts.html('continue.other'), { name: 'choice', value: 'other', class: 'link' }),
  ]
  return {
    title: 'consent.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('consent.lead', { client: name })}
${texts.html('consent.foreign')}</p>
${claimed(view, texts)}
${accountCard(account)}
${scopesOf(view, texts)}
${target(view, texts)}
${formOf(form, texts, 'fault.stale', content)}
${revoke(view, texts)}`,
  }
}

// Below the host, which is proven: anybody can call an app whatever they like.
function claimed({ claimedName }: ConsentView, texts: PageTexts): SafeHtml | null {
  if (claimedName === null) return null
  const name = html`<bdi>${claimedName}</bdi>`
  return html`<p class="note">${texts.html('consent.claimed', { name })}</p>`
}

/** What an app could then do, and where. */
export function scopesOf(
  { scopes, apis }: Pick<ConsentView, 'scopes' | 'apis'>,
  texts: PageTexts,
): SafeHtml {
  const allowed = html`<p id="scopes">${texts.html('consent.scopes')}</p>
<ul class="scopes" aria-labelledby="scopes">${itemsOf(scopes)}</ul>`
  if (apis.length === 0) return allowed
  return html`${allowed}
<p id="apis">${texts.html('consent.apis')}</p>
<ul class="scopes" aria-labelledby="apis">${itemsOf(apis)}</ul>`
}

function itemsOf(names: readonly string[]): SafeHtml[] {
  return names.map((name) => html`<li><bdi>${name}</bdi></li>`)
}

// The target is the only part that an app cannot invent, unlike its name.
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

/** Asks a signed-in user whether to continue with this account. */
export function continuePage(
  { client, account, form }: ContinueView,
  texts: PageTexts,
): PageContent {
  const names = { client: client.name, account: account.name }
  // An app on a device cannot be distinguished from an impostor: RFC 8252 §8.6.
  const warning =
    client.host === null
      ? html`<p class="note">${texts.html('continue.device', { client: client.name })}</p>`
      : null
  const choice = (value: string, style: string) => ({ name: 'choice', value, class: style })
  const content = [
    button(texts.html('page.continue'), choice('continue', 'grants')),
    button(texts.html('continue.other'), choice('other', 'plain')),
    button(texts.html('page.cancel'), choice('cancel', 'link')),
  ]
  return {
    title: 'continue.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('continue.question', names)}</p>
${accountCard(account)}
${warning}${formOf(form, texts, 'fault.stale', content)}`,
  }
}
