import { accountCard, button, field, formOf, typedName } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountIdentitiesView, ConnectView, NewNameView } from '../view.js'
import type { IdentityOnPage } from '../view-parts.js'
import { backTo } from './account-factors.js'

/** The name of a new user from a provider. */
export function newNamePage({ form, username, back }: NewNameView, texts: PageTexts): PageContent {
  const isFaulty = form.fault?.kind === 'wrong'
  const label = 'register.username'
  const hint = 'register.username-help'
  const name = field({ ...typedName(username, form), label, hint, isFaulty }, texts)
  const content = [name, button(texts.html('page.continue'))]
  return {
    title: 'new-name.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('new-name.lead')}</p>
${formOf(form, texts, 'register.taken', content, true)}
<p class="links"><a href="${back}">${texts.html('register.back')}</a></p>`,
  }
}

/** Whether to connect the account of a provider with the one here. */
export function connectPage(
  { account, connects, form }: ConnectView,
  texts: PageTexts,
): PageContent {
  const names = { ...connects, name: account.name }
  const choice = (value: string, style: string) => ({ name: 'choice', value, class: style })
  const yes = texts.html('account-identities.connect', { provider: connects.provider })
  const content = [
    button(yes, choice('connect', 'grants')),
    button(texts.html('connect.later'), choice('later', 'plain')),
  ]
  return {
    title: 'connect.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('connect.question', names)}</p>
${accountCard(account)}
<p class="note">${texts.html('connect.means', names)}</p>
${formOf(form, texts, 'fault.stale', content)}`,
  }
}

/** The accounts elsewhere, and the providers of others. */
export function accountIdentitiesPage(
  { account, form, identities, providers, back }: AccountIdentitiesView,
  texts: PageTexts,
): PageContent {
  const isAny = identities.length > 0
  const listed =
    isAny && html`<ul class="items">${identities.map((one) => identity(one, texts))}</ul>`
  const connect = providers.map(({ id, name }) => {
    const label = texts.html('account-identities.connect', { provider: name })
    const isThere = identities.some(({ provider }) => provider === name)
    return button(label, { name: 'choice', value: `connect ${id}`, class: isThere && 'plain' })
  })
  return {
    title: 'account.identities',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html(isAny ? 'account-identities.lead' : 'account-identities.none')}</p>
${formOf(form, texts, 'account-identities.wrong', [listed || null, connect])}
${backTo(back, texts)}`,
  }
}

function identity({ id, provider, label, lastUsedAt }: IdentityOnPage, texts: PageTexts): SafeHtml {
  const named = texts.plain('account-identities.disconnect-named', { account: label ?? provider })
  const end = { name: 'choice', value: `disconnect ${id}`, class: 'danger', 'aria-label': named }
  const shown = label && html`<p class="hint"><bdi>${label}</bdi></p>`
  const time = lastUsedAt && texts.html('account.last-seen', { time: texts.moment(lastUsedAt) })
  return html`<li><div><bdi>${provider}</bdi>
${shown}${time && html`<p class="hint">${time}</p>`}</div>
${button(texts.html('account-identities.disconnect'), end)}</li>
`
}
