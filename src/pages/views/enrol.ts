import { button, field, formOf } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import { qrSvg } from '../qr-svg.js'
import type { PageTexts } from '../texts.js'
import type { EnrolPasskeyView, EnrolView } from '../view.js'

/** A new secret for an authenticator app, and the first code that the app makes of it. */
export function enrolPage(view: EnrolView, texts: PageTexts): PageContent {
  const { form, otpauthUri, passkey } = view
  const instead =
    passkey &&
    html`<p class="other">${texts.html('enrol-passkey.instead')}</p>
${passkey}`
  const content = [code(view, texts), button(texts.html('enrol.submit')), instead]
  return {
    title: 'enrol.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('enrol.lead')}</p>
${scan(view, texts)}${typed(view, texts)}
<p class="links"><a href="${otpauthUri}">${texts.html('enrol.open')}</a></p>
${formOf(form, texts, 'enrol.wrong', content)}`,
  }
}

/** A new passkey, where that is the only factor there is. */
export function enrolPasskeyPage(
  { form, passkey }: EnrolPasskeyView,
  texts: PageTexts,
): PageContent {
  const cancel = button(texts.html('page.cancel'), {
    name: 'choice',
    value: 'cancel',
    class: 'link',
  })
  return {
    title: 'enrol.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('enrol-passkey.lead')}</p>
${formOf(form, texts, 'fault.wrong-passkey', [passkey, cancel])}`,
  }
}

function scan({ qr }: EnrolView, texts: PageTexts): SafeHtml | null {
  if (qr === null) return null
  return html`<p>${texts.html('enrol.scan')}</p>
${qrSvg(qr, texts.plain('enrol.qr'))}`
}

function typed({ qr, secret }: EnrolView, texts: PageTexts): SafeHtml {
  const groups = secret.match(/.{1,4}/g) ?? []
  const lead = texts.html(qr === null ? 'enrol.type-only' : 'enrol.type')
  return html`<p>${lead}</p>
<p><code class="secret" dir="ltr">${groups.join(' ')}</code></p>`
}

function code({ form }: EnrolView, texts: PageTexts): SafeHtml {
  const isFaulty = form.fault?.kind === 'wrong'
  const given = {
    type: 'text',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    pattern: '[0-9 ]*',
    spellcheck: 'false',
    required: true,
  }
  return field(
    { id: 'one-time-code', name: 'code', label: 'enrol.code', isFaulty, attributes: given },
    texts,
  )
}
