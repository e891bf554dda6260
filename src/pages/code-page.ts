import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { parseIdentifier } from '../login/login-request.js'
import { refusalOfCode } from './enrolment-page.js'
import { type Flows, partsOf } from './flow.js'
import type { FormFields, FormPage, Submitted } from './form-page.js'
import { asIdentifier } from './judge-form.js'
import type { EmailSignInOnPages } from './mailed-login.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import { formVisit, type SignInPageDeps, settleSignIn } from './sign-in-page.js'

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
    const anew = flows.seal({ ...partsOf(flow ?? flows.begin()), pending: null }, binding)
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
