import { AuthError } from '../../errors.js'
import type { HostCall } from '../../lib/host-call.js'
import { typedDigits } from '../../lib/typed-code.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import { accountOf } from '../consent-page.js'
import { drawn, refusalOfCode } from '../enrolment-page.js'
import type { FormFields, Submitted } from '../form-page.js'
import { pageAddress } from '../page-request.js'
import type { PagesOptions } from '../pages-options.js'
import type { RenewCookie } from '../renew-cookie.js'
import type { AccountFactorView, FormFault, PageForm, View } from '../view.js'
import type { FactorOnPage } from '../view-parts.js'
import { type AccountFormPage, type Asking, type Changed, changedBy } from './account-form.js'
import type { EmailFactorOnPages, OwnSecondFactor } from './parts.js'

export interface FactorPageDeps {
  /** Undefined if the host has no store of second factors. */
  readonly secondFactor: OwnSecondFactor | undefined
  /** Undefined if the host offers no codes by mail. */
  readonly emailFactor: EmailFactorOnPages | undefined
  readonly hasEmailPage: boolean
  readonly renewCookie: RenewCookie
  /** Undefined: no QR code is drawn. */
  readonly qrCode: PagesOptions['qrCode']
  readonly call: HostCall
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** Reads the state of a user's second factors. Rejects with 503. */
export async function factorOf(
  { secondFactor, emailFactor }: FactorReaders,
  userId: string,
): Promise<FactorOnPage> {
  const [app = null, email = null] = await Promise.all([
    secondFactor?.status(userId),
    emailFactor?.status(userId),
  ])
  return { app, email }
}

interface FactorReaders {
  readonly secondFactor: Pick<OwnSecondFactor, 'status'> | undefined
  readonly emailFactor: Pick<EmailFactorOnPages, 'status'> | undefined
}

/** `/account/second-factor`: the authenticator app, and codes by mail. */
export function createFactorPage(deps: FactorPageDeps): AccountFormPage {
  const { secondFactor, emailFactor } = deps
  return {
    page: 'account/second-factor',
    needsFresh: true,

    view: async (found, form) => (await viewOf(deps, found, null))(form),

    async submit(found, fields, asking) {
      const choice = fields.text('choice')
      const ofEmail = choice === 'email-on' || choice === 'email-off'
      if (ofEmail && emailFactor !== undefined)
        return switchEmail({ ...deps, emailFactor }, found, asking, choice)
      if (secondFactor === undefined) return { next: 'open', page: 'account' }
      const ofApp = { ...deps, secondFactor }
      if (fields.has('code')) return confirm(ofApp, found, fields, asking)
      switch (choice) {
        case 'begin':
          return { next: 'answer', answer: await showKey(ofApp, found, asking, null) }
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

type AppDeps = FactorPageDeps & { readonly secondFactor: OwnSecondFactor }

async function viewOf(
  deps: FactorPageDeps,
  found: BrowserUser,
  done: AccountFactorView['done'],
): Promise<(form: PageForm) => () => View> {
  const { baseUrl, hasEmailPage } = deps
  const place = { raw: '', flow: null, language: null }
  const shown = {
    page: 'account-factor',
    account: accountOf(found),
    ...(await factorOf(deps, found.session.userId)),
    done,
    proveAddress: hasEmailPage ? pageAddress(baseUrl, 'account/email', place) : null,
    back: pageAddress(baseUrl, 'account', place),
  } as const
  return (form) => () => ({ ...shown, form })
}

async function switchEmail(
  deps: FactorPageDeps & { readonly emailFactor: EmailFactorOnPages },
  found: BrowserUser,
  asking: Asking,
  choice: 'email-on' | 'email-off',
): Promise<Changed> {
  const asked = { session: found.session, user: found.approved.user }
  const isOn = choice === 'email-on'
  return change(deps, found, asking, async () => {
    try {
      await deps.emailFactor.setEnabled(asked, isOn, asking.request)
    } catch (error) {
      if (!(error instanceof AuthError && error.code === 'invalid-request')) throw error
      // The address has lost its proof since the page was shown.
      return asking.show(await viewOf(deps, found, null), stale)
    }
    return asking.show(await viewOf(deps, found, choice))
  })
}

const stale = { status: 422, fault: { kind: 'stale' } } as const

// The key of a session stays the same until it is used, so that a form that comes back fits it.
async function showKey(
  deps: AppDeps,
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
  deps: AppDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const code = typedDigits(fields.text('code').slice(0, maxCodeChars))
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
