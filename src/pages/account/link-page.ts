import { AuthError } from '../../errors.js'
import { typedDigits } from '../../lib/typed-code.js'
import { linkScript as linkScriptText } from '../assets/scripts.js'
import { accountOf } from '../consent-page.js'
import { denyForm, factsOf, noted, warningOf } from '../device-page.js'
import { accountCard, button, field, formOf, type OwnView } from '../form-parts.js'
import { html } from '../html.js'
import type { PageContent, PageShell } from '../layout.js'
import { assetAddress, type ServedFile, scriptFile } from '../page-site.js'
import type { FormsKit } from '../pages-kit.js'
import type { LinkOnPage, LinksOnPages } from '../ports.js'
import { wrongFields } from '../renew-cookie.js'
import type { AccountFormPage, Asking, Changed } from './account-form.js'

/** The script of the page. */
export const linkScriptFile: ServedFile = scriptFile('link', linkScriptText)

/**
 * `/account/link`: a user opens the link that a new device shows, reads which device it is, and
 * types its check code.
 */
export function createLinkPage({ pageSite }: FormsKit, links: LinksOnPages): AccountFormPage {
  const linkScript = assetAddress(pageSite, linkScriptFile)
  return {
    page: 'account/link',
    needsFresh: true,
    maxAge: links.maxSignInAge,
    // The id of a link that is open. It opens nothing, and is no secret.
    ownQuery: (query) => (linkIdIn(query) === '' ? '' : query),
    // Not to the sign-in at once: on the way there the fragment would be lost.
    beforeSignIn: (signIn) => (shell) => linkSignInPage({ signIn, linkScript }, shell),

    async view(found, form, { query, request }) {
      const linkId = linkIdIn(query)
      const account = accountOf(found)
      const user = { session: found.session, user: found.approved.user }
      const device = linkId === '' ? null : await links.look(user, linkId, request)
      if (device !== null) return (shell) => linkDevicePage({ account, form, device }, shell)
      // The link is over, which has to be said.
      const fault = linkId === '' ? form.fault : wrongFields.fault
      const shown = { account, form: { ...form, fault }, linkScript }
      return (shell) => linkPage(shown, shell)
    },

    async submit(asking) {
      if (asking.fields.text('choice') === 'deny') return deny(links, asking)
      return asking.fields.has('link') ? open(links, asking) : approve(links, asking)
    },
  }
}

function linkIdIn(query: string): string {
  return /^link=([A-Za-z0-9_-]{43})$/.exec(query)?.[1] ?? ''
}

/** Characters of a link. */
const maxLinkChars = 64

async function open(
  links: LinksOnPages,
  { user, fields, request, signInAgain }: Asking,
): Promise<Changed> {
  const typed = fields.text('link')
  // A whole address may be pasted.
  const link = typed.slice(typed.lastIndexOf('#') + 1).trim()
  if (link.length > maxLinkChars) return wrongFields
  return orRefused(async () => {
    const { linkId, mustSignIn } = await links.open(user, link, request)
    const query = `link=${linkId}`
    return mustSignIn ? { next: 'answer', answer: signInAgain(query) } : { next: 'open', query }
  })
}

async function approve(links: LinksOnPages, asking: Asking): Promise<Changed> {
  const { user, fields, request, query, signInAgain } = asking
  const linkId = linkIdIn(query)
  const checkCode = typedDigits(fields.text('check_code'))
  // What cannot be a code costs no try.
  if (linkId === '' || !/^\d{4}$/.test(checkCode)) return wrongFields
  return orRefused(async () => {
    const approval = await links.approve(user, { linkId, checkCode }, request)
    if (approval === 'approved') return noted('device-approved', asking)
    return { next: 'answer', answer: signInAgain(query) }
  })
}

async function deny(links: LinksOnPages, asking: Asking): Promise<Changed> {
  return orRefused(async () => {
    await links.deny(asking.user, linkIdIn(asking.query), asking.request)
    return noted('device-denied', asking)
  })
}

// One answer for every reason: a stranger must not learn which links there are.
async function orRefused(work: () => Promise<Changed>): Promise<Changed> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const { code, clientMessage: message } = error
    if (code === 'proof-refused') return wrongFields
    if (code !== 'forbidden') throw error
    return { next: 'again', status: 403, fault: { kind: 'refused', message } }
  }
}

/**
 * `linkScript` is the URL of the script that fills the field in from the fragment of the address.
 * It finds the field by `data-link`, hides what has `data-link-asks`, and shows what has
 * `data-link-found`.
 */
interface LinkView extends Omit<OwnView, 'back'> {
  readonly linkScript: string
}

/** The script follows the link with `data-link-goes`. */
interface LinkSignInView extends Pick<LinkView, 'linkScript'> {
  readonly signIn: string
}

interface LinkDeviceView extends Omit<OwnView, 'back'> {
  readonly device: LinkOnPage
}

/**
 * The link that a new device shows. Its script hides the field where the address has the link.
 *
 * @internal
 */
export function linkPage(
  { account, form, linkScript }: LinkView,
  { texts }: PageShell,
): PageContent {
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
    scripts: [linkScript],
  }
}

/**
 * The same for whoever must sign in first.
 *
 * @internal
 */
export function linkSignInPage(
  { signIn, linkScript }: LinkSignInView,
  { texts }: PageShell,
): PageContent {
  return {
    title: 'device.title',
    body: html`<p>${texts.html('link.sign-in-lead')}</p>
<p><a class="button" href="${signIn}" data-link-goes>${texts.html('sign-in.submit')}</a></p>
${scriptAt(linkScript)}`,
    scripts: [linkScript],
  }
}

function scriptAt(address: string) {
  return html`<script src="${address}" defer></script>`
}

/**
 * What shows whether it is the user's own device, and the field for its check code.
 *
 * @internal
 */
export function linkDevicePage(
  { account, form, device }: LinkDeviceView,
  { texts }: PageShell,
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
