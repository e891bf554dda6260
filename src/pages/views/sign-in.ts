import { button, faultPart, field, formOf, revealPassword, stayTick } from '../form-parts.js'
import { attributes, type HtmlValue, html, type SafeHtml } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { SignInView } from '../view.js'
import type { ProviderButton } from '../view-parts.js'

/** One form with both fields: password managers do not fill forms on two pages. */
export function signInPage(
  view: SignInView,
  { texts, brand, passwordScript }: Pick<PageShell, 'texts' | 'brand' | 'passwordScript'>,
): PageContent {
  const { form } = view
  const content = [
    username(view, texts),
    password(view, texts, passwordScript),
    stayTick(view.stay, texts),
    button(texts.html('sign-in.submit')),
    view.passkey,
  ]
  return {
    title: 'sign-in.title',
    isFaulty: form.fault !== null,
    body: html`${lead(view, brand.name, texts)}
${connecting(view, texts)}${ways(view, content, texts)}${other(view, texts)}${cancel(view, texts)}`,
  }
}

// First what most users take.
function ways(view: SignInView, content: HtmlValue, texts: PageTexts): SafeHtml {
  const { form, password: fields } = view
  const byProvider = view.providers.map((one) => providerButton(one, texts))
  const signedIn = goOn(view, texts)
  if (fields === 'none')
    return html`${faultPart(form.fault, texts, 'sign-in.wrong')}${byProvider}${signedIn}`
  const typed = html`${formOf(form, texts, 'sign-in.wrong', content, true)}
`
  const links = elsewhere(view, texts)
  if (fields === 'shown') return html`${typed}${signedIn}${links}${byProvider}`
  const open = attributes({ open: form.fault !== null })
  return html`${byProvider}<details${open}><summary>${texts.html('sign-in.by-password')}</summary>
${typed}${links}</details>
${signedIn}`
}

function providerButton({ name, href, logo }: ProviderButton, texts: PageTexts): SafeHtml {
  const picture = logo && html`<img${attributes({ src: logo, alt: '', width: 20, height: 20 })}> `
  const label = texts.html('sign-in.provider', { provider: name })
  return html`<p><a class="button plain" href="${href}">${picture}${label}</a></p>
`
}

function connecting({ connects }: SignInView, texts: PageTexts): SafeHtml | null {
  if (connects === null) return null
  const { provider, account, other } = connects
  return html`<p class="note" role="status">${texts.html('sign-in.connects', { provider, account })}
<a href="${other}">${texts.html('sign-in.not-mine')}</a></p>
`
}

// Null for the service's own app, whose name is above the heading.
function lead({ client, isAgain }: SignInView, service: string, texts: PageTexts) {
  if (client?.name === service) return null
  const text =
    client === null
      ? texts.html(isAgain ? 'sign-in.lead-again' : 'sign-in.lead')
      : texts.html('sign-in.lead-client', { client: client.name })
  return html`<p class="lead">${text}</p>
`
}

function isWrong({ form }: SignInView): boolean {
  return form.fault?.kind === 'wrong'
}

function username(view: SignInView, texts: PageTexts): SafeHtml {
  const given = {
    type: 'text',
    value: view.username,
    // `webauthn` must be last: https://www.w3.org/TR/webauthn-3/#sctn-autofill
    autocomplete: 'username webauthn',
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: 'false',
    required: true,
    readonly: view.isAgain,
    autofocus: view.form.fault === null && view.username === '',
  }
  return field(
    {
      id: 'username',
      name: 'username',
      label: 'sign-in.username',
      isFaulty: isWrong(view),
      attributes: given,
    },
    texts,
  )
}

// No `maxlength`, which would silently truncate a pasted password.
function password(view: SignInView, texts: PageTexts, script: string): SafeHtml {
  const given = {
    type: 'password',
    autocomplete: 'current-password',
    // While it is revealed, some browsers would send its text to a spelling checker.
    autocapitalize: 'none',
    autocorrect: 'off',
    spellcheck: 'false',
    required: true,
    autofocus: isWrong(view) || (view.form.fault === null && view.username !== ''),
  }
  return field(
    {
      id: 'current-password',
      name: 'password',
      label: 'sign-in.password',
      isFaulty: isWrong(view),
      attributes: given,
      after: revealPassword('current-password', texts, script),
    },
    texts,
  )
}

function elsewhere({ byCode, forgotten, register }: SignInView, texts: PageTexts): SafeHtml | null {
  if (byCode === null && forgotten === null && register === null) return null
  const links = [
    byCode && html`<a href="${byCode}">${texts.html('sign-in.by-code')}</a>`,
    forgotten && html`<a href="${forgotten}">${texts.html('sign-in.forgotten')}</a>`,
    register && html`<a href="${register}">${texts.html('sign-in.register')}</a>`,
  ]
  return html`<p class="links">${links}</p>
`
}

// A user who has signed in in another tab need not type anything.
function goOn({ account, form }: SignInView, texts: PageTexts): SafeHtml | null {
  if (account === null) return null
  const label = texts.html('sign-in.continue', { account: html`<bdi>${account.name}</bdi>` })
  return html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(label, { name: 'choice', value: 'continue', class: 'plain' })}
</form>
`
}

function cancel({ client, form, mayCancel }: SignInView, texts: PageTexts): SafeHtml | null {
  if (client === null || !mayCancel) return null
  return leave(form, 'cancel', texts.html('sign-in.cancel', { client: client.name }))
}

function other({ isAgain, form }: SignInView, texts: PageTexts): SafeHtml | null {
  return isAgain ? leave(form, 'other', texts.html('continue.other')) : null
}

// Its own form, so that the typed fields are not sent.
function leave(form: SignInView['form'], value: string, label: SafeHtml): SafeHtml {
  return html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(label, { name: 'choice', value, class: 'link' })}
</form>`
}
