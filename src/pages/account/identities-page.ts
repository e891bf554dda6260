import { AuthError } from '../../errors.js'
import type { TextAnswer } from '../../http/answer.js'
import type { Endpoint, EndpointRequest } from '../../http/endpoint.js'
import type { BrowserUser } from '../../oauth/browser-sign-in.js'
import { accountOf } from '../consent-page.js'
import type { FormEndpoints } from '../form-page.js'
import type { ProvidersOnPages } from '../page-providers.js'
import { pageAddress, placeWithoutRequest, queryIn, readPageRequest } from '../page-request.js'
import { errorAnswer, forPeople, seeOther } from '../show-page.js'
import {
  type AccountFormDeps,
  type AccountFormPage,
  type Asking,
  accountEndpoints,
  type Changed,
} from './account-form.js'
import { withoutAddress } from './mail-form.js'

/** `/account/identities`: connects and disconnects accounts elsewhere. */
export function identitiesEndpoints(
  deps: AccountFormDeps,
  server: ProvidersOnPages,
): FormEndpoints {
  const { GET, POST } = accountEndpoints(deps, createIdentitiesPage(deps, server))
  const arrive = forPeople(deps.showPage, async (request) =>
    withoutAddress(await connect(deps, server, request)),
  )
  const get: Endpoint = (request) => (ticketIn(request) === null ? GET(request) : arrive(request))
  return { GET: get, POST }
}

function ticketIn({ incoming: { url } }: EndpointRequest): string | null {
  const asked = readPageRequest(queryIn(url))
  return asked.at === 'page-request' ? asked.ticket : null
}

// The browser is back from the provider. The sign-in was fresh when the user left.
async function connect(
  { findBrowserUser, showPage, baseUrl }: AccountFormDeps,
  server: ProvidersOnPages,
  request: EndpointRequest,
): Promise<TextAnswer> {
  const { incoming, context } = request
  const again = pageAddress(baseUrl, 'account/identities', placeWithoutRequest(incoming.url))
  const found = await findBrowserUser(incoming, context)
  if (found === null || found.signIn.mustEnrol)
    return errorAnswer(showPage, 'stale-sign-in', 400, request, { again })
  const to = { userId: found.session.userId, sessionId: found.session.id }
  try {
    await server.connect(ticketIn(request) ?? '', to, to, request)
    return seeOther(again)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'identity-in-use')
      return errorAnswer(showPage, 'identity-in-use', 409, request, { again })
    if (error.code !== 'proof-refused' && error.status !== 401) throw error
    return errorAnswer(showPage, 'stale-sign-in', 400, request, { again })
  }
}

function createIdentitiesPage(
  { baseUrl }: AccountFormDeps,
  server: ProvidersOnPages,
): AccountFormPage {
  const place = { raw: '', flow: null, language: null }
  const back = pageAddress(baseUrl, 'account', place)
  const providers = server.list.map(({ id, name }) => ({ id, name }))
  const nameOf = (provider: string) => providers.find(({ id }) => id === provider)?.name ?? provider
  return {
    page: 'account/identities',
    needsFresh: true,

    async view(found, form) {
      const listed = await server.listOf(found.session.userId)
      const identities = listed.map(({ id, provider, label, lastUsedAt }) => ({
        id,
        provider: nameOf(provider),
        label,
        lastUsedAt,
      }))
      const account = accountOf(found)
      return () => ({ page: 'account-identities', account, form, identities, providers, back })
    },

    async submit(found, fields, asking) {
      const [choice = '', id = ''] = fields.text('choice').split(' ', 2)
      if (choice === 'connect') return leave(server, found, id, asking)
      if (choice !== 'disconnect') return { next: 'open' }
      const { context } = asking.request
      return server.remove(found.session, id, context).then(() => ({ next: 'open' }), refused)
    },
  }
}

// By a page that navigates by itself: `form-action 'self'` blocks a redirect after a form.
async function leave(
  server: ProvidersOnPages,
  { session }: BrowserUser,
  id: string,
  { request, show }: Asking,
): Promise<Changed> {
  const provider = server.list.find((one) => one.id === id)
  if (provider === undefined) return { next: 'open' }
  const { language } = placeWithoutRequest(request.incoming.url)
  const raw = language === null ? '' : `&language=${language}`
  const linkTo = { userId: session.userId, sessionId: session.id }
  const { url, cookie } = await server.begin(id, { raw, linkTo }, {}, request)
  const client = { name: provider.name, host: new URL(url).host }
  const view = { page: 'hand-over', client, redirect: url } as const
  const shown = { status: 200, fault: null, cookies: [cookie] }
  return { next: 'answer', answer: await show(() => () => view, shown) }
}

function refused(error: unknown): Changed {
  const code = error instanceof AuthError ? error.code : ''
  // Removed in another tab since the page was shown.
  if (code === 'not-found') return { next: 'open' }
  if (code !== 'last-sign-in-method') throw error
  return { next: 'again', status: 409, fault: { kind: 'wrong' } }
}
