import { accountCard, button, field, formOf, hiddenFields } from '../form-parts.js'
import { type HtmlValue, html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AccountFactorView, AccountPasskeysView, PasskeyOnPage } from '../view.js'
import { factorText } from './account.js'

/** The authenticator app: set up, or its codes and its end. */
export function accountFactorPage(view: AccountFactorView, texts: PageTexts): PageContent {
  const { account, form, enabled, back } = view
  const choice = (value: string, style?: string) => ({
    name: 'choice',
    value,
    ...(style === undefined ? {} : { class: style }),
  })
  const content: HtmlValue = enabled
    ? [
        button(texts.html('account-factor.codes'), choice('codes')),
        html`<p class="hint">${texts.html('account-factor.codes-help')}</p>
`,
        button(texts.html('account-factor.off'), choice('off', 'plain')),
        html`<p class="hint">${texts.html('account-factor.off-help')}</p>
`,
      ]
    : button(texts.html('account-factor.begin'), choice('begin'))
  return {
    title: 'account.factor',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${factorText(view, texts)}</p>
${formOf(form, texts, 'fault.stale', content)}
${backTo(back, texts)}`,
  }
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
  const remove = { name: 'choice', value: `remove ${id}`, class: 'plain', 'aria-label': label }
  return html`<form method="post" action="${form.action}" class="item">
${form.hidden}${hiddenFields({ id })}${rename}<p class="hint">${texts.html(
    'account-passkeys.made',
    {
      time: texts.moment(createdAt),
    },
  )}</p>
${used}${button(texts.html('account-passkeys.rename'))}
${button(texts.html('account-passkeys.remove'), { ...remove, formnovalidate: true })}
</form>
`
}

/** The link back to the account page. */
export function backTo(href: string, texts: PageTexts): SafeHtml {
  return html`<p class="links"><a href="${href}">${texts.html('account.back')}</a></p>`
}
