import { readUserCode, shownUserCode } from '../lib/user-code.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskedDevice, DeviceApprovals } from '../oauth/device/approve-device.js'
import type { DeviceFlow } from '../oauth/device/device-flow.js'
import type { AccountFormPage, Asking, Changed } from './account/account-form.js'
import { accountOf, apisOf, type ConsentPageDeps } from './consent-page.js'
import type { FormFields } from './form-page.js'
import { hiddenFields } from './form-parts.js'
import { html } from './html.js'
import type { PageTexts } from './texts.js'
import type { FormFault, PageForm, View } from './view.js'
import type { Note } from './view-parts.js'

export interface DevicePageDeps
  extends Pick<ConsentPageDeps, 'scopes' | 'nameResource' | 'ownResource' | 'pageSite'> {
  readonly deviceFlow: Pick<DeviceFlow, 'sameNetwork'>
  readonly deviceApprovals: DeviceApprovals
  /** A name for a user agent; null if it tells nothing. */
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
}

/**
 * `/oauth/device`, [RFC 8628 §3.3](https://www.rfc-editor.org/rfc/rfc8628#section-3.3): a user
 * types the code of a device, reads what it wants, and decides.
 */
export function createDevicePage(deps: DevicePageDeps): AccountFormPage {
  return {
    page: 'device',
    needsFresh: true,
    // A code in the address only fills the field in: a stranger may have sent the link.
    ownQuery: (query) => (codeIn(query) === '' ? '' : `user_code=${codeIn(query)}`),

    async view(found, form, { query }) {
      return codeView(found, form, codeIn(query))
    },

    async submit(found, fields, asking) {
      if (fields.text('choice') === 'deny') return deny(deps, found, fields, asking)
      if (fields.text('step') === 'decide') return approve(deps, found, fields, asking)
      return ask(deps, found, fields, asking)
    },
  }
}

/** The code in the query of the page, as it is shown; empty without. */
function codeIn(query: string): string {
  const [, typed = ''] = /^user_code=([A-Za-z-]{8,20})$/.exec(query) ?? []
  const code = readUserCode(typed)
  return code === null ? '' : shownUserCode(code)
}

function codeView(found: BrowserUser, form: PageForm, userCode: string) {
  return (): View => ({ page: 'device-code', account: accountOf(found), form, userCode })
}

async function ask(
  deps: DevicePageDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const typed = fields.text('user_code')
  const device = await deps.deviceApprovals.look(found, typed, asking.request.context)
  if (device === null) return wrongCode(found, typed, asking)
  if (device.mustSignIn) return signInAgain(device, asking)
  return showDevice(deps, found, device, asking)
}

async function approve(
  deps: DevicePageDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const { deviceApprovals: approvals } = deps
  const { context } = asking.request
  const typed = fields.text('user_code')
  const showAgain = async (status: number, fault: FormFault) => {
    const device = await approvals.look(found, typed, context)
    if (device === null) return wrongCode(found, typed, asking)
    return showDevice(deps, found, device, asking, { status, fault })
  }
  if (fields.text('seen') !== 'yes') return showAgain(422, { kind: 'wrong' })
  const approval = await approvals.approve(found, typed, context)
  switch (approval.outcome) {
    case 'approved':
      return note('device-approved', asking)
    case 'refused':
      return showAgain(403, { kind: 'refused', message: approval.message })
    case 'other-network':
      return showAgain(403, { kind: 'refused', message: null })
    case 'sign-in-again':
      return { next: 'answer', answer: asking.signInAgain(queryOf(typed)) }
    case 'unknown-code':
      return wrongCode(found, typed, asking)
  }
}

async function deny(
  { deviceApprovals }: DevicePageDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const typed = fields.text('user_code')
  const isDenied = await deviceApprovals.deny(found, typed, asking.request.context)
  return isDenied ? note('device-denied', asking) : wrongCode(found, typed, asking)
}

// One answer for every reason: a stranger must not learn which codes there are.
async function wrongCode(found: BrowserUser, typed: string, { show }: Asking): Promise<Changed> {
  const userCode = typed.slice(0, maxShownChars)
  const shown = { status: 422, fault: { kind: 'wrong' } } as const
  return { next: 'answer', answer: await show((form) => codeView(found, form, userCode), shown) }
}

/** What is shown again of a wrong code, in characters. */
const maxShownChars = 20

function signInAgain({ userCode }: AskedDevice, asking: Asking): Changed {
  return { next: 'answer', answer: asking.signInAgain(queryOf(userCode)) }
}

function queryOf(typed: string): string {
  const code = readUserCode(typed)
  return code === null ? '' : `user_code=${shownUserCode(code)}`
}

async function note(which: Note, { show }: Asking): Promise<Changed> {
  const view: View = { page: 'note', note: which, onward: null }
  return { next: 'answer', answer: await show(() => () => view) }
}

async function showDevice(
  deps: DevicePageDeps,
  found: BrowserUser,
  device: AskedDevice,
  { show }: Asking,
  shown?: { readonly status: number; readonly fault: FormFault },
): Promise<Changed> {
  const viewIn = await deviceView(deps, found, device)
  return { next: 'answer', answer: await show(viewIn, shown) }
}

async function deviceView(deps: DevicePageDeps, found: BrowserUser, device: AskedDevice) {
  const { client, code, userCode, scopes, resources, isSameNetwork } = device
  const name = await deps.nameDevice(code.requestedAgent)
  const isRefused = !isSameNetwork && deps.deviceFlow.sameNetwork === 'require'
  const network = isSameNetwork ? 'same' : isRefused ? 'refused' : 'other'
  const hidden = hiddenFields({ user_code: userCode, step: 'decide' })
  return (form: PageForm) =>
    ({ tag }: PageTexts): View => ({
      page: 'device',
      account: accountOf(found),
      form: { ...form, hidden: html`${form.hidden}${hidden}` },
      clientName: client.name,
      isOwnApp: client.firstParty === true,
      scopes: scopes.map((scope) => deps.scopes.describe(scope, tag)),
      apis: apisOf(deps, resources, tag),
      userCode: shownUserCode(userCode),
      device: { name, ip: code.requestedIp, askedAt: code.createdAt },
      network,
    })
}
