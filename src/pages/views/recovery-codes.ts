import { button, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { RecoveryCodesView } from '../view.js'

/** The codes that are shown once. */
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
