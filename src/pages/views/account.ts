import { accountCard, button, formOf } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountView, AppOnPage, DeviceOnPage } from '../view.js'

/** The account, with one form for all changes. */
export function accountPage(view: AccountView, texts: PageTexts): PageContent {
  const { account, form, signOut } = view
  const content = [devices(view, texts), apps(view, texts)]
  return {
    title: 'account.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${formOf(form, texts, 'fault.stale', content)}
<p class="links"><a href="${signOut}">${texts.html('account.sign-out')}</a></p>`,
  }
}

function devices({ devices: all }: AccountView, texts: PageTexts): SafeHtml {
  const endAll = { name: 'choice', value: 'end-others', class: 'plain' }
  return html`<h2 id="devices">${texts.html('account.devices')}</h2>
<p>${texts.html('account.devices-lead')}</p>
<ul class="items" aria-labelledby="devices">${all.map((one) => device(one, texts))}</ul>
${button(texts.html('account.end-others'), endAll)}`
}

function device({ id, name, ip, lastSeenAt, current }: DeviceOnPage, texts: PageTexts): SafeHtml {
  const shown = name ?? texts.plain('account.unknown-device')
  const seen = texts.html('account.last-seen', { time: texts.moment(lastSeenAt) })
  const address = ip === null ? null : html` · <bdi>${ip}</bdi>`
  const label = texts.plain('account.end-named', { device: shown })
  const end = { name: 'choice', value: `end ${id}`, class: 'plain', 'aria-label': label }
  const last = current
    ? html`<b>${texts.html('account.this-device')}</b>`
    : button(texts.html('account.end'), end)
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${seen}${address}</p></div>
${last}</li>
`
}

function apps({ apps: all }: AccountView, texts: PageTexts): SafeHtml {
  const listed =
    all.length === 0
      ? html`<p>${texts.html('account.no-apps')}</p>`
      : html`<ul class="items" aria-labelledby="apps">${all.map((one) => app(one, texts))}</ul>`
  return html`<h2 id="apps">${texts.html('account.apps')}</h2>
${listed}`
}

function app({ id, name, scopes, apis }: AppOnPage, texts: PageTexts): SafeHtml {
  const shown = name ?? texts.plain('account.unknown-app')
  const label = texts.plain('account.revoke-named', { app: shown })
  const revoke = { name: 'choice', value: `revoke ${id}`, class: 'plain', 'aria-label': label }
  const allowed = [...scopes, ...apis].map((one) => html`<p class="hint"><bdi>${one}</bdi></p>`)
  return html`<li><div><bdi>${shown}</bdi>
${allowed}</div>
${button(texts.html('account.revoke'), revoke)}</li>
`
}
