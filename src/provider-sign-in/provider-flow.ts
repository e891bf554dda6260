import { noneIfRefused } from '../accounts/noted-names.js'
import type { KeptCookie } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { ownMembers } from '../lib/check-options.js'
import { randomId, randomSecret } from '../lib/secrets.js'
import type { FlowToStart } from '../providers/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import { callbackOf, type ProvidersKit } from './provider-kit.js'

/** The target of a flow when the provider has answered. */
export type FlowGoal = PageGoal | ClientGoal

/** The user and session that an identity is connected with; null: it is a sign-in. */
export interface LinkTo {
  readonly userId: string
  readonly sessionId: string
}

/** A page of the router: the sign-in for a request, or the account page. */
export interface PageGoal {
  readonly kind: 'page'
  /** The query of the page. */
  readonly raw: string
  readonly linkTo: LinkTo | null
}

/** A client without our pages. */
export interface ClientGoal {
  readonly kind: 'client'
  /** An address of the option `returnTo`. */
  readonly returnTo: string
  /** `S256` of the client's verifier. */
  readonly codeChallenge: string
  /** The client's own, handed back unchanged; null without. */
  readonly state: string | null
  readonly linkTo: LinkTo | null
  /** Seconds; left out for a sign-in of any age. */
  readonly maxAge?: number
}

/** A flow that has come back to the browser that began it. */
export interface ReturnedFlow {
  readonly goal: FlowGoal
  /** As the provider's `start` has returned it. */
  readonly keep: object
  /** The random value that the browser is recognised by. */
  readonly browser: string
}

/** Seconds in which a user signs in at the provider. */
const flowLifetime = 10 * 60
/** Seconds. Longer than any flow, so that a second tab need not change it. */
const cookieLifetime = 60 * 60

/**
 * Begins a flow, which ends in the same browser, once: the address of the provider, and the cookie
 * for the browser. Throws 503.
 */
export async function beginFlow(
  kit: ProvidersKit,
  provider: ConnectedProvider,
  goal: FlowGoal,
  hints: Pick<FlowToStart, 'loginHint' | 'prompt' | 'maxAge'>,
  { incoming }: Pick<EndpointRequest, 'incoming'>,
): Promise<{ readonly url: string; readonly cookie: KeptCookie }> {
  const { proofs, providerCookie } = kit
  // All tabs share this value; each tab ends the flow that it has begun.
  const browser = browserOf(kit, incoming) ?? randomId()
  const state = randomSecret()
  // A user who is asked to sign in anew must show it, where the provider can tell the age.
  const { maxAge = hints.prompt && provider.provesAge ? 0 : undefined } = hints
  const { url, keep } = await provider.start({
    ...hints,
    ...(maxAge !== undefined && { maxAge }),
    state,
    callbackUrl: callbackOf(kit, provider),
  })
  const asked = {
    purpose: 'provider',
    userId: null,
    mark: proofs.markOf(['provider', browser]),
    sealed: { provider: provider.id, flow: JSON.stringify({ goal, keep }) },
    lifetime: flowLifetime,
  } as const
  await proofs.openLink(asked, state)
  return { url, cookie: { of: providerCookie, value: browser, maxAge: cookieLifetime } }
}

/**
 * Ends the flow with this state; null if it is not this browser's, is over, or was begun with
 * another provider. Of several calls, one gets the flow. Rejects with 503.
 */
export async function endFlow(
  kit: ProvidersKit,
  provider: Pick<ConnectedProvider, 'id'>,
  state: string,
  { incoming, context }: Pick<EndpointRequest, 'incoming' | 'context'>,
): Promise<ReturnedFlow | null> {
  const { proofs } = kit
  const browser = browserOf(kit, incoming)
  const proof = await proofs.findLink('provider', state, context).catch(noneIfRefused)
  if (proof === null) return null
  const isHere = browser !== null && proofs.isMark(proof, ['provider', browser])
  const { provider: id, flow } = proof.sealed
  // This is checked first: a stranger's browser must not use the flow up.
  if (!isHere || id !== provider.id || !flow) return null
  if (!(await proofs.consume(proof))) return null
  const { goal, keep } = JSON.parse(flow) as Pick<ReturnedFlow, 'goal' | 'keep'>
  return { goal, keep: ownMembers(keep), browser }
}

function browserOf(
  { providerCookie }: ProvidersKit,
  incoming: EndpointRequest['incoming'],
): string | null {
  const value = providerCookie.read(incoming)
  return value !== null && /^[\w-]{22}$/.test(value) ? value : null
}
