import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import {
  type AccountFormPage,
  type Asking,
  accountEndpoints,
  type Changed,
} from '../pages/account-form.js'
import type { FormEndpoints, FormPage, Submitted } from '../pages/form-page.js'
import {
  type AccountElsewhere,
  accountCard,
  accountOf,
  backTo,
  button,
  choice,
  field,
  formOf,
  type NameView,
  type OwnView,
  typedName,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { leadsToSignIn, mayShow } from '../pages/next-page.js'
import {
  pageAddress,
  pageQuery,
  placeWithoutRequest,
  plainAddress,
  queryIn,
  readPageRequest,
} from '../pages/page-request.js'
import { advance, handOver, type PageVisit, visitPage } from '../pages/page-visit.js'
import { staleForm } from '../pages/renew-cookie.js'
import { errorAnswer, forPeople, seeOther, withoutAddress } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import { listIdentities, unlinkIdentity } from '../provider-sign-in/own-identities.js'
import type { LinkTo } from '../provider-sign-in/provider-flow.js'
import type { ProvidersKit } from '../provider-sign-in/provider-kit.js'
import {
  beginOnPage,
  connectOnPage,
  type ProviderHints,
  suggestedNameOf,
} from '../provider-sign-in/provider-pages.js'
import type { BrowserKit } from './browser-kit.js'
import { type ProviderSignIn, signInByTicket } from './sign-in-by-form.js'
import { formVisit, goTo, settleSignIn, waitingAccount } from './sign-in-page.js'

/** `GET /oauth/providers/:id`: leads the browser of a sign-in to a provider. */
export function toProviderEndpoint(kit: BrowserKit, providersKit: ProvidersKit): Endpoint {
  return forPeople(kit, function toProvider(request) {
    return visitPage(kit, request, async (visit) => {
      const { asked, decision, flow } = visit
      const id = String(request.parameters['id'])
      if (providersKit.providerOf(id) === undefined)
        return errorAnswer(kit, 'not-found', 404, request)
      if (!mayShow('sign-in', decision, flow)) return advance(kit, visit)
      const raw = pageQuery({ ...asked, flow: null })
      const begun = await beginOnPage(
        providersKit,
        id,
        { raw, linkTo: null },
        hintsOf(visit),
        request,
      )
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
    // A user who must sign in anew has to do so there: an older sign-in would be asked for again.
    prompt: prompt.includes('login') || prompt.includes('create') ? 'login' : undefined,
    maxAge: maxAge ?? undefined,
  }
}

/**
 * `/oauth/provider`: receives a browser that is back from a provider, and asks a new user for a
 * name.
 */
export function createProviderPage(kit: BrowserKit, providersKit: ProvidersKit): FormPage {
  return {
    page: 'provider',

    async arrive(visit) {
      const { ticket } = visit.asked
      if (ticket === null || visit.decision.next === 'error') return null
      const done = await takeTicket(kit, ticket, visit)
      // The ticket must not leave by the header `Referer`.
      return done.next === 'answer' ? { ...done, answer: withoutAddress(done.answer) } : done
    },

    async view(visit, form, typed) {
      const vouched = visit.flow?.vouched
      if (vouched === undefined || vouched.connects) return null
      const suggested = await suggestedNameOf(providersKit, vouched.ticket, visit.request).catch(
        unlessOver,
      )
      if (suggested === null) return null
      const username = typed.text('username') || suggested
      const view = { form, username, back: signInOf(kit, visit) }
      return (shell) => newNamePage(view, shell)
    },

    async submit(visit, fields) {
      const vouched = visit.flow?.vouched
      if (vouched === undefined) return { next: 'start-over' }
      const given = { ticket: vouched.ticket, username: fields.text('username') }
      const result = await signInByTicket(kit, given, formVisit(kit, visit))
      return settle(kit, result, visit)
    },
  }
}

/** `/oauth/connect`: asks a user who has signed in whether to connect the account of a provider. */
export function createConnectPage(kit: BrowserKit, providersKit: ProvidersKit): FormPage {
  return {
    page: 'connect',
    grants: true,

    async arrive(visit) {
      if (!mayShow('connect', visit.decision, visit.flow)) return null
      const isThere = (await waitingAccount(providersKit, visit)) !== null
      return isThere ? null : { next: 'answer', answer: seeOther(onwards(kit, visit)) }
    },

    async view(visit, form) {
      const { found } = visit
      const waiting = await waitingAccount(providersKit, visit)
      if (waiting === null || found === null) return null
      const view = { form, account: accountOf(found), connects: waiting }
      return (shell) => connectPage(view, shell)
    },

    async submit(visit, fields) {
      const choice = fields.text('choice')
      if (choice !== 'connect' && choice !== 'later') return staleForm
      const again = onwards(kit, visit)
      if (choice === 'later') return { next: 'answer', answer: seeOther(again) }
      const { flow, found, request } = visit
      const asked = { ticket: flow?.vouched?.ticket, to: connectingOf(found), began: null, again }
      return { next: 'answer', answer: await connect(kit, providersKit, asked, request) }
    },
  }
}

interface Connecting {
  readonly ticket: string | undefined
  readonly to: LinkTo | null
  readonly began: LinkTo | null
  /** The address that the browser goes to afterwards. */
  readonly again: string
}

function connectingOf(found: BrowserUser | null): LinkTo | null {
  return found && { userId: found.session.userId, sessionId: found.session.id }
}

/** Connects an account, and leads on; or a page says why not. */
async function connect(
  kit: BrowserKit,
  providersKit: ProvidersKit,
  { ticket, to, began, again }: Connecting,
  request: EndpointRequest,
): Promise<TextAnswer> {
  const stale = () => errorAnswer(kit, 'stale-sign-in', 400, request, { again })
  if (ticket === undefined || to === null) return stale()
  try {
    await connectOnPage(providersKit, ticket, to, began, request)
    return seeOther(again)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'identity-in-use')
      return errorAnswer(kit, error.code, 409, request, { again })
    if (error.code !== 'proof-refused' && error.status !== 401) throw error
    return stale()
  }
}

function onwards({ flows, baseUrl }: BrowserKit, { flow, binding, asked }: PageVisit): string {
  const decided = flows.seal(flows.withoutVouched(flow ?? flows.begin()), binding)
  return pageAddress(baseUrl, 'authorize', { ...asked, flow: decided })
}

async function takeTicket(
  kit: BrowserKit,
  ticket: string,
  { flow: _obsolete, ...asked }: PageVisit,
): Promise<Submitted> {
  // Perhaps a browser that no page was shown to yet.
  const { browser, cookies } = kit.browsers.ensure(asked.request.incoming)
  const binding = { ...asked.binding, browser: asked.binding.browser ?? browser }
  const visit = { ...asked, flow: null, binding }
  const result = await signInByTicket(kit, { ticket }, formVisit(kit, visit))
  if (result.next === 'start-over') return { next: 'answer', answer: await staleTicket(kit, visit) }
  const settled = await settle(kit, result, visit)
  if (settled.next !== 'answer') return settled
  const { answer } = settled
  return { next: 'answer', answer: { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] } }
}

// A signed-in user who opens the address once more is led on.
async function staleTicket(kit: BrowserKit, visit: PageVisit): Promise<TextAnswer> {
  if (!leadsToSignIn(visit.decision, visit.flow)) return advance(kit, visit)
  return errorAnswer(kit, 'stale-sign-in', 400, visit.request, { again: signInOf(kit, visit) })
}

async function settle(
  kit: BrowserKit,
  result: ProviderSignIn,
  visit: PageVisit,
): Promise<Submitted> {
  if (result.next === 'go')
    return { next: 'answer', answer: goTo(kit, result.page, visit, result.flow) }
  if (result.next !== 'not-connected') return settleSignIn(kit, result, visit)
  const told = { clientName: result.name, again: signInOf(kit, visit) }
  const answer = errorAnswer(kit, 'not-connected', 403, visit.request, told)
  return { next: 'answer', answer }
}

function signInOf({ baseUrl }: BrowserKit, { asked }: Pick<PageVisit, 'asked'>): string {
  return pageAddress(baseUrl, 'sign-in', { ...asked, flow: null })
}

function unlessOver(error: unknown): null {
  if (error instanceof AuthError && error.code === 'proof-refused') return null
  throw error
}

/** `/account/identities`: connects and disconnects accounts elsewhere. */
export function identitiesEndpoints(kit: BrowserKit, providersKit: ProvidersKit): FormEndpoints {
  const { GET, POST } = accountEndpoints(kit, createIdentitiesPage(kit, providersKit))
  const arrive = forPeople(kit, async (request) =>
    withoutAddress(await connectHere(kit, providersKit, request)),
  )
  const get: Endpoint = (request) => (ticketIn(request) === null ? GET(request) : arrive(request))
  return { GET: get, POST }
}

function ticketIn({ incoming: { url } }: EndpointRequest): string | null {
  const asked = readPageRequest(queryIn(url))
  return asked.at === 'page-request' ? asked.ticket : null
}

// The browser is back from the provider. The sign-in was fresh when the user left.
async function connectHere(
  kit: BrowserKit,
  providersKit: ProvidersKit,
  request: EndpointRequest,
): Promise<TextAnswer> {
  const { incoming, context } = request
  const again = pageAddress(kit.baseUrl, 'account/identities', placeWithoutRequest(incoming.url))
  const found = await kit.findBrowserUser(incoming, context)
  const to = found?.signIn.required.length === 0 ? connectingOf(found) : null
  const ticket = ticketIn(request) ?? undefined
  return connect(kit, providersKit, { ticket, to, began: to, again }, request)
}

function createIdentitiesPage(kit: BrowserKit, providersKit: ProvidersKit): AccountFormPage {
  const back = plainAddress(kit, 'account')
  const providers = providersKit.list.map(({ id, name }) => ({ id, name }))
  const nameOf = (provider: string) => providers.find(({ id }) => id === provider)?.name ?? provider
  return {
    page: 'account/identities',
    needsFresh: true,

    async view(found, form) {
      const listed = await listIdentities(providersKit, found.session.userId)
      const identities = listed.map(({ id, provider, label, lastUsedAt }) => ({
        id,
        provider: nameOf(provider),
        label,
        lastUsedAt,
      }))
      const view = { account: accountOf(found), form, identities, providers, back }
      return (shell) => accountIdentitiesPage(view, shell)
    },

    async submit(asking) {
      const { user, fields } = asking
      const [choice = '', id = ''] = fields.text('choice').split(' ', 2)
      if (choice === 'connect') return leaveFor(providersKit, id, asking)
      if (choice !== 'disconnect') return { next: 'open' }
      const { context } = asking.request
      return unlinkIdentity(providersKit, user, id, context).then(
        () => ({ next: 'open' }),
        refusalOfRemoval,
      )
    },
  }
}

// By a page that navigates by itself: `form-action 'self'` blocks a redirect after a form.
async function leaveFor(
  providersKit: ProvidersKit,
  id: string,
  { user: { session }, request, show }: Asking,
): Promise<Changed> {
  const provider = providersKit.providerOf(id)
  if (provider === undefined) return { next: 'open' }
  const { language } = placeWithoutRequest(request.incoming.url)
  const raw = language === null ? '' : `&language=${language}`
  const linkTo = { userId: session.userId, sessionId: session.id }
  const { url, cookie } = await beginOnPage(providersKit, id, { raw, linkTo }, {}, request)
  const client = { name: provider.name, host: new URL(url).host }
  const shown = { status: 200, fault: null, cookies: [cookie] }
  return { next: 'answer', answer: show(() => handOver({ client, redirect: url }), shown) }
}

function refusalOfRemoval(error: unknown): Changed {
  const code = error instanceof AuthError ? error.code : ''
  // Removed in another tab since the page was shown.
  if (code === 'not-found') return { next: 'open' }
  if (code !== 'last-sign-in-method') throw error
  return { next: 'again', status: 409, fault: { kind: 'wrong' } }
}

interface ConnectView extends Omit<OwnView, 'back'> {
  readonly connects: AccountElsewhere
}

interface AccountIdentitiesView extends OwnView {
  readonly identities: readonly IdentityOnPage[]
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

/** An account elsewhere that the user is connected with. */
interface IdentityOnPage {
  readonly id: string
  /** The name of the provider. */
  readonly provider: string
  /** The label that its owner knows it by; null without. */
  readonly label: string | null
  readonly lastUsedAt: Date | null
}

/**
 * The name of a new user from a provider.
 *
 * @internal
 */
export function newNamePage({ form, username, back }: NameView, { texts }: PageShell): PageContent {
  const isFaulty = form.fault?.kind === 'wrong'
  const label = 'register.username'
  const hint = 'register.username-help'
  const name = field({ ...typedName(username, form), label, hint, isFaulty }, texts)
  const content = [name, button(texts.html('page.continue'))]
  return {
    title: 'new-name.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('new-name.lead')}</p>
${formOf(form, texts, 'register.taken', content, true)}
<p class="links"><a href="${back}">${texts.html('register.back')}</a></p>`,
  }
}

/**
 * Whether to connect the account of a provider with the one here.
 *
 * @internal
 */
export function connectPage(
  { account, connects, form }: ConnectView,
  { texts }: PageShell,
): PageContent {
  const names = { ...connects, name: account.name }
  const yes = texts.html('account-identities.connect', { provider: connects.provider })
  const content = [
    button(yes, choice('connect', 'grants')),
    button(texts.html('connect.later'), choice('later', 'plain')),
  ]
  return {
    title: 'connect.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${texts.html('connect.question', names)}</p>
${accountCard(account)}
<p class="note">${texts.html('connect.means', names)}</p>
${formOf(form, texts, 'fault.stale', content)}`,
  }
}

/**
 * The accounts elsewhere, and the providers of others.
 *
 * @internal
 */
export function accountIdentitiesPage(
  { account, form, identities, providers, back }: AccountIdentitiesView,
  { texts }: PageShell,
): PageContent {
  const isAny = identities.length > 0
  const listed =
    isAny && html`<ul class="items">${identities.map((one) => identity(one, texts))}</ul>`
  const connect = providers.map(({ id, name }) => {
    const label = texts.html('account-identities.connect', { provider: name })
    const isThere = identities.some(({ provider }) => provider === name)
    return button(label, { name: 'choice', value: `connect ${id}`, class: isThere && 'plain' })
  })
  return {
    title: 'account.identities',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html(isAny ? 'account-identities.lead' : 'account-identities.none')}</p>
${formOf(form, texts, 'account-identities.wrong', [listed || null, connect])}
${backTo(back, texts)}`,
    listed: identities.map(({ id, label, provider }) => ({ id, name: label ?? provider })),
  }
}

function identity({ id, provider, label, lastUsedAt }: IdentityOnPage, texts: PageTexts): SafeHtml {
  const named = texts.plain('account-identities.disconnect-named', { account: label ?? provider })
  const end = { name: 'choice', value: `disconnect ${id}`, class: 'danger', 'aria-label': named }
  const shown = label && html`<p class="hint"><bdi>${label}</bdi></p>`
  const time = lastUsedAt && texts.html('account.last-seen', { time: texts.moment(lastUsedAt) })
  return html`<li><div><bdi>${provider}</bdi>
${shown}${time && html`<p class="hint">${time}</p>`}</div>
${button(texts.html('account-identities.disconnect'), end)}</li>
`
}
