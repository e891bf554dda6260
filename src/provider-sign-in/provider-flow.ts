import type { Proofs } from '../accounts/proofs.js'
import type { KeptCookie } from '../http/answer.js'
import type { BrowserCookie } from '../http/cookies.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { ownMembers } from '../lib/check-options.js'
import { randomId, randomSecret } from '../lib/random.js'
import type { FlowToStart } from '../providers/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'

/** Where a flow leads when the provider has answered. */
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
  /** One of the option `returnTo`. */
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
  /** What the browser is recognised by. */
  readonly browser: string
}

/** Flows to providers: each begins in a browser, and ends in the same one, once. */
export interface ProviderFlows {
  /** The address of the provider, and the cookie for the browser. Throws 503. */
  begin(
    provider: ConnectedProvider,
    goal: FlowGoal,
    hints: Pick<FlowToStart, 'loginHint' | 'prompt' | 'maxAge'>,
    request: Pick<EndpointRequest, 'incoming'>,
  ): Promise<{ readonly url: string; readonly cookie: KeptCookie }>
  /**
   * Ends the flow with this state; null if it is not this browser's, is over, or was begun with
   * another provider. Of several calls one gets it. Rejects with 503.
   */
  end(
    provider: Pick<ConnectedProvider, 'id'>,
    state: string,
    request: Pick<EndpointRequest, 'incoming' | 'context'>,
  ): Promise<ReturnedFlow | null>
}

export interface ProviderFlowsDeps {
  readonly proofs: Pick<Proofs, 'openLink' | 'findLink' | 'isMark' | 'markOf' | 'consume'>
  readonly providerCookie: BrowserCookie
  readonly callbackOf: (provider: Pick<ConnectedProvider, 'id'>) => string
}

/** Seconds in which a user signs in at the provider. */
const flowLifetime = 10 * 60
/** Seconds. Longer than any flow, so that a second tab need not change it. */
const cookieLifetime = 60 * 60

export function createProviderFlows(deps: ProviderFlowsDeps): ProviderFlows {
  const { proofs, providerCookie, callbackOf } = deps
  return {
    async begin(provider, goal, hints, { incoming }) {
      // The same for all tabs: each ends the flow that it has begun.
      const browser = browserOf(deps, incoming) ?? randomId()
      const state = randomSecret()
      // Whoever is asked to sign in anew shows it, where the provider can say it.
      const { maxAge = hints.prompt && provider.provesAge ? 0 : undefined } = hints
      const { url, keep } = await provider.start({
        ...hints,
        ...(maxAge !== undefined && { maxAge }),
        state,
        callbackUrl: callbackOf(provider),
      })
      const asked = {
        purpose: 'provider',
        userId: null,
        mark: proofs.markOf(['provider', browser]),
        sealed: { provider: provider.id, flow: JSON.stringify({ goal, keep }) },
        lifetime: flowLifetime,
      } as const
      await proofs.openLink(asked, state)
      const cookie = { of: providerCookie, value: browser, maxAge: cookieLifetime }
      return { url, cookie }
    },

    async end(provider, state, { incoming, context }) {
      const browser = browserOf(deps, incoming)
      const proof = await proofs.findLink('provider', state, context)
      const isHere = browser !== null && proofs.isMark(proof, ['provider', browser])
      const { provider: id, flow } = proof.sealed
      // First: a stranger's browser must not use it up.
      if (!isHere || id !== provider.id || !flow) return null
      if (!(await proofs.consume(proof))) return null
      const { goal, keep } = JSON.parse(flow) as Pick<ReturnedFlow, 'goal' | 'keep'>
      return { goal, keep: ownMembers(keep), browser }
    },
  }
}

function browserOf(
  { providerCookie }: Pick<ProviderFlowsDeps, 'providerCookie'>,
  incoming: EndpointRequest['incoming'],
): string | null {
  const value = providerCookie.read(incoming)
  return value !== null && /^[\w-]{22}$/.test(value) ? value : null
}
