import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import { readFormAsQuery } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { appended } from '../oauth/redirect-location.js'
import type { CallbackPages } from '../pages/page-providers.js'
import { seeOther } from '../pages/show-page.js'
import type { Identity } from '../providers/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { ClientGoal, FlowGoal, ProviderFlows, ReturnedFlow } from './provider-flow.js'
import type { ProviderIn } from './start.endpoint.js'
import type { Tickets } from './tickets.js'

export interface CallbackDeps {
  readonly providerIn: ProviderIn
  readonly flows: Pick<ProviderFlows, 'end'>
  readonly tickets: Pick<Tickets, 'issue'>
  readonly callbackOf: (provider: Pick<ConnectedProvider, 'id'>) => string
  /** Undefined without the option `oauth`. */
  readonly callbackPages: CallbackPages | undefined
  /** Names this server in answers to clients. */
  readonly issuer: string
  readonly audit: Audit
}

/** Bytes of a form: an answer of SAML has some ten thousand. */
const maxFormBytes = 256 * 1024
/** Characters of a query; Node takes no more than 16 KiB of headers. */
const maxQueryChars = 16_384

/**
 * `GET, POST /auth/providers/:id/callback`: the browser is back from the provider. Whoever it is
 * gets a ticket, and signs in by it where the flow began: nobody is signed in here.
 */
export function callbackEndpoint(deps: CallbackDeps): Endpoint {
  return async function callback(request) {
    const provider = deps.providerIn(request)
    // 400, 413, 415
    const parameters = await parametersOf(request)
    const state = parameters['state'] ?? parameters['RelayState'] ?? ''
    const flow = await endFlow(deps, provider, state, request)
    if (flow === null) {
      deps.audit(
        { type: 'provider.refused', provider: provider.id, reason: 'stale' },
        request.context,
      )
      if (deps.callbackPages === undefined) throw new AuthError('proof-refused')
      return deps.callbackPages.stale(request)
    }
    try {
      return await finish(deps, provider, { state, parameters, flow }, request)
    } catch (error) {
      if (!(error instanceof AuthError && error.status === 503)) throw error
      return leave(
        deps,
        provider,
        flow.goal,
        { error: 'temporarily_unavailable', cause: error },
        request,
      )
    }
  }
}

async function endFlow(
  { flows }: CallbackDeps,
  provider: ConnectedProvider,
  state: string,
  request: EndpointRequest,
): Promise<ReturnedFlow | null> {
  try {
    return await flows.end(provider, state, request)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'proof-refused') return null
    throw error
  }
}

interface Returned {
  readonly state: string
  readonly parameters: Readonly<Record<string, string>>
  readonly flow: ReturnedFlow
}

async function finish(
  deps: CallbackDeps,
  provider: ConnectedProvider,
  { state, parameters, flow }: Returned,
  request: EndpointRequest,
): Promise<TextAnswer> {
  const { goal, keep } = flow
  const method = request.incoming.method === 'POST' ? 'POST' : 'GET'
  const callbackUrl = deps.callbackOf(provider)
  const headers = headersOf(request)
  const asked = { state, callbackUrl, method, parameters, headers, keep } as const
  const finished = await provider.finish(asked)
  if (finished.outcome !== 'identified') {
    const { id } = provider
    const reason = finished.outcome === 'refused' ? finished.reason : 'not-allowed'
    deps.audit({ type: 'provider.refused', provider: id, reason }, request.context)
    const told = finished.outcome === 'not-allowed' ? finished.told : undefined
    const error = reason === 'access-denied' ? 'access_denied' : 'provider_refused'
    return leave(deps, provider, goal, { error, told }, request)
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
  const ticket = await deps.tickets.issue(vouched, flow)
  return goal.kind === 'client'
    ? seeOther(backTo(deps, goal, { ticket }))
    : pagesOf(deps).goOn(pageOf(goal), ticket)
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
  deps: CallbackDeps,
  { name }: ConnectedProvider,
  goal: FlowGoal,
  { error, told, cause }: Left,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (goal.kind === 'client') return seeOther(backTo(deps, goal, { error }))
  const pages = pagesOf(deps)
  if (cause !== undefined) return pages.failed(request, pageOf(goal), cause)
  if (error === 'access_denied') return pages.cancelled(pageOf(goal))
  return pages.refused(request, pageOf(goal), name, told)
}

function pageOf({ raw, linkTo }: Extract<FlowGoal, { kind: 'page' }>) {
  return { raw, isLinking: linkTo !== null }
}

// A flow of the pages was begun by them.
function pagesOf({ callbackPages }: CallbackDeps): CallbackPages {
  if (callbackPages === undefined) throw new AuthError('proof-refused')
  return callbackPages
}

function backTo(
  { issuer }: CallbackDeps,
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
