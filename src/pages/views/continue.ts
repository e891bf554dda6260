import { accountCard, button, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { ContinueView } from '../view.js'

/** Somebody is signed in already: does she want that, as who she is? */
export function continuePage(
  { client, account, form }: ContinueView,
  texts: PageTexts,
): PageContent {
  const names = { client: client.name, account: account.name }
  // Nobody can tell an app on a device from an impostor: RFC 8252 §8.6.
  const warning =
    client.host === null
      ? html`<p class="note">${texts.html('continue.device', { client: client.name })}</p>`
      : null
  const choice = (value: string, style: string) => ({ name: 'choice', value, class: style })
  const content = [
    button(texts.html('page.continue'), { name: 'choice', value: 'continue' }),
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
