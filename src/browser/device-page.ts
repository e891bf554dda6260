import { readUserCode, shownUserCode } from '../lib/typed-codes.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import {
  type AskedDevice,
  createDeviceApprovals,
  type DeviceApprovals,
} from '../oauth/device/approve-device.js'
import type { DeviceFlow } from '../oauth/device/device-flow.js'
import type { AccountFormPage, Asking, Changed } from '../pages/account-form.js'
import {
  accountCard,
  accountOf,
  button,
  type FormFault,
  field,
  formOf,
  hiddenFields,
  type OwnView,
  type PageForm,
} from '../pages/form-parts.js'
import { attributes, html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { denyForm, factsOf, noted, warningOf } from '../pages/new-device-parts.js'
import { wrongFields } from '../pages/renew-cookie.js'
import type { PageTexts } from '../pages/texts.js'
import type { BrowserKit } from './browser-kit.js'
import { apisOf, scopesOf } from './consent-page.js'

/** The parts of a sign-in page, with the decision about devices. */
interface DevicePageKit extends BrowserKit {
  readonly deviceFlow: DeviceFlow
  readonly deviceApprovals: DeviceApprovals
}

/**
 * `/oauth/device`, [RFC 8628 §3.3](https://www.rfc-editor.org/rfc/rfc8628#section-3.3): a user
 * types the code of a device, reads what it wants, and decides.
 */
export function createDevicePage(given: BrowserKit, deviceFlow: DeviceFlow): AccountFormPage {
  const deviceApprovals = createDeviceApprovals({ ...given, deviceFlow })
  const kit: DevicePageKit = { ...given, deviceFlow, deviceApprovals }
  return {
    page: 'device',
    needsFresh: true,
    // A code in the address only fills the field in: a stranger may have sent the link.
    ownQuery: (query) => (codeIn(query) === '' ? '' : `user_code=${codeIn(query)}`),

    async view(found, form, { query }) {
      return codeView(found, form, codeIn(query))
    },

    async submit(asking) {
      if (asking.fields.text('choice') === 'deny') return deny(kit, asking)
      if (asking.fields.text('step') === 'decide') return approve(kit, asking)
      return ask(kit, asking)
    },
  }
}

/** The code in the query of the page, as it is shown; empty without. */
function codeIn(query: string): string {
  const [, typed = ''] = /^user_code=([A-Za-z-]{8,20})$/.exec(query) ?? []
  const code = readUserCode(typed)
  return code === null ? '' : shownUserCode(code)
}

function codeView(found: BrowserUser, form: PageForm, userCode: string): Content {
  const view = { account: accountOf(found), form, userCode }
  return (shell) => deviceCodePage(view, shell)
}

async function ask(kit: DevicePageKit, asking: Asking): Promise<Changed> {
  const { found, fields } = asking
  const typed = fields.text('user_code')
  const device = await kit.deviceApprovals.look(found, typed, asking.request.context)
  if (device === null) return wrongCode(typed, asking)
  if (device.mustSignIn) return signInAgain(device.userCode, asking)
  return showDevice(kit, device, asking)
}

async function approve(kit: DevicePageKit, asking: Asking): Promise<Changed> {
  const { deviceApprovals: approvals } = kit
  const { found, fields, request } = asking
  const { context } = request
  const typed = fields.text('user_code')
  const showAgain = async (status: number, fault: FormFault) => {
    const device = await approvals.look(found, typed, context)
    if (device === null) return wrongCode(typed, asking)
    return showDevice(kit, device, asking, { status, fault })
  }
  if (fields.text('seen') !== 'yes') return showAgain(422, { kind: 'wrong' })
  const approval = await approvals.approve(found, typed, context)
  switch (approval.outcome) {
    case 'approved':
      return noted('device-approved', asking)
    case 'refused':
      return showAgain(403, { kind: 'refused', message: approval.message })
    case 'other-network':
      return showAgain(403, { kind: 'refused', message: null })
    case 'sign-in-again':
      return signInAgain(typed, asking)
    case 'unknown-code':
      return wrongCode(typed, asking)
  }
}

async function deny({ deviceApprovals }: DevicePageKit, asking: Asking): Promise<Changed> {
  const { found, fields } = asking
  const typed = fields.text('user_code')
  const isDenied = await deviceApprovals.deny(found, typed, asking.request.context)
  return isDenied ? noted('device-denied', asking) : wrongCode(typed, asking)
}

// One answer for every reason: a stranger must not learn which codes there are.
function wrongCode(typed: string, { found, show }: Asking): Changed {
  const userCode = typed.slice(0, maxShownChars)
  const answer = show((form) => codeView(found, form, userCode), wrongFields)
  return { next: 'answer', answer }
}

/** The most characters of a wrong code that are shown again. */
const maxShownChars = 20

function signInAgain(typed: string, asking: Asking): Changed {
  const code = readUserCode(typed)
  const query = code === null ? '' : `user_code=${shownUserCode(code)}`
  return { next: 'answer', answer: asking.signInAgain(query) }
}

async function showDevice(
  kit: DevicePageKit,
  device: AskedDevice,
  { found, show }: Asking,
  shown?: { readonly status: number; readonly fault: FormFault },
): Promise<Changed> {
  const { client, code, userCode, scopes, resources, isSameNetwork } = device
  const name = await kit.nameDevice(code.requestedAgent)
  const isRefused = !isSameNetwork && kit.deviceFlow.sameNetwork === 'require'
  const view = {
    account: accountOf(found),
    clientName: client.name,
    isOwnApp: client.firstParty === true,
    userCode: shownUserCode(userCode),
    device: { name, ip: code.requestedIp, askedAt: code.createdAt },
    network: isSameNetwork ? 'same' : isRefused ? 'refused' : 'other',
  } as const
  const hidden = hiddenFields({ user_code: userCode, step: 'decide' })
  const contentWith =
    (form: PageForm): Content =>
    (shell) => {
      const { tag } = shell.texts
      const asked = {
        form: { ...form, hidden: html`${form.hidden}${hidden}` },
        scopes: scopes.map((scope) => kit.scopes.describe(scope, tag)),
        apis: apisOf(kit, resources, tag),
      }
      return devicePage({ ...view, ...asked }, shell)
    }
  return { next: 'answer', answer: show(contentWith, shown) }
}

interface DeviceCodeView extends Omit<OwnView, 'back'> {
  /** As it was typed, or from the address; empty without. */
  readonly userCode: string
}

interface DeviceView extends Omit<OwnView, 'back'> {
  readonly clientName: string
  /** Whether the app is the host's own. */
  readonly isOwnApp: boolean
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs besides the host's own. */
  readonly apis: readonly string[]
  /** The code of the device. */
  readonly userCode: string
  readonly device: {
    readonly name: string | null
    readonly ip: string | null
    readonly askedAt: Date
  }
  /** `other`: not the network of this browser. `refused`: the same, and it cannot be approved. */
  readonly network: 'same' | 'other' | 'refused'
}

/**
 * The code that the device shows.
 *
 * @internal
 */
export function deviceCodePage(
  { account, form, userCode }: DeviceCodeView,
  { texts }: PageShell,
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

/**
 * The request of a device, and the facts that show whether it is the user's own device.
 *
 * @internal
 */
export function devicePage(view: DeviceView, { texts }: PageShell): PageContent {
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
