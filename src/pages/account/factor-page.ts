import type { HostCall } from '../../lib/host-call.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import { accountOf } from '../consent-page.js'
import { drawn, refusalOfCode } from '../enrolment-page.js'
import type { FormFields, Submitted } from '../form-page.js'
import { pageAddress } from '../page-request.js'
import type { PagesOptions } from '../pages-options.js'
import type { RenewCookie } from '../renew-cookie.js'
import type { FormFault } from '../view.js'
import { type AccountFormPage, type Asking, type Changed, changedBy } from './account-form.js'
import type { OwnSecondFactor } from './parts.js'

export interface FactorPageDeps {
  readonly secondFactor: OwnSecondFactor
  readonly renewCookie: RenewCookie
  /** Undefined: no QR code is drawn. */
  readonly qrCode: PagesOptions['qrCode']
  readonly call: HostCall
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account/second-factor`: sets up the authenticator app, or switches it off. */
export function createFactorPage(deps: FactorPageDeps): AccountFormPage {
  const { secondFactor, baseUrl } = deps
  const back = pageAddress(baseUrl, 'account', { raw: '', flow: null, language: null })
  return {
    page: 'account/second-factor',
    needsFresh: true,

    async view(found, form) {
      const status = await secondFactor.status(found.session.userId)
      const account = accountOf(found)
      return () => ({ page: 'account-factor', account, form, ...status, back })
    },

    async submit(found, fields, asking) {
      if (fields.has('code')) return confirm(deps, found, fields, asking)
      switch (fields.text('choice')) {
        case 'begin':
          return { next: 'answer', answer: await showKey(deps, found, asking, null) }
        case 'codes':
          return change(deps, found, asking, async () => {
            const { context } = asking.request
            return showCodes(asking, await secondFactor.newRecoveryCodes(found.session, context))
          })
        case 'off':
          return change(deps, found, asking, async () => {
            await secondFactor.disable(found.session, asking.request.context)
            return asking.open('account/second-factor')
          })
        default:
          return { next: 'open', page: 'account' }
      }
    },
  }
}

// The key of a session stays the same until it is used, so that a form that comes back fits it.
async function showKey(
  deps: FactorPageDeps,
  { session, approved }: BrowserUser,
  asking: Asking,
  fault: FormFault | null,
  status = 200,
) {
  const { context } = asking.request
  const { secret, otpauthUri } = await deps.secondFactor.begin(approved.user, session.id, context)
  const qr = await drawn(deps, otpauthUri)
  const shown = { page: 'enrol', secret, otpauthUri, qr, passkey: null } as const
  return asking.show((form) => () => ({ ...shown, form }), { status, fault })
}

/** Characters; longer than any valid code. */
const maxCodeChars = 64

async function confirm(
  deps: FactorPageDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const code = fields.text('code').slice(0, maxCodeChars).replaceAll(/\s/g, '')
  const { incoming } = asking.request
  const submitted = await deps.renewCookie({ incoming, found }, async (beforehand) => {
    try {
      const codes = await deps.secondFactor.confirm(found.session, code, asking.request, beforehand)
      return { next: 'answer', answer: await showCodes(asking, codes) }
    } catch (error) {
      return refusalOfCode(error)
    }
  })
  if (submitted.next !== 'again' || submitted.fault.kind !== 'wrong')
    return changedBy(submitted, asking)
  const answer = await showKey(deps, found, asking, submitted.fault, submitted.status)
  return { next: 'answer', answer }
}

// Every copy of the cookie from before the change dies within seconds.
async function change(
  { renewCookie }: FactorPageDeps,
  found: BrowserUser,
  asking: Asking,
  make: () => ReturnType<Asking['show']>,
): Promise<Changed> {
  const { incoming } = asking.request
  const submitted = await renewCookie({ incoming, found }, async (beforehand) => {
    try {
      await beforehand()
      return { next: 'answer', answer: await make() }
    } catch (error) {
      return refusalOfCode(error)
    }
  })
  return changedBy(submitted satisfies Submitted, asking)
}

function showCodes(asking: Asking, codes: readonly string[]) {
  return asking.show((form) => () => ({ page: 'recovery-codes', form, codes }))
}
