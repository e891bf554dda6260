import { accountCard, button, field, formOf } from '../form-parts.js'
import { attributes, html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { DeviceCodeView, DeviceView, PageForm } from '../view.js'
import { scopesOf } from './consent.js'

/** The code that the device shows. */
export function deviceCodePage(
  { account, form, userCode }: DeviceCodeView,
  texts: PageTexts,
): PageContent {
  const { fault } = form
  const isFaulty = fault?.kind === 'wrong'
  const given = {
    type: 'text',
    value: userCode,
    autocomplete: 'off',
    autocapitalize: 'characters',
    inputmode: 'text',
    spellcheck: 'false',
    required: true,
    autofocus: fault === null || isFaulty,
  }
  const named = { id: 'user-code', name: 'user_code', label: 'device.code' } as const
  const typed = field({ ...named, hint: 'device.help', isFaulty, attributes: given }, texts)
  return {
    title: 'device.title',
    isFaulty: fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html('device.lead')}</p>
${formOf(form, texts, 'device.wrong', [typed, button(texts.html('page.continue'))], true)}`,
  }
}

/** What a device wants, and what shows whether it is the user's own. */
export function devicePage(view: DeviceView, texts: PageTexts): PageContent {
  const { account, form, clientName, network, userCode } = view
  const client = html`<b><bdi>${clientName}</bdi></b>`
  const foreign = view.isOwnApp ? null : html` ${texts.html('consent.foreign')}`
  const isRefused = network === 'refused'
  return {
    title: 'device-approval.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('device-approval.lead', { client })}${foreign}</p>
${accountCard(account)}
<p><code class="secret" dir="ltr">${userCode}</code></p>
${factsOf({ ...view.device, network: view.device.ip }, texts)}
${scopesOf(view, texts)}
<p class="note">${texts.html('device-approval.warning')}</p>
${warningOf(network, texts)}${isRefused ? null : approveForm(form, texts)}
${denyForm(form, isRefused, texts)}`,
  }
}

/** A warning of another network. */
export function warningOf(network: DeviceView['network'], texts: PageTexts): SafeHtml | null {
  if (network === 'same') return null
  return html`<p class="fault">${texts.html(`device-approval.${network}-network`)}</p>
`
}

function approveForm(form: PageForm, texts: PageTexts): SafeHtml {
  const tick = attributes({ type: 'checkbox', name: 'seen', value: 'yes', required: true })
  const seen = texts.html('device-approval.seen')
  const content = [
    html`<label class="tick"><input${tick}> <span>${seen}</span></label>
`,
    button(texts.html('device-approval.allow'), { class: 'grants' }),
  ]
  return formOf(form, texts, 'device-approval.tick', content)
}

/** A form of its own, which says what was wrong only where it is alone. */
export function denyForm(form: PageForm, isAlone: boolean, texts: PageTexts): SafeHtml {
  const given = { name: 'choice', value: 'deny', class: 'plain' }
  const deny = button(texts.html('device-approval.deny'), given)
  return formOf(isAlone ? form : { ...form, fault: null }, texts, 'device-approval.tick', deny)
}

/** What is known of a device. A part that nobody knows is null. */
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
