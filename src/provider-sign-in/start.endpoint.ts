import { z } from 'zod'
import { AuthError, invalidRequest } from '../errors.js'
import { ok, type TextAnswer } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { addressAt } from '../oauth/base-url.js'
import { redirectMatches } from '../oauth/redirect-uri.js'
import { seeOther } from '../pages/show-page.js'
import { codeChallengePattern } from '../pkce/code-challenge.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import { beginFlow, type ClientGoal, type LinkTo } from './provider-flow.js'
import { type ProvidersKit, providerIn } from './provider-kit.js'

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
export function addressFor(
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
export function startEndpoint(kit: ProvidersKit): Endpoint {
  return async function start(request) {
    // 404
    const provider = providerIn(kit, request)
    // 400, 413, 415
    const given = parseInput(startRequest, await request.readJson())
    return ok({ status: 'success', data: { url: addressFor(kit, provider, given, null) } })
  }
}

/** `GET /auth/providers/:id/open`: leads the browser to the provider. */
export function leadToProviderEndpoint(kit: ProvidersKit): Endpoint {
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
export async function tooLate(
  { callbackPages }: ProvidersKit,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (callbackPages === undefined) throw new AuthError('proof-refused')
  return callbackPages.stale(request)
}
