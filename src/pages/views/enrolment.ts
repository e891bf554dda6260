import { accountCard, button, field, formOf, waysOut, waysOutButtons } from '../form-parts.js'
import { html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { AddPasskeyView, EnrolPasskeyView, EnrolView, RecoveryCodesView } from '../view.js'

/** A new secret for an authenticator app, and the field for its first code. */
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
${formOf(form, texts, 'enrol.wrong', content, true)}
${waysOut(form, texts)}`,
  }
}

/** A new passkey, if that is the only available factor. */
export function enrolPasskeyPage(
  { form, passkey }: EnrolPasskeyView,
  texts: PageTexts,
): PageContent {
  return {
    title: 'enrol.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('enrol-passkey.lead')}</p>
${formOf(form, texts, 'fault.wrong-passkey', [passkey, waysOutButtons(texts)])}`,
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
    autofocus: isFaulty,
  }
  return field(
    { id: 'one-time-code', name: 'code', label: 'enrol.code', isFaulty, attributes: given },
    texts,
  )
}

/** The offer of a passkey for the next sign-in. */
export function addPasskeyPage(
  { account, form, passkey }: AddPasskeyView,
  texts: PageTexts,
): PageContent {
  const given = { name: 'choice', value: 'later', class: 'link' }
  const content = [passkey, button(texts.html('add-passkey.later'), given)]
  return {
    title: 'add-passkey.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('add-passkey.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.wrong-passkey', content)}`,
  }
}

/** The recovery codes, shown once. */
export function recoveryCodesPage(
  { form, codes }: RecoveryCodesView,
  texts: PageTexts,
): PageContent {
  const items = codes.map((code) => html`<li><code>${code}</code></li>`)
  const label = texts.plain('recovery-codes.list')
  return {
    title: 'recovery-codes.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('recovery-codes.lead')}</p>
<p>${texts.html('recovery-codes.keep')}</p>
<ol class="codes" dir="ltr" aria-label="${label}">${items}</ol>
${formOf(form, texts, 'fault.stale', button(texts.html('recovery-codes.submit')))}`,
  }
}

/** The quiet zone around a code, in modules. */
const quietZone = 4

/**
 * A QR code as an inline element: its content is secret, so no other request loads it.
 *
 * @param modules - row by row, true for dark
 */
function qrSvg(modules: readonly (readonly boolean[])[], label: string): SafeHtml {
  const size = modules.length + 2 * quietZone
  const dark = modules.flatMap((row, y) => runsOf(row).map((run) => drawn(run, y))).join('')
  const box = `0 0 ${size} ${size}`
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${box}">
<path d="${dark}"/></svg>
`
}

/** Adjacent dark modules. */
interface Run {
  readonly start: number
  readonly length: number
}

function runsOf(row: readonly boolean[]): Run[] {
  const starts = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []))
  return starts.map((start) => {
    const end = row.indexOf(false, start)
    return { start, length: (end === -1 ? row.length : end) - start }
  })
}

function drawn({ start, length }: Run, y: number): string {
  return `M${start + quietZone} ${y + quietZone}h${length}v1h-${length}z`
}
