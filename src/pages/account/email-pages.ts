import { AuthError } from '../../errors.js'
import { withReadableDomain } from '../../lib/address-domain.js'
import { accountOf } from '../consent-page.js'
import { refusalOfCode } from '../enrolment-page.js'
import type { FormFields } from '../form-page.js'
import { pageAddress } from '../page-request.js'
import type { View } from '../view.js'
import { type AccountFormPage, type Asking, changedBy } from './account-form.js'
import type { AskingUser, EmailOnPages } from './parts.js'

export interface EmailPagesDeps {
  readonly email: EmailOnPages
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

const nowhere = { raw: '', flow: null, language: null }

/** `/account/email`: the address of the signed-in user, proven and changed by a mailed code. */
export function createEmailPage({ email, baseUrl }: EmailPagesDeps): AccountFormPage {
  const back = pageAddress(baseUrl, 'account', nowhere)

  async function viewOf({ session, user }: AskingUser, typed: string, isPasswordWrong = false) {
    const { email: address, verified } = await email.status(session.userId)
    const account = { name: user.name, username: user.username }
    const present = address && withReadableDomain(address)
    const asksPassword = await email.asksPassword(user)
    const asked = { account, typed, asksPassword, isPasswordWrong }
    const shown = { page: 'account-email', email: present, verified, ...asked, back } as const
    return (form: AccountForm) => (): View => ({ ...shown, form })
  }

  return {
    page: 'account/email',
    needsFresh: true,

    async view({ session, approved }, form) {
      return (await viewOf({ session, user: approved.user }, ''))(form)
    },

    async submit({ session, approved }, fields, asking) {
      const { request } = asking
      const asked = { session, user: approved.user }
      const typed = fields.text('email').trim()
      try {
        const requestId =
          fields.text('choice') === 'verify'
            ? await email.verify(asked, request.context)
            : await email.change(asked, { email: typed, password: presentIn(fields) }, request)
        return { next: 'open', page: 'account/confirm', query: `request=${requestId}` }
      } catch (error) {
        const isWrong = isWrongPassword(error)
        const refused = isWrong ? wrong : refusalOf(error, ['invalid-request', 'already-verified'])
        if (refused.next !== 'again') return changedBy(refused, asking)
        const viewIn = await viewOf(asked, typed, isWrong)
        return { next: 'answer', answer: await asking.show(viewIn, refused) }
      }
    },
  }
}

type AccountForm = Parameters<AccountFormPage['view']>[1]

/**
 * `/account/confirm?request=…`: takes the code that was mailed to the address. A link in that mail
 * leads here with `code=…` as well.
 */
export function createConfirmPage({ email, baseUrl }: EmailPagesDeps): AccountFormPage {
  const back = pageAddress(baseUrl, 'account/email', nowhere)
  return {
    page: 'account/confirm',
    needsFresh: false,
    landing: { elsewhere: codeElsewhere, instead: back },

    async view(found, form, { query, request }) {
      const mailedTo = await email.mailedTo(found.session, requestIn(query), request)
      if (mailedTo === null) return codeElsewhere(query)
      // A wrong code is not filled in again.
      const code = form.fault === null ? shownCode(query) : ''
      const shown = { account: accountOf(found), mailedTo: withReadableDomain(mailedTo), code }
      return () => ({ page: 'confirm-email', ...shown, form, back })
    },

    async submit({ session, approved }, fields, asking) {
      const asked = { session, user: approved.user }
      const given = { requestId: requestIn(asking.query), code: fields.text('code') }
      try {
        await email.confirm(asked, given, asking.request)
        return { next: 'answer', answer: await confirmed(asking, baseUrl) }
      } catch (error) {
        if (error instanceof AuthError && error.code === 'superseded')
          return { next: 'open', page: 'account/email' }
        return changedBy(refusalOf(error, ['invalid-request', 'proof-refused']), asking)
      }
    },
  }
}

function confirmed(asking: Asking, baseUrl: URL) {
  const onward = pageAddress(baseUrl, 'account', nowhere)
  return asking.show(() => () => ({ page: 'note', note: 'address-confirmed', onward }))
}

/** The page again, or a new sign-in. `typed`: what has to do with what was typed. */
export function refusalOf(error: unknown, typed: readonly AuthError['code'][]): Refusal {
  if (error instanceof AuthError && error.status === 401) throw error
  if (error instanceof AuthError && typed.includes(error.code))
    return { next: 'again', status: 422, fault: { kind: 'wrong' } }
  return refusalOfCode(error)
}

type Refusal = ReturnType<typeof refusalOfCode>

/** What was typed is wrong. */
export const wrong = { next: 'again', status: 422, fault: { kind: 'wrong' } } as const

/** Of a wrong or missing password, the session is not the reason. */
export function isWrongPassword(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  return error.details?.['wrong'] === 'password' || error.code === 'reauthentication-required'
}

/** The present password. */
export function presentIn(fields: FormFields): string | undefined {
  return fields.has('present') ? fields.text('present') : undefined
}

// In any other browser, and in any other session of this one.
function codeElsewhere(query: string): () => View {
  const code = shownCode(query)
  if (code === '') throw new AuthError('proof-refused')
  return () => ({ page: 'code-elsewhere', code })
}

function requestIn(query: string): string {
  return new URLSearchParams(query).get('request') ?? ''
}

// Only digits: what others write into a link must not stand on a page of the host.
function shownCode(query: string): string {
  const [, first, second] =
    /^(\d{4})(\d{4})$/.exec(new URLSearchParams(query).get('code') ?? '') ?? []
  return first === undefined ? '' : `${first} ${second}`
}
