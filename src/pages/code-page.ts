import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import type { LoggedIn } from '../login/log-in.js'
import { parseIdentifier } from '../login/login-request.js'
import type { SessionRequest } from '../sessions/issuing.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { LoginIdentifier } from '../users/contract.js'
import { refusalOfCode } from './enrolment-page.js'
import type { Flows } from './flow.js'
import type { FormFields, FormPage, Submitted } from './form-page.js'
import { asIdentifier } from './judge-form.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import { formVisit, type SignInPageDeps, settleSignIn } from './sign-in-page.js'

/** A mailed code, and the second factor of a user who has one. */
export interface MailedLogin extends Omit<SessionRequest, 'approved' | 'marks'> {
  readonly requestId: string
  readonly code: string
  readonly secondFactor: string | null
  readonly passkey: AssertionResponse | null
}

/** Signing in by a mailed code. */
export interface EmailSignInOnPages {
  /**
   * Asks for a code; resolves with the id of the request. Tells nobody whether the name has an
   * account. Rejects with 400, 429 and 503.
   */
  ask(identifier: LoginIdentifier, context: RequestContext): Promise<string>
  /** `error`: `totp-required` or `totp-invalid`. Rejects with `proof-refused`, 403, 429, 503. */
  logIn(
    given: MailedLogin,
    request: { readonly context: RequestContext; readonly setHeaders: SetHeaders },
  ): Promise<
    | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
    | { readonly outcome: 'factor-due'; readonly error: AuthError; readonly userId: string }
  >
}

export interface CodePageDeps extends SignInPageDeps {
  readonly flows: Pick<Flows, 'begin' | 'withMailed' | 'seal'>
}

/** `/oauth/code`: the name, and then the code that was mailed. */
export function createCodePage(deps: CodePageDeps, server: EmailSignInOnPages): FormPage {
  const { signInByForm, baseUrl, flows } = deps

  async function ask(
    { flow, asked, binding }: PageVisit,
    fields: FormFields,
    context: RequestContext,
  ): Promise<Submitted> {
    const requestId = await server.ask(
      parseIdentifier(asIdentifier(fields.text('username'))),
      context,
    )
    const waiting = flows.seal(flows.withMailed(flow ?? flows.begin(), requestId), binding)
    const next = pageAddress(baseUrl, 'code', { ...asked, flow: waiting })
    return { next: 'answer', answer: seeOther(next) }
  }

  function startAnew({ flow, asked, binding }: PageVisit): Submitted {
    const { startedAt, done } = flow ?? flows.begin()
    const anew = flows.seal({ startedAt, done, pending: null }, binding)
    return {
      next: 'answer',
      answer: seeOther(pageAddress(baseUrl, 'code', { ...asked, flow: anew })),
    }
  }

  return {
    page: 'code',

    async view({ asked, flow }, form, typed) {
      const isSent = flow?.mailed !== undefined
      const username = typed.text('username')
      const back = pageAddress(baseUrl, 'sign-in', asked)
      return () => ({ page: 'code', form, isSent, username, stay: typed.has('stay'), back })
    },

    async submit(visit, fields, request) {
      if (fields.has('username')) return ask(visit, fields, request.context).catch(refused)
      if (fields.text('choice') === 'again') return startAnew(visit)
      const from = formVisit(visit, request)
      const result = await signInByForm.byMailedCode(fields.text('code'), from, fields.has('stay'))
      return settleSignIn(deps, result, visit, request)
    },
  }
}

function refused(error: unknown): Submitted {
  if (error instanceof AuthError && error.code === 'invalid-request')
    return { next: 'again', status: 422, fault: { kind: 'wrong' } }
  return refusalOfCode(error)
}
