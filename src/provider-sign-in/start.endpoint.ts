import { z } from 'zod'
import type { Audit } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok, type TextAnswer } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { createVault } from '../lib/vault.js'
import { addressAt } from '../oauth/base-url.js'
import { redirectMatches } from '../oauth/redirect-uri.js'
import type { CallbackPages } from '../pages/page-providers.js'
import { seeOther } from '../pages/show-page.js'
import { codeChallengePattern } from '../pkce/code-challenge.js'
import type { Throttle } from '../throttle/throttle.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { ClientGoal, LinkTo, ProviderFlows } from './provider-flow.js'

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

/** An address of ours that leads a browser to a provider, for ten minutes. */
export type AddressFor = (
  provider: Pick<ConnectedProvider, 'id'>,
  given: z.output<typeof startRequest>,
  linkTo: LinkTo | null,
) => string

/** Finds the provider in the path of a request. Throws 404. */
export type ProviderIn = (request: Pick<EndpointRequest, 'parameters'>) => ConnectedProvider

export interface StartDeps {
  readonly encryptionKeys: readonly Buffer[]
  readonly clock: () => Date
  readonly baseUrl: URL
  readonly returnTo: readonly string[]
  readonly flows: Pick<ProviderFlows, 'begin'>
  readonly throttle: Pick<Throttle, 'takeProviderFlow'>
  readonly providerIn: ProviderIn
  /** Undefined without the option `oauth`. */
  readonly callbackPages: Pick<CallbackPages, 'stale'> | undefined
  readonly audit: Audit
}

interface Start {
  readonly addressFor: AddressFor
  /** The sealed goal of an address; null for anything else. */
  readonly goalIn: (provider: Pick<ConnectedProvider, 'id'>, sealed: string) => ClientGoal | null
}

/** Milliseconds. */
const startMs = 10 * 60_000
/** Characters; an address of ours has fewer. */
const maxSealedChars = 8000

export function createStart({ encryptionKeys, clock, baseUrl, returnTo }: StartDeps): Start {
  const vault = createVault('provider-start', encryptionKeys)
  return {
    addressFor({ id }, given, linkTo) {
      if (!returnTo.some((allowed) => redirectMatches(given.returnTo, allowed, 'native')))
        throw invalidRequest([
          { path: 'returnTo', message: 'Invalid input: not one of the option returnTo' },
        ])
      const { state = null, codeChallenge, maxAge } = given
      const goal: ClientGoal = {
        kind: 'client',
        returnTo: given.returnTo,
        codeChallenge,
        state,
        linkTo,
        ...(maxAge !== undefined && { maxAge }),
      }
      const sealed = vault.seal(id, Buffer.from(JSON.stringify({ goal, at: clock().getTime() })))
      return addressAt(baseUrl, `/auth/providers/${id}/open?request=${sealed}`)
    },
    goalIn({ id }, sealed) {
      const bytes = sealed.length > maxSealedChars ? null : vault.open(id, sealed)
      if (bytes === null) return null
      const { goal, at } = JSON.parse(bytes.toString('utf8')) as { goal: ClientGoal; at: number }
      const age = clock().getTime() - at
      return age >= -60_000 && age < startMs ? goal : null
    },
  }
}

/**
 * `POST /auth/providers/:id/start`: the address to open in a browser. It leads to the provider by
 * way of the router, so that the browser gets the cookie by which it is recognised afterwards.
 */
export function startEndpoint(providerIn: ProviderIn, addressFor: AddressFor): Endpoint {
  return async function start(request) {
    // 404
    const provider = providerIn(request)
    // 400, 413, 415
    const given = parseInput(startRequest, await request.readJson())
    return ok({ status: 'success', data: { url: addressFor(provider, given, null) } })
  }
}

/** `GET /auth/providers/:id/open`: leads the browser to the provider. */
export function leadToProviderEndpoint(deps: StartDeps, goalIn: Start['goalIn']): Endpoint {
  const { flows, throttle, providerIn, audit } = deps
  return async function leadToProvider(request) {
    const { incoming, context } = request
    const provider = providerIn(request)
    const [, sealed = ''] = /[?&]request=([\w.-]+)/.exec(incoming.url ?? '') ?? []
    const goal = goalIn(provider, sealed)
    if (goal === null) return tooLate(deps, request)
    // 429, 503
    await throttle.takeProviderFlow(context)
    const { url, cookie } = await flows.begin(provider, goal, { maxAge: goal.maxAge }, request)
    audit({ type: 'provider.started', provider: provider.id }, context)
    return seeOther(url, [cookie])
  }
}

async function tooLate(
  { callbackPages }: Pick<StartDeps, 'callbackPages'>,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (callbackPages === undefined) throw new AuthError('proof-refused')
  return callbackPages.stale(request)
}
