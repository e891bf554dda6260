import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import { readFormAsQuery } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { appended } from '../oauth/redirect-location.js'
import { seeOther } from '../pages/show-page.js'
import type { Identity } from '../providers/contract.js'
import type { CallbackPages } from './callback-pages.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import { type ClientGoal, endFlow, type FlowGoal, type ReturnedFlow } from './provider-flow.js'
import { callbackOf, type ProvidersKit, providerIn } from './provider-kit.js'
import { tooLate } from './start.endpoint.js'
import { issueTicket } from './tickets.js'

/** Bytes of a form: an answer of SAML has some ten thousand. */
const maxFormBytes = 256 * 1024
/** Characters of a query; Node takes no more than 16 KiB of headers. */
const maxQueryChars = 16_384

/**
 * `GET, POST /auth/providers/:id/callback`: the browser is back from the provider. Its user gets a
 * ticket, and signs in by it where the flow began: nobody is signed in here.
 */
export function callbackEndpoint(kit: ProvidersKit): Endpoint {
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
  // Without a prototype: nothing but what was sent.
  const parameters = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(query)) {
    // What is there twice, two readers read differently.
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
