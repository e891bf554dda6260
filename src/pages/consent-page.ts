import type { Audit } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { wordsOfPage } from '../oauth/consent-words.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { NameResource, Scopes } from '../oauth/scopes.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import { clientOnPage } from './answer-client.js'
import type { Flows } from './flow.js'
import type { FormPage } from './form-page.js'
import { pageAddress } from './page-request.js'
import type { PageSite } from './page-site.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import type { AccountOnPage } from './view.js'

export interface ConsentPageDeps {
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
  /** Where browsers reach the router. */
  readonly baseUrl: URL
  readonly consents: Pick<ConsentStore, 'grant'>
  readonly scopes: Pick<Scopes, 'describe'>
  readonly nameResource: NameResource
  /** The host's own API. */
  readonly ownResource: string
  /** What people call the host. */
  readonly pageSite: Pick<PageSite, 'brand'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** `/oauth/consent`: whether somebody else's app may do what it asks for. */
export function createConsentPage(deps: ConsentPageDeps): FormPage {
  const { ownResource } = deps
  return {
    page: 'consent',
    grants: true,
    asks: ({ request }) => wordsOfPage(request, ownResource),

    async view({ request, found }, form) {
      if (found === null) return null
      const client = clientOnPage(request.client, request.redirectUri)
      return ({ tag }) => ({
        page: 'consent',
        client,
        account: accountOf(found),
        scopes: request.scopes.map((scope) => deps.scopes.describe(scope, tag)),
        apis: apisOf(deps, request.resources, tag),
        manage: null,
        form,
      })
    },

    async submit(visit, fields, { context }) {
      const { request, found } = visit
      if (found === null) return { next: 'start-over' }
      if (fields.text('choice') !== 'allow')
        return { next: 'again', status: 422, fault: { kind: 'stale' } }
      const now = deps.clock()
      const { userId } = found.session
      const scopes = wordsOfPage(request, ownResource)
      const clientId = request.client.id
      // 503. Durable before the page is left.
      await deps.consents.grant({ userId, clientId, scopes, grantedAt: now, updatedAt: now })
      deps.audit({ type: 'consent.granted', userId, clientId }, context)
      return { next: 'answer', answer: decidedAnew(deps, visit, 'consent') }
    },
  }
}

// The host's own is what everybody takes for granted, where no other is named.
function apisOf(
  { nameResource, ownResource, pageSite }: ConsentPageDeps,
  resources: readonly string[],
  tag: string,
): readonly string[] {
  const { name } = pageSite.brand
  if (resources.every((resource) => resource === ownResource)) return []
  return resources.map((one) => (one === ownResource ? name : nameResource(one, tag)))
}

/** Sends the browser to be decided anew, with one step more behind it. */
export function decidedAnew(
  { flows, baseUrl }: Pick<ConsentPageDeps, 'flows' | 'baseUrl'>,
  { flow, binding, asked }: PageVisit,
  step: FlowStep,
): TextAnswer {
  const sealed = flows.seal(flows.withStep(flow ?? flows.begin(), step), binding)
  return seeOther(pageAddress(baseUrl, 'authorize', { ...asked, flow: sealed }))
}

/** Whose account it is, for the page. */
export function accountOf({ approved: { user } }: BrowserUser): AccountOnPage {
  return { name: user.name, username: user.username }
}
