import { AuthError } from '../../errors.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import type { PasswordReason } from '../../passwords/password-rules.js'
import { accountOf } from '../consent-page.js'
import { refusalOfCode } from '../enrolment-page.js'
import type { FormFields } from '../form-page.js'
import { pageAddress } from '../page-request.js'
import type { RenewCookie } from '../renew-cookie.js'
import type { PageForm, View } from '../view.js'
import { type AccountFormPage, type Asking, type Changed, changedBy } from './account-form.js'
import { reasonsIn } from './mail-form.js'
import type { PasswordOnPages } from './parts.js'

export interface PasswordPageDeps {
  readonly password: PasswordOnPages
  readonly renewCookie: RenewCookie
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** `/account/password`: a new password for the signed-in user. */
export function createPasswordPage(deps: PasswordPageDeps): AccountFormPage {
  return {
    page: 'account/password',
    needsFresh: true,
    async view(found, form) {
      const viewIn = await viewOf(deps, found)
      return () => viewIn(form, [])
    },
    submit: (found, fields, asking) => change(deps, found, fields, asking),
  }
}

async function viewOf({ password, baseUrl }: PasswordPageDeps, found: BrowserUser) {
  const { user } = found.approved
  const minLength = await password.minLength(user)
  const back = pageAddress(baseUrl, 'account', { raw: '', flow: null, language: null })
  const hasPassword = user.passwordHash !== null
  const shown = { page: 'account-password', account: accountOf(found), hasPassword } as const
  return (form: PageForm, reasons: readonly PasswordReason[]): View => ({
    ...shown,
    form,
    minLength,
    reasons,
    back,
  })
}

async function change(
  deps: PasswordPageDeps,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const { password, renewCookie } = deps
  const { incoming } = asking.request
  const { user } = found.approved
  const asked = { session: found.session, user }
  // An empty field is a wrong password, not a missing one.
  const present = user.passwordHash === null ? undefined : fields.text('present')
  const given = { newPassword: fields.text('password'), password: present }
  if (present === '') return wrong
  const refused: PasswordReason[] = []
  const submitted = await renewCookie({ incoming, found }, async (beforehand) => {
    try {
      await password.change(asked, given, asking.request, beforehand)
      return { next: 'answer', answer: await asking.open('account') }
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      refused.push(...reasonsIn(error))
      return isWrong(error) ? wrong : refusalOfCode(error)
    }
  })
  if (refused.length === 0) return changedBy(submitted, asking)
  const viewIn = await viewOf(deps, found)
  const shown = { status: 422, fault: { kind: 'wrong' } } as const
  const answer = await asking.show((form) => () => viewIn(form, refused), shown)
  return { next: 'answer', answer }
}

const wrong = { next: 'again', status: 422, fault: { kind: 'wrong' } } as const

// Of a wrong present password, the session is not the reason.
function isWrong({ code, details }: AuthError): boolean {
  return (
    code === 'password-refused' ||
    code === 'invalid-request' ||
    (code === 'Unauthorized' && details?.['wrong'] === 'password')
  )
}
