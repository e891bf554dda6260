import { accountCard, button, formOf } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { TextKey } from '../texts/en.js'
import type { PageTexts } from '../texts.js'
import type { AccountView } from '../view.js'
import type {
  AppFactorOnPage,
  AppOnPage,
  DeviceOnPage,
  EmailFactorOnPage,
  EmailOnPage,
  SignedInAppOnPage,
} from '../view-parts.js'

/** The account, with one form for all changes. */
export function accountPage(view: AccountView, texts: PageTexts): PageContent {
  const { account, form } = view
  const content = [devices(view, texts), apps(view, texts)]
  return {
    title: 'account.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${formOf(form, texts, 'fault.stale', content)}
${factors(view, texts)}${ofAccounts(view, texts)}${linksOf(view, texts)}`,
  }
}

function linksOf({ signOut, delete: href }: AccountView, texts: PageTexts): SafeHtml {
  const deletion = href && html`<a href="${href}">${texts.html('account.delete')}</a>`
  const leaving = html`<a href="${signOut}">${texts.html('account.sign-out')}</a>`
  return html`<p class="links">${leaving}${deletion || null}</p>`
}

function ofAccounts({ password, email, identities }: AccountView, texts: PageTexts): SafeHtml {
  const ofIdentities =
    identities &&
    html`<h2>${texts.html('account.identities')}</h2>
<p><a href="${identities}">${texts.html('account.change-identities')}</a></p>
`
  const ofPassword =
    password &&
    html`<h2>${texts.html('account.password')}</h2>
<p><a href="${password}">${texts.html('account.change-password')}</a></p>
`
  const ofEmail =
    email &&
    html`${part('account.email', addressText(email, texts), texts)}<p><a href="${
      email.href
    }">${texts.html('account.change-email')}</a></p>
`
  return html`${ofPassword}${ofEmail}${ofIdentities}`
}

/** The address and its state in words. */
export function addressText(
  { address, verified }: Pick<EmailOnPage, 'address' | 'verified'>,
  texts: PageTexts,
): SafeHtml {
  if (address === null) return texts.html('account-email.none')
  const shown = html`<bdi>${address}</bdi>`
  return texts.html(verified ? 'account-email.proven' : 'account-email.unproven', {
    address: shown,
  })
}

function factors({ factor, passkeys }: AccountView, texts: PageTexts): SafeHtml {
  const ofFactor =
    factor &&
    html`<h2>${texts.html('account.factor')}</h2>
${factor.app && paragraph(appText(factor.app, texts))}${
  factor.email && paragraph(emailFactorText(factor.email, texts))
}`
  const ofPasskeys =
    passkeys &&
    part(
      'account.passkeys',
      texts.html('account.passkeys-count', { count: String(passkeys.count) }),
      texts,
    )
  const link = (href: string, key: 'account.change-factor' | 'account.change-passkeys') =>
    html`<p><a href="${href}">${texts.html(key)}</a></p>
`
  return html`${ofFactor}${factor && link(factor.href, 'account.change-factor')}${ofPasskeys}${
    passkeys && link(passkeys.href, 'account.change-passkeys')
  }`
}

function part(title: TextKey, text: SafeHtml, texts: PageTexts): SafeHtml {
  return html`<h2>${texts.html(title)}</h2>
${paragraph(text)}`
}

function paragraph(text: SafeHtml): SafeHtml {
  return html`<p>${text}</p>
`
}

/** The state of the authenticator app in words. */
export function appText(
  { enabled, recoveryCodesLeft }: AppFactorOnPage,
  texts: PageTexts,
): SafeHtml {
  if (!enabled) return texts.html('account.factor-off')
  return texts.html('account.factor-on', { count: String(recoveryCodesLeft) })
}

/** The state of codes by mail in words. */
export function emailFactorText({ enabled }: EmailFactorOnPage, texts: PageTexts): SafeHtml {
  return texts.html(enabled ? 'account.email-factor-on' : 'account.email-factor-off')
}

function devices({ devices: all, link }: AccountView, texts: PageTexts): SafeHtml {
  const linked =
    link &&
    html`
<p class="links"><a href="${link}">${texts.html('account.link')}</a></p>`
  const endAll = { name: 'choice', value: 'end-others', class: 'danger' }
  return html`<h2 id="devices">${texts.html('account.devices')}</h2>
<p>${texts.html('account.devices-lead')}</p>
<ul class="items" aria-labelledby="devices">${all.map((one) => device(one, texts))}</ul>
${button(texts.html('account.end-others'), endAll)}${linked || null}`
}

function device(one: DeviceOnPage, texts: PageTexts): SafeHtml {
  const { id, name, ip, createdAt, lastSeenAt, current } = one
  const since = texts.html('account.since', { time: texts.moment(createdAt) })
  const shown = name ?? texts.plain('account.unknown-device')
  const address = ip === null ? null : html` · <bdi>${ip}</bdi>`
  const last = current
    ? html`<b>${texts.html('account.this-device')}</b>`
    : endButton(id, shown, texts)
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${since}</p>
<p class="hint">${lastSeen(lastSeenAt, texts)}${address}</p></div>
${last}${appsOf(one, texts)}</li>
`
}

function appsOf({ apps: all }: DeviceOnPage, texts: PageTexts): SafeHtml | null {
  if (all.length === 0) return null
  return html`
<div class="below"><p class="hint">${texts.html('account.apps-here')}</p>
<ul>${all.map((one) => signedInApp(one, texts))}</ul></div>
`
}

function signedInApp({ id, name, lastSeenAt }: SignedInAppOnPage, texts: PageTexts): SafeHtml {
  const shown = name ?? texts.plain('account.unknown-app')
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${lastSeen(lastSeenAt, texts)}</p></div>
${endButton(id, shown, texts)}</li>
`
}

function lastSeen(time: Date, texts: PageTexts): SafeHtml {
  return texts.html('account.last-seen', { time: texts.moment(time) })
}

function endButton(id: string, named: string, texts: PageTexts): SafeHtml {
  const label = texts.plain('account.end-named', { device: named })
  const end = { name: 'choice', value: `end ${id}`, class: 'danger', 'aria-label': label }
  return button(texts.html('account.end'), end)
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
  const revoke = { name: 'choice', value: `revoke ${id}`, class: 'danger', 'aria-label': label }
  const allowed = [...scopes, ...apis].map((one) => html`<p class="hint"><bdi>${one}</bdi></p>`)
  return html`<li><div><bdi>${shown}</bdi>
${allowed}</div>
${button(texts.html('account.revoke'), revoke)}</li>
`
}
