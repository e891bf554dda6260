import { accountCard, button, field, formOf } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent } from '../layout.js'
import type { PageTexts } from '../texts.js'
import type { LinkDeviceView, LinkSignInView, LinkView } from '../view.js'
import { denyForm, factsOf, warningOf } from './device.js'

/** The link that a new device shows. Its script hides the field where the address has the link. */
export function linkPage({ account, form, linkScript }: LinkView, texts: PageTexts): PageContent {
  const isFaulty = form.fault?.kind === 'wrong'
  const attributes = {
    type: 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    required: true,
    autofocus: form.fault === null || isFaulty,
    'data-link': '',
  }
  const named = { id: 'link', name: 'link', label: 'link.field', hint: 'link.help' } as const
  const typed = field({ ...named, isFaulty, attributes }, texts)
  const content = [
    html`<div data-link-asks>
${typed}</div>
`,
    // Late: a stranger may have sent the link.
    button(texts.html('page.continue'), { class: 'grants' }),
  ]
  return {
    title: 'device.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p data-link-asks>${texts.html('link.lead')}</p>
<p data-link-found hidden>${texts.html('link.found')}</p>
${formOf(form, texts, 'link.wrong', content, true)}
${scriptAt(linkScript)}`,
  }
}

/** The same for whoever must sign in first. */
export function linkSignInPage(
  { signIn, linkScript }: LinkSignInView,
  texts: PageTexts,
): PageContent {
  return {
    title: 'device.title',
    body: html`<p>${texts.html('link.sign-in-lead')}</p>
<p><a class="button" href="${signIn}" data-link-goes>${texts.html('sign-in.submit')}</a></p>
${scriptAt(linkScript)}`,
  }
}

function scriptAt(address: string) {
  return html`<script src="${address}" defer></script>`
}

/** What shows whether it is the user's own device, and the field for its check code. */
export function linkDevicePage(
  { account, form, device }: LinkDeviceView,
  texts: PageTexts,
): PageContent {
  const { name, agent, network, sameNetwork, at } = device
  const isFaulty = form.fault?.kind === 'wrong'
  const attributes = {
    type: 'text',
    autocomplete: 'off',
    inputmode: 'numeric',
    pattern: '[0-9 ]*',
    required: true,
    autofocus: form.fault === null || isFaulty,
  }
  const named = { id: 'check-code', name: 'check_code' } as const
  const label = { label: 'link-device.code', hint: 'link-device.help' } as const
  const typed = field({ ...named, ...label, isFaulty, attributes }, texts)
  const own = name && texts.html('link-device.name', { name: html`<bdi>${name}</bdi>` })
  const facts = factsOf({ name: agent, network, askedAt: at }, texts, own || null)
  const content = [typed, button(texts.html('device-approval.allow'))]
  const asked = formOf(form, texts, 'link-device.wrong', content, true)
  return {
    title: 'device-approval.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('link-device.lead')}</p>
${accountCard(account)}
${facts}
<p class="note">${texts.html('link-device.warning')}</p>
${warningOf(sameNetwork ? 'same' : 'other', texts)}${asked}
${denyForm(form, false, texts)}`,
  }
}
