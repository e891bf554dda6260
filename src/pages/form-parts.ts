import { attributes, type HtmlValue, html, type SafeHtml } from './html.js'
import type { TextKey } from './texts/en.js'
import type { PageTexts } from './texts.js'
import type { AccountOnPage, FormFault, PageForm } from './view.js'

/** One line to type in. */
export interface Field {
  readonly id: string
  readonly name: string
  readonly label: TextKey
  readonly hint?: TextKey
  /** Whether the fault of the form may be that of this field. */
  readonly isFaulty: boolean
  readonly attributes: Readonly<Record<string, string | boolean | null>>
}

/** What a form carries unseen. */
export function hiddenFields(values: Readonly<Record<string, string>>): SafeHtml {
  const fields = Object.entries(values).map(
    ([name, value]) => html`<input${attributes({ type: 'hidden', name, value })}>`,
  )
  return html`${fields}`
}

/** A form with what it carries, and above everything why it is shown again. */
export function formOf(
  { action, hidden, fault }: PageForm,
  texts: PageTexts,
  wrong: TextKey,
  content: HtmlValue,
): SafeHtml {
  return html`${fault === null ? null : faultOf(fault, texts, wrong)}
<form method="post" action="${action}">
${hidden}${content}
</form>`
}

/** A label, its field, and the hint below; read out together with the fault. */
export function field(given: Field, texts: PageTexts): SafeHtml {
  const { id, name, hint, isFaulty } = given
  const described = [...(isFaulty ? ['fault'] : []), ...(hint === undefined ? [] : [`${id}-hint`])]
  const shown = attributes({
    id,
    name,
    ...given.attributes,
    'aria-invalid': isFaulty ? 'true' : null,
    'aria-describedby': described.length > 0 ? described.join(' ') : null,
  })
  const below =
    hint === undefined ? null : html`<p class="hint" id="${id}-hint">${texts.html(hint)}</p>`
  return html`<div class="field">
<label for="${id}">${texts.html(given.label)}</label>
<input${shown}>
${below}</div>`
}

/** A button that posts the form, with the user's choice where there are several. */
export function button(
  label: SafeHtml,
  given: Readonly<Record<string, string | boolean>> = {},
): SafeHtml {
  return html`<button type="submit"${attributes(given)}>${label}</button>`
}

/** Whose account it is, to be seen at a glance. */
export function accountCard({ name, username }: AccountOnPage): SafeHtml {
  return html`<p class="account"><bdi><b>${name}</b></bdi> <bdi>${username}</bdi></p>`
}

// The focus goes there, so that nobody has to look for what has changed.
function faultOf(fault: FormFault, texts: PageTexts, wrong: TextKey): SafeHtml {
  const text = faultText(fault, texts, wrong)
  return html`<p id="fault" class="fault" role="alert" tabindex="-1" autofocus>${text}</p>`
}

function faultText(fault: FormFault, texts: PageTexts, wrong: TextKey): SafeHtml {
  switch (fault.kind) {
    case 'wrong':
      return texts.html(wrong)
    case 'stale':
    case 'wrong-passkey':
      return texts.html(`fault.${fault.kind}`)
    case 'refused':
      return fault.message === null
        ? texts.html('fault.refused')
        : html`<bdi>${fault.message}</bdi>`
    case 'throttled':
    case 'busy':
      return texts.html(`fault.${fault.kind}`, { wait: texts.wait(fault.retryAfter) })
  }
}
