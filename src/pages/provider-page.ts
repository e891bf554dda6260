import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { withoutAddress } from './account/mail-form.js'
import { accountOf } from './consent-page.js'
import type { Flows } from './flow.js'
import type { FormPage, FormPageDeps, Submitted } from './form-page.js'
import { leadsToSignIn, mayShow } from './next-page.js'
import type { PageProviders, ProviderHints } from './page-providers.js'
import { pageAddress, pageQuery } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import type { KnownBrowser } from './pre-cookie.js'
import { errorAnswer, forPeople, seeOther } from './show-page.js'
import type { ProviderSignIn } from './sign-in-by-form.js'
import {
  formVisit,
  goTo,
  type SignInPageDeps,
  settleSignIn,
  waitingAccount,
} from './sign-in-page.js'

export interface ProviderPageDeps
  extends SignInPageDeps,
    Pick<FormPageDeps, 'visitPage' | 'advance' | 'showPage'> {
  readonly flows: Pick<Flows, 'begin' | 'withoutVouched' | 'seal'>
  readonly browsers: Pick<KnownBrowser, 'ensure'>
}

/** `GET /oauth/providers/:id`: leads the browser of a sign-in to a provider. */
export function toProviderEndpoint(deps: ProviderPageDeps, { server }: PageProviders): Endpoint {
  const { visitPage, advance, showPage } = deps
  return forPeople(showPage, function toProvider(request) {
    return visitPage(request, async (visit) => {
      const { asked, decision, flow } = visit
      const id = String(request.parameters['id'])
      if (!server.list.some((one) => one.id === id))
        return errorAnswer(showPage, 'not-found', 404, request)
      if (!mayShow('sign-in', decision, flow)) return advance(visit, request.context)
      const raw = pageQuery({ ...asked, flow: null })
      const begun = await server.begin(id, { raw, linkTo: null }, hintsOf(visit), request)
      return seeOther(begun.url, [begun.cookie])
    })
  })
}

function hintsOf({ goal, asked }: PageVisit): ProviderHints {
  if (goal.kind === 'page')
    return { maxAge: (asked.errand?.name === 'return' ? asked.errand.maxAge : null) ?? undefined }
  const { loginHint, prompt, maxAge } = goal.request
  return {
    loginHint: loginHint ?? undefined,
    // Whoever is to sign in anew must do so: a sign-in of any other age would be asked for again.
    prompt: prompt.includes('login') || prompt.includes('create') ? 'login' : undefined,
    maxAge: maxAge ?? undefined,
  }
}

/** `/oauth/provider`: whoever is back from a provider, and the name of a new user. */
export function createProviderPage(deps: ProviderPageDeps, { server }: PageProviders): FormPage {
  const { signInByForm, baseUrl } = deps
  return {
    page: 'provider',

    async arrive(visit, request) {
      const { ticket } = visit.asked
      if (ticket === null || visit.decision.next === 'error') return null
      const done = await takeTicket(deps, ticket, visit, request)
      // The ticket must not leave by the header `Referer`.
      return done.next === 'answer' ? { ...done, answer: withoutAddress(done.answer) } : done
    },

    async view(visit, form, typed, request) {
      const vouched = visit.flow?.vouched
      if (vouched === undefined || vouched.connects) return null
      const suggested = await server.suggestedName(vouched.ticket, request).catch(unlessOver)
      if (suggested === null) return null
      const username = typed.text('username') || suggested
      return () => ({ page: 'new-name', form, username, back: signInOf(baseUrl, visit) })
    },

    async submit(visit, fields, request) {
      const vouched = visit.flow?.vouched
      if (vouched === undefined) return { next: 'start-over' }
      const given = { ticket: vouched.ticket, username: fields.text('username') }
      const result = await signInByForm.byTicket(given, formVisit(visit, request))
      return settle(deps, result, visit, request)
    },
  }
}

/** `/oauth/connect`: asks whoever has signed in whether to connect the account of a provider. */
export function createConnectPage(deps: ProviderPageDeps, { server }: PageProviders): FormPage {
  return {
    page: 'connect',
    grants: true,

    async arrive(visit, request) {
      if (!mayShow('connect', visit.decision, visit.flow)) return null
      const isThere = (await waitingAccount(server, visit.flow, request)) !== null
      return isThere ? null : { next: 'answer', answer: seeOther(onwards(deps, visit)) }
    },

    async view({ flow, found }, form, _typed, request) {
      const waiting = await waitingAccount(server, flow, request)
      if (waiting === null || found === null) return null
      return () => ({ page: 'connect', form, account: accountOf(found), connects: waiting })
    },

    async submit(visit, fields, request) {
      const choice = fields.text('choice')
      if (choice !== 'connect' && choice !== 'later')
        return { next: 'again', status: 422, fault: { kind: 'stale' } }
      const again = onwards(deps, visit)
      const error = choice === 'connect' ? await connect(server, visit, request) : null
      const answer =
        error === null
          ? seeOther(again)
          : await errorAnswer(
              deps.showPage,
              error,
              error === 'stale-sign-in' ? 400 : 409,
              request,
              {
                again,
              },
            )
      return { next: 'answer', answer }
    },
  }
}

/** Why it is not connected; null if it is. */
async function connect(
  server: PageProviders['server'],
  { flow, found }: PageVisit,
  request: EndpointRequest,
): Promise<'stale-sign-in' | 'identity-in-use' | null> {
  const ticket = flow?.vouched?.ticket
  if (ticket === undefined || found === null) return 'stale-sign-in'
  const to = { userId: found.session.userId, sessionId: found.session.id }
  try {
    await server.connect(ticket, to, null, request)
    return null
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'identity-in-use') return error.code
    if (error.code !== 'proof-refused' && error.status !== 401) throw error
    return 'stale-sign-in'
  }
}

function onwards(
  { flows, baseUrl }: Pick<ProviderPageDeps, 'flows' | 'baseUrl'>,
  { flow, binding, asked }: PageVisit,
): string {
  const decided = flows.seal(flows.withoutVouched(flow ?? flows.begin()), binding)
  return pageAddress(baseUrl, 'authorize', { ...asked, flow: decided })
}

async function takeTicket(
  deps: ProviderPageDeps,
  ticket: string,
  { flow: _obsolete, ...asked }: PageVisit,
  request: EndpointRequest,
): Promise<Submitted> {
  // Perhaps a browser that no page was shown to yet.
  const { browser, cookies } = deps.browsers.ensure(request.incoming)
  const binding = { ...asked.binding, browser: asked.binding.browser ?? browser }
  const visit = { ...asked, flow: null, binding }
  const result = await deps.signInByForm.byTicket({ ticket }, formVisit(visit, request))
  if (result.next === 'start-over')
    return { next: 'answer', answer: await staleTicket(deps, visit, request) }
  const settled = await settle(deps, result, visit, request)
  if (settled.next !== 'answer') return settled
  const { answer } = settled
  return { next: 'answer', answer: { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] } }
}

// Whoever is signed in and opens the address once more is led on.
function staleTicket(
  { advance, showPage, baseUrl }: ProviderPageDeps,
  visit: PageVisit,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (!leadsToSignIn(visit.decision, visit.flow)) return advance(visit, request.context)
  return errorAnswer(showPage, 'stale-sign-in', 400, request, { again: signInOf(baseUrl, visit) })
}

async function settle(
  deps: ProviderPageDeps,
  result: ProviderSignIn,
  visit: PageVisit,
  request: EndpointRequest,
): Promise<Submitted> {
  if (result.next === 'go')
    return { next: 'answer', answer: goTo(deps, result.page, visit, result.flow) }
  if (result.next !== 'not-connected') return settleSignIn(deps, result, visit, request)
  const told = { clientName: result.name, again: signInOf(deps.baseUrl, visit) }
  const answer = await errorAnswer(deps.showPage, 'not-connected', 403, request, told)
  return { next: 'answer', answer }
}

function signInOf(baseUrl: URL, { asked }: Pick<PageVisit, 'asked'>): string {
  return pageAddress(baseUrl, 'sign-in', { ...asked, flow: null })
}

function unlessOver(error: unknown): null {
  if (error instanceof AuthError && error.code === 'proof-refused') return null
  throw error
}
