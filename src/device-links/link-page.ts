import { AuthError } from '../errors.js'
import { typedDigits } from '../lib/typed-codes.js'
import type { AccountFormPage, Asking, Changed } from '../pages/account-form.js'
import { linkScript as linkScriptText } from '../pages/assets/scripts.js'
import { accountCard, accountOf, button, field, formOf, type OwnView } from '../pages/form-parts.js'
import { html } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { denyForm, factsOf, noted, warningOf } from '../pages/new-device-parts.js'
import { assetAddress, type ServedFile, scriptFile } from '../pages/page-site.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { wrongFields } from '../pages/renew-cookie.js'
import {
  approveLink,
  denyLink,
  type LinksKit,
  linkRefusal,
  lookAt,
  maxSignInAge,
  mustSignIn,
  openLink,
  requireCheckCode,
  type ToldDevice,
  tellDevice,
} from './links.js'

/** The script of the page. */
export const linkScriptFile: ServedFile = scriptFile('link', linkScriptText)

/**
 * `/account/link`: a user opens the link that a new device shows, reads which device it is, and
 * types its check code.
 */
export function createLinkPage(forms: FormsKit, kit: LinksKit): AccountFormPage {
  const linkScript = assetAddress(forms.pageSite, linkScriptFile)
  return {
    page: 'account/link',
    needsFresh: true,
    maxAge: maxSignInAge,
    // The id of a link that is open. It opens nothing, and is no secret.
    ownQuery: (query) => (linkIdIn(query) === '' ? '' : query),
    // The browser is not led to the sign-in at once: on the way there the fragment would be lost.
    beforeSignIn: (signIn) => (shell) => linkSignInPage({ signIn, linkScript }, shell),

    async view(found, form, { query, request }) {
      const linkId = linkIdIn(query)
      const account = accountOf(found)
      const link = linkId === '' ? null : await lookAt(kit, found.session, linkId)
      const device = link && (await tellDevice(kit, link, request.context))
      if (device !== null) return (shell) => linkDevicePage({ account, form, device }, shell)
      // The link is over, which has to be said.
      const fault = linkId === '' ? form.fault : wrongFields.fault
      const shown = { account, form: { ...form, fault }, linkScript }
      return (shell) => linkPage(shown, shell)
    },

    async submit(asking) {
      if (asking.fields.text('choice') === 'deny') return deny(kit, asking)
      return asking.fields.has('link') ? open(kit, asking) : approve(kit, asking)
    },
  }
}

function linkIdIn(query: string): string {
  return /^link=([A-Za-z0-9_-]{43})$/.exec(query)?.[1] ?? ''
}

/** Characters of a link. */
const maxLinkChars = 64

async function open(kit: LinksKit, asking: Asking): Promise<Changed> {
  const { user, fields, request, signInAgain } = asking
  const typed = fields.text('link')
  // A whole address may be pasted.
  const link = typed.slice(typed.lastIndexOf('#') + 1).trim()
  if (link.length > maxLinkChars) return wrongFields
  return limited(kit, asking, async () => {
    const opened = await openLink(kit, user.session, link, request.context)
    const query = `link=${opened.userCodeHash}`
    if (await mustSignIn(kit, user, opened)) return { next: 'answer', answer: signInAgain(query) }
    return { next: 'open', query }
  })
}

async function approve(kit: LinksKit, asking: Asking): Promise<Changed> {
  const { user, fields, query, signInAgain } = asking
  const { session } = user
  const { context } = asking.request
  const linkId = linkIdIn(query)
  const checkCode = typedDigits(fields.text('check_code'))
  // A text that cannot be a code costs no try.
  if (linkId === '' || !/^\d{4}$/.test(checkCode)) return wrongFields
  return limited(kit, asking, async () => {
    const found = await lookAt(kit, session, linkId)
    if (found === null) throw linkRefusal(kit, 'unknown', session.userId, context)
    // Costs no try.
    if (await mustSignIn(kit, user, found)) return { next: 'answer', answer: signInAgain(query) }
    const link = await requireCheckCode(kit, session, { linkId, checkCode }, context)
    await approveLink(kit, session, link, null, context)
    return noted('device-approved', asking)
  })
}

async function deny(kit: LinksKit, asking: Asking): Promise<Changed> {
  const { user, query, request } = asking
  return limited(kit, asking, async () => {
    await denyLink(kit, user.session, linkIdIn(query), request.context)
    return noted('device-denied', asking)
  })
}

// The page uses the counters of the endpoints: it is no second set of guesses. One answer for every
// reason: a stranger must not learn which links there are.
async function limited(
  { throttle }: LinksKit,
  { request }: Asking,
  work: () => Promise<Changed>,
): Promise<Changed> {
  try {
    return await throttle.limitRefusals('device-link', request, work)
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
  readonly device: Omit<ToldDevice, 'linkId'>
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
 * The page of a link for a user who must sign in first.
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
 * The facts that show whether it is the user's own device, and the field for its check code.
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
