import type { Asking, Changed } from './account-form.js'
import { button, formOf, type PageForm } from './form-parts.js'
import { html, type SafeHtml } from './html.js'
import type { Content } from './layout.js'
import { type Note, notePage } from './show-page.js'
import type { PageTexts } from './texts.js'
/** Shows the note about the finished action. */
export function noted(note: Note, { show }: Asking): Changed {
  const content: Content = (shell) => notePage({ note, onward: null }, shell)
  return { next: 'answer', answer: show(() => content) }
}

/** A warning of another network. */
export function warningOf(
  network: 'same' | 'other' | 'refused',
  texts: PageTexts,
): SafeHtml | null {
  if (network === 'same') return null
  return html`<p class="fault">${texts.html(`device-approval.${network}-network`)}</p>
`
}

/** A form of its own, which says what was wrong only where it is alone. */
export function denyForm(form: PageForm, isAlone: boolean, texts: PageTexts): SafeHtml {
  const given = { name: 'choice', value: 'deny', class: 'plain' }
  const deny = button(texts.html('device-approval.deny'), given)
  return formOf(isAlone ? form : { ...form, fault: null }, texts, 'device-approval.tick', deny)
}

/** The known facts of a device. An unknown fact is null. */
interface DeviceFacts {
  readonly name: string | null
  readonly network: string | null
  readonly askedAt: Date
}

/** The device, its network and the time, each in a line. */
export function factsOf(
  { name, network, askedAt }: DeviceFacts,
  texts: PageTexts,
  first: SafeHtml | null = null,
): SafeHtml {
  const device = name ?? texts.plain('account.unknown-device')
  const facts = [
    first,
    texts.html('device-approval.device', { device: html`<bdi>${device}</bdi>` }),
    network && texts.html('device-approval.network', { network: html`<bdi>${network}</bdi>` }),
    texts.html('device-approval.time', { time: texts.moment(askedAt) }),
  ]
  const shown = facts.filter((one) => one !== null && one !== '')
  return html`<ul class="scopes">${shown.map((fact) => html`<li>${fact}</li>`)}</ul>`
}
