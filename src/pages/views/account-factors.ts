import { accountCard, button, field, formOf, hiddenFields } from '../form-parts.js'
import { type HtmlValue, html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { TextKey } from '../texts/en.js'
import type { PageTexts } from '../texts.js'
import type { AccountFactorView, AccountPasskeysView } from '../view.js'
import type { AppFactorOnPage, EmailFactorOnPage, PasskeyOnPage } from '../view-parts.js'
import { appText, emailFactorText } from './account.js'

/** The authenticator app: set up, or its codes and its end. Below it, codes by mail. */
export function accountFactorPage(view: AccountFactorView, texts: PageTexts): PageContent {
  const { account, form, app, email, done, back } = view
  const content = [app && ofApp(app, texts), email && ofEmail(view, email, texts)]
  const isForm = app !== null || email?.enabled === true || email?.verified === true
  return {
    title: 'account.factor',
    isFaulty: isForm && form.fault !== null,
    body: html`${accountCard(account)}
${
  done &&
  html`<p class="note" role="status">${texts.html(`account-factor.${done}-done`)}</p>
`
}${
  app &&
  html`<p>${appText(app, texts)}</p>
`
}${isForm ? formOf(form, texts, 'fault.stale', content) : content}
${backTo(back, texts)}`,
  }
}

function choice(value: string, style?: string) {
  return { name: 'choice', value, ...(style === undefined ? {} : { class: style }) }
}

function ofApp({ enabled }: AppFactorOnPage, texts: PageTexts): HtmlValue {
  if (!enabled) return button(texts.html('account-factor.begin'), choice('begin'))
  return [
    button(texts.html('account-factor.codes'), choice('codes')),
    hint('account-factor.codes-help', texts),
    button(texts.html('account-factor.off'), choice('off', 'danger')),
    hint('account-factor.off-help', texts),
  ]
}

function ofEmail(
  { app, proveAddress }: AccountFactorView,
  email: EmailFactorOnPage,
  texts: PageTexts,
): HtmlValue {
  const state = html`${
    app &&
    html`<h2>${texts.html('account-factor.email')}</h2>
`
  }<p>${emailFactorText(email, texts)}</p>
`
  if (email.enabled) {
    const off = button(texts.html('account-factor.email-off'), choice('email-off', 'danger'))
    return [state, off, hint('account-factor.off-help', texts)]
  }
  if (email.verified) {
    const on = button(texts.html('account-factor.email-on'), choice('email-on'))
    const helps = ['account-factor.email-on-help', 'account-factor.off-help'] as const
    return [state, on, helps.map((key) => hint(key, texts))]
  }
  const prove = texts.html('account-factor.email-prove')
  const link = proveAddress === null ? prove : html`<a href="${proveAddress}">${prove}</a>`
  return [
    state,
    html`<p>${texts.html('account-factor.email-unproven', { link })}</p>
`,
  ]
}

function hint(key: TextKey, texts: PageTexts): SafeHtml {
  return html`<p class="hint">${texts.html(key)}</p>
`
}

/** The passkeys, each with a form of its own. */
export function accountPasskeysPage(view: AccountPasskeysView, texts: PageTexts): PageContent {
  const { account, form, passkeys, back } = view
  const add = button(texts.html('account-passkeys.add'), { name: 'choice', value: 'add' })
  return {
    title: 'account.passkeys',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${passkeys.length === 0 ? html`<p>${texts.html('account-passkeys.none')}</p>` : null}
${formOf(form, texts, 'account-passkeys.wrong', add)}
${passkeys.map((one, index) => passkey(one, index, view, texts))}
${backTo(back, texts)}`,
  }
}

function passkey(
  { id, name, createdAt, lastUsedAt }: PasskeyOnPage,
  index: number,
  { form }: AccountPasskeysView,
  texts: PageTexts,
): SafeHtml {
  const rename = field(
    {
      id: `name-${index}`,
      name: 'name',
      label: 'account-passkeys.name',
      isFaulty: false,
      attributes: { type: 'text', value: name, autocomplete: 'off', required: true },
    },
    texts,
  )
  const used =
    lastUsedAt &&
    html`<p class="hint">${texts.html('account.last-seen', { time: texts.moment(lastUsedAt) })}</p>
`
  const label = texts.plain('account-passkeys.remove-named', { passkey: name })
  const remove = { name: 'choice', value: `remove ${id}`, class: 'danger', 'aria-label': label }
  return html`<form method="post" action="${form.action}" class="item">
${form.hidden}${hiddenFields({ id })}${rename}<p class="hint">${texts.html(
    'account-passkeys.made',
    {
      time: texts.moment(createdAt),
    },
  )}</p>
${used}${button(texts.html('account-passkeys.rename'), { class: 'plain' })}
${button(texts.html('account-passkeys.remove'), { ...remove, formnovalidate: true })}
</form>
`
}

/** The link back to the account page. */
export function backTo(href: string, texts: PageTexts): SafeHtml {
  return html`<p class="links"><a href="${href}">${texts.html('account.back')}</a></p>`
}
