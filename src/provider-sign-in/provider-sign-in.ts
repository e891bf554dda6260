import { z } from 'zod'
import { userNameText } from '../accounts/newcomer.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok, type TextAnswer } from '../http/answer.js'
import { readFormAsQuery } from '../http/body.js'
import type { Capability, Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { loggedIn } from '../login/login.js'
import { addressAt } from '../oauth/base-url.js'
import { appended, redirectMatches } from '../oauth/redirect-uri.js'
import { seeOther } from '../pages/show-page.js'
import { codeChallengePattern, codeVerifierPattern } from '../pkce/authorization-code.js'
import { ownerOf } from '../principal/principal.js'
import type { Identity } from '../providers/contract.js'
import { tokensSchema } from '../sessions/sign-in-options.js'
import { proofRequest } from '../sign-in-again.js'
import { assertionSchema } from '../two-factor/passkey-response.js'
import { rememberIn, rememberShape } from '../two-factor/remembered-browser.js'
import { backchannelLogoutEndpoint } from './backchannel-logout.endpoint.js'
import type { CallbackPages } from './callback-pages.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import { linkByTicket, listIdentities, noIdentity, unlinkIdentity } from './own-identities.js'

import {
  beginFlow,
  type ClientGoal,
  endFlow,
  type FlowGoal,
  type LinkTo,
  type ReturnedFlow,
} from './provider-flow.js'
import { callbackOf, type ProvidersKit, providerIn } from './provider-kit.js'
import { signInByTicket } from './sign-in-by-ticket.js'
import { findTicket, issueTicket } from './tickets.js'

/** The endpoints of `/auth/providers` and `/auth/identities`. */
export function createProviderSignIn(kit: ProvidersKit): Capability {
  const callback = callbackEndpoint(kit)
  const own = { GET: listIdentitiesEndpoint(kit), POST: connectIdentityEndpoint(kit) }
  const one = { POST: linkIdentityEndpoint(kit), DELETE: unlinkIdentityEndpoint(kit) }
  return {
    routes: [
      ['/auth/providers', { GET: listEndpoint(kit) }],
      ['/auth/providers/finish', { POST: finishEndpoint(kit) }],
      ['/auth/providers/:id/start', { POST: startEndpoint(kit) }],
      ['/auth/providers/:id/open', { GET: leadToProviderEndpoint(kit), HEAD: null }],
      ['/auth/providers/:id/callback', { GET: callback, POST: callback, HEAD: null }],
      ['/auth/providers/:id/backchannel-logout', { POST: backchannelLogoutEndpoint(kit) }],
      ['/auth/identities', own],
      ['/auth/identities/:id', one],
    ],
  }
}

/** `GET /auth/providers`: the providers, for the buttons of a client. */
function listEndpoint({ list }: ProvidersKit): Endpoint {
  const providers = list.map(({ id, name }) => ({ id, name }))
  return async function listProviders() {
    return ok({ status: 'success', data: { providers } })
  }
}

/** The body of `POST /auth/providers/:id/start`. */
export const startRequest: z.ZodObject<{
  returnTo: z.ZodString
  codeChallenge: z.ZodString
  state: z.ZodOptional<z.ZodString>
  maxAge: z.ZodOptional<z.ZodNumber>
}> = z.object({
  returnTo: z.string().min(1).max(2000),
  codeChallenge: z.string().regex(codeChallengePattern),
  // Visible ASCII, as the `state` of an authorization request.
  state: z
    .string()
    .regex(/^[\x20-\x7e]{1,1024}$/)
    .optional(),
  maxAge: z.int().min(0).max(31_536_000).optional(),
})

/** Milliseconds. */
const startMs = 10 * 60_000
/** Characters; an address of ours has fewer. */
const maxSealedChars = 8000

/** An address of ours that leads a browser to a provider, for ten minutes. Throws 400. */
function addressFor(
  { startVault, providersOptions, baseUrl, clock }: ProvidersKit,
  { id }: Pick<ConnectedProvider, 'id'>,
  { returnTo, state, codeChallenge, maxAge }: z.output<typeof startRequest>,
  linkTo: LinkTo | null,
): string {
  const { returnTo: allowed } = providersOptions
  if (!allowed.some((address) => redirectMatches(returnTo, address, 'native')))
    throw invalidRequest([
      { path: 'returnTo', message: 'Invalid input: not one of the option returnTo' },
    ])
  const goal: ClientGoal = {
    kind: 'client',
    returnTo,
    codeChallenge,
    state: state ?? null,
    linkTo,
    ...(maxAge !== undefined && { maxAge }),
  }
  const sealed = startVault.seal(id, Buffer.from(JSON.stringify({ goal, at: clock().getTime() })))
  return addressAt(baseUrl, `/auth/providers/${id}/open?request=${sealed}`)
}

/** The sealed goal of an address; null for anything else. */
function goalIn(
  { startVault, clock }: ProvidersKit,
  { id }: Pick<ConnectedProvider, 'id'>,
  sealed: string,
): ClientGoal | null {
  const bytes = sealed.length > maxSealedChars ? null : startVault.open(id, sealed)
  if (bytes === null) return null
  const { goal, at } = JSON.parse(bytes.toString('utf8')) as { goal: ClientGoal; at: number }
  const age = clock().getTime() - at
  return age >= -60_000 && age < startMs ? goal : null
}

/**
 * `POST /auth/providers/:id/start`: the address to open in a browser. It leads to the provider by
 * way of the router, so that the browser gets the cookie by which it is recognised afterwards.
 */
function startEndpoint(kit: ProvidersKit): Endpoint {
  return async function start(request) {
    // 404
    const provider = providerIn(kit, request)
    // 400, 413, 415
    const given = parseInput(startRequest, await request.readJson())
    return ok({ status: 'success', data: { url: addressFor(kit, provider, given, null) } })
  }
}

/** `GET /auth/providers/:id/open`: leads the browser to the provider. */
function leadToProviderEndpoint(kit: ProvidersKit): Endpoint {
  return async function leadToProvider(request) {
    const { incoming, context } = request
    const provider = providerIn(kit, request)
    const [, sealed = ''] = /[?&]request=([\w.-]+)/.exec(incoming.url ?? '') ?? []
    const goal = goalIn(kit, provider, sealed)
    if (goal === null) return tooLate(kit, request)
    // 429, 503
    await kit.throttle.takeProviderFlow(context)
    const { url, cookie } = await beginFlow(kit, provider, goal, { maxAge: goal.maxAge }, request)
    kit.audit({ type: 'provider.started', provider: provider.id }, context)
    return seeOther(url, [cookie])
  }
}

/** The answer for a flow that is over, or another browser's. Throws 400 without pages. */
async function tooLate(
  { callbackPages }: ProvidersKit,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (callbackPages === undefined) throw new AuthError('proof-refused')
  return callbackPages.stale(request)
}

/** Bytes of a form: an answer of SAML has some ten thousand. */
const maxFormBytes = 256 * 1024
/** Characters of a query; Node takes no more than 16 KiB of headers. */
const maxQueryChars = 16_384

/**
 * `GET, POST /auth/providers/:id/callback`: the browser is back from the provider. Its user gets a
 * ticket, and signs in by it where the flow began: nobody is signed in here.
 */
function callbackEndpoint(kit: ProvidersKit): Endpoint {
  return async function callback(request) {
    const provider = providerIn(kit, request)
    // 400, 413, 415
    const parameters = await parametersOf(request)
    const state = parameters['state'] ?? parameters['RelayState'] ?? ''
    const flow = await endFlow(kit, provider, state, request)
    if (flow === null) {
      const { id } = provider
      kit.audit({ type: 'provider.refused', provider: id, reason: 'stale' }, request.context)
      return tooLate(kit, request)
    }
    try {
      return await finish(kit, provider, { state, parameters, flow }, request)
    } catch (error) {
      if (!(error instanceof AuthError && error.status === 503)) throw error
      const left = { error: 'temporarily_unavailable', cause: error } as const
      return leave(kit, provider, flow.goal, left, request)
    }
  }
}

interface Returned {
  readonly state: string
  readonly parameters: Readonly<Record<string, string>>
  readonly flow: ReturnedFlow
}

async function finish(
  kit: ProvidersKit,
  provider: ConnectedProvider,
  { state, parameters, flow }: Returned,
  request: EndpointRequest,
): Promise<TextAnswer> {
  const { goal, keep } = flow
  const method = request.incoming.method === 'POST' ? 'POST' : 'GET'
  const callbackUrl = callbackOf(kit, provider)
  const headers = headersOf(request)
  const asked = { state, callbackUrl, method, parameters, headers, keep } as const
  const finished = await provider.finish(asked)
  if (finished.outcome !== 'identified') {
    const { id } = provider
    const reason = finished.outcome === 'refused' ? finished.reason : 'not-allowed'
    kit.audit({ type: 'provider.refused', provider: id, reason }, request.context)
    const told = finished.outcome === 'not-allowed' ? finished.told : undefined
    const error = reason === 'access-denied' ? 'access_denied' : 'provider_refused'
    return leave(kit, provider, goal, { error, told }, request)
  }
  const { amr: _amr, acr: _acr, authenticatedAt, ...identity } = finished.identity
  const vouched = {
    provider: provider.id,
    accounts: provider.accounts,
    identity,
    signedInAt: authenticatedAt?.getTime() ?? (provider.provesAge === true ? 0 : null),
    hasMfa: hasShownMfa(provider, finished.identity),
    linkTo: goal.linkTo,
  }
  const ticket = await issueTicket(kit, vouched, flow)
  return goal.kind === 'client'
    ? seeOther(backTo(kit, goal, { ticket }))
    : pagesOf(kit).goOn(pageOf(goal), ticket)
}

function hasShownMfa({ acceptMfa, mfaAcr = [] }: ConnectedProvider, identity: Identity): boolean {
  if (acceptMfa !== true) return false
  const { amr = [], acr } = identity
  return amr.includes('mfa') || (acr !== undefined && mfaAcr.includes(acr))
}

/** Why nobody comes back with a ticket. */
interface Left {
  readonly error: 'access_denied' | 'provider_refused' | 'temporarily_unavailable'
  readonly told?: string | undefined
  readonly cause?: AuthError
}

async function leave(
  kit: ProvidersKit,
  { name }: ConnectedProvider,
  goal: FlowGoal,
  { error, told, cause }: Left,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (goal.kind === 'client') return seeOther(backTo(kit, goal, { error }))
  const pages = pagesOf(kit)
  if (cause !== undefined) return pages.failed(request, pageOf(goal), cause)
  if (error === 'access_denied') return pages.cancelled(pageOf(goal))
  return pages.refused(request, pageOf(goal), name, told)
}

function pageOf({ raw, linkTo }: Extract<FlowGoal, { kind: 'page' }>) {
  return { raw, isLinking: linkTo !== null }
}

// A flow of the pages was begun by them.
function pagesOf({ callbackPages }: ProvidersKit): CallbackPages {
  if (callbackPages === undefined) throw new AuthError('proof-refused')
  return callbackPages
}

function backTo(
  { issuer }: ProvidersKit,
  { returnTo, state }: ClientGoal,
  answer: { readonly ticket: string } | { readonly error: Left['error'] },
): string {
  return appended(returnTo, { ...answer, ...(state === null ? {} : { state }), iss: issuer })
}

async function parametersOf({
  incoming,
}: EndpointRequest): Promise<Readonly<Record<string, string>>> {
  const { method, url = '' } = incoming
  const mark = url.indexOf('?')
  const query =
    method === 'POST'
      ? await readFormAsQuery(incoming, maxFormBytes)
      : url.slice(mark < 0 ? url.length : mark + 1)
  if (method !== 'POST' && query.length > maxQueryChars) throw new AuthError('payload-too-large')
  // The object has no prototype: it has nothing but the sent parameters.
  const parameters = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(query)) {
    // Two readers may read a repeated parameter differently.
    if (Object.hasOwn(parameters, name)) throw new AuthError('invalid-request')
    parameters[name] = value
  }
  return parameters
}

function headersOf({ incoming: { headers } }: EndpointRequest): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    name === 'cookie' || name === 'authorization' || typeof value !== 'string'
      ? []
      : [[name, value] as const],
  )
  return Object.assign(Object.create(null), Object.fromEntries(kept))
}

/** The body of `POST /auth/providers/finish`. */
export const finishRequest: z.ZodObject<
  {
    ticket: z.ZodString
    codeVerifier: z.ZodString
    code: z.ZodOptional<z.ZodString>
    passkey: z.ZodOptional<typeof assertionSchema>
    username: z.ZodOptional<z.ZodString>
    tokens: typeof tokensSchema
  } & typeof rememberShape
> = z.object({
  ticket: z.string().min(1).max(100),
  codeVerifier: z.string().regex(codeVerifierPattern),
  code: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
  username: userNameText.optional(),
  tokens: tokensSchema,
  ...rememberShape,
})

/** `POST /auth/providers/finish`: signs in by the ticket, as `POST /login` does by password. */
function finishEndpoint(kit: ProvidersKit): Endpoint {
  return kit.throttle.limitFailures('provider-finish', async function finish(request) {
    // 400, 413, 415
    const given = parseInput(finishRequest, await request.readJson())
    const { codeVerifier, code = null, passkey = null, username, tokens } = given
    if (code !== null && passkey !== null)
      throw invalidRequest([{ path: 'code, passkey', message: 'Send one of them.' }])
    const shown = { codeVerifier, linkTo: null }
    // 400, 503
    const ticket = await findTicket(kit, given.ticket, shown, request.context)
    const browser = rememberIn(given)
    const asked = { ticket, code, passkey, browser, username, tokens, lifetime: undefined }
    // 400, 401, 403, 409, 429, 503
    return loggedIn(await signInByTicket(kit, asked, request))
  })
}

/** The body of `POST /auth/identities/:provider`: as for a sign-in, and a proof. */
export const linkRequest: z.ZodObject<
  (typeof startRequest)['shape'] & (typeof proofRequest)['shape']
> = startRequest.extend(proofRequest.shape)

/** The body of `POST /auth/identities`. */
export const connectRequest: z.ZodObject<{ ticket: z.ZodString; codeVerifier: z.ZodString }> =
  z.object({
    ticket: z.string().min(1).max(100),
    codeVerifier: z.string().regex(codeVerifierPattern),
  })

/** `GET /auth/identities`: the accounts elsewhere that the user is connected with. */
function listIdentitiesEndpoint(kit: ProvidersKit): Endpoint {
  return async function list(request) {
    // 401, 403
    const { user } = await ownerOf(kit.signedIn, request)
    return ok({ status: 'success', data: { identities: await listIdentities(kit, user.id) } })
  }
}

/** `POST /auth/identities/:provider`: the address to open, which connects an account. */
function linkIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return async function link(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request)
    // 404
    const provider = providerIn(kit, request)
    // 400, 413, 415
    const given = parseInput(linkRequest, await request.readJson())
    const { password, code, passkey } = given
    // 401, 403, 429, 503
    await kit.requireFresh(asking, { password, code, passkey }, request)
    const linkTo = { userId: asking.user.id, sessionId: asking.session.id }
    return ok({ status: 'success', data: { url: addressFor(kit, provider, given, linkTo) } })
  }
}

/** `POST /auth/identities`: connects the account of a ticket. */
function connectIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return kit.throttle.limitFailures('provider-connect', async function connect(request) {
    const { context } = request
    // 401, 403
    const { user, session } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const { ticket, codeVerifier } = parseInput(connectRequest, await request.readJson())
    const linkTo = { userId: user.id, sessionId: session.id }
    // 400, 503
    const found = await findTicket(kit, ticket, { codeVerifier, linkTo }, context)
    // 401, 409, 503
    const identity = await linkByTicket(kit, found, linkTo, context)
    return ok({ status: 'success', data: { identity } })
  })
}

/** `DELETE /auth/identities/:id`: removes one. */
function unlinkIdentityEndpoint(kit: ProvidersKit): Endpoint {
  return async function unlink(request) {
    const asking = await ownerOf(kit.signedIn, request)
    const { id } = request.parameters
    if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) throw noIdentity()
    const given = parseInput(proofRequest, await request.readJson())
    const { password, code, passkey } = given
    await kit.requireFresh(asking, { password, code, passkey }, request)
    await unlinkIdentity(kit, asking, id, request.context)
    return ok({ status: 'success' })
  }
}
