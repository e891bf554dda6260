import type { Audit } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import type { AuthorizationRequest } from '../oauth/authorization-request.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { documentOf } from '../oauth/client-documents/client-document.js'
import { wordsOfPage } from '../oauth/consent-words.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { NameResource, Scopes } from '../oauth/scopes.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import { clientOnPage } from './answer-client.js'
import type { Flows } from './flow.js'
import type { FormPage } from './form-page.js'
import { clientOf } from './goal.js'
import { pageAddress } from './page-request.js'
import type { PageSite } from './page-site.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import type { AccountOnPage } from './view-parts.js'

export interface ConsentPageDeps {
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly consents: Pick<ConsentStore, 'grant'>
  readonly scopes: Pick<Scopes, 'describe'>
  readonly nameResource: NameResource
  /** The host's own API. */
  readonly ownResource: string
  /** The page to revoke consents; null if the host has none of ours. */
  readonly accountUrl: string | null
  /** The name of the host. */
  readonly pageSite: Pick<PageSite, 'brand'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** `/oauth/consent`: asks the user for consent to the request of a third-party app. */
export function createConsentPage(deps: ConsentPageDeps): FormPage {
  const { ownResource } = deps
  return {
    page: 'consent',
    grants: true,
    asks: ({ goal }) => (goal.kind === 'client' ? shownOf(goal.request, ownResource) : []),

    async view({ goal, found }, form) {
      if (found === null || goal.kind === 'page') return null
      const { request } = goal
      const client = clientOnPage(request.client, request.redirectUri)
      return ({ tag }) => ({
        page: 'consent',
        client,
        claimedName: documentOf(request.client)?.claimedName ?? null,
        account: accountOf(found),
        scopes: request.scopes.map((scope) => deps.scopes.describe(scope, tag)),
        apis: apisOf(deps, request.resources, tag),
        manage: deps.accountUrl,
        form,
      })
    },

    async submit(visit, fields, { context }) {
      const { goal, found } = visit
      if (found === null || goal.kind === 'page') return { next: 'start-over' }
      const { request } = goal
      if (fields.text('choice') !== 'allow')
        return { next: 'again', status: 422, fault: { kind: 'stale' } }
      const now = deps.clock()
      const { userId } = found.session
      const scopes = wordsOfPage(request, ownResource)
      const clientId = request.client.id
      // 503. Stored before the browser moves on.
      await deps.consents.grant({ userId, clientId, scopes, grantedAt: now, updatedAt: now })
      deps.audit({ type: 'consent.granted', userId, clientId }, context)
      return { next: 'answer', answer: decidedAnew(deps, visit, 'consent') }
    },
  }
}

// A document that has changed since the page was shown is another question.
function shownOf(request: AuthorizationRequest, ownResource: string): readonly string[] {
  const document = documentOf(request.client)
  const words = wordsOfPage(request, ownResource)
  return document === null ? words : [...words, document.digest]
}

/** `/oauth/continue`: asks a signed-in user whether to continue with this account. */
export function createContinuePage(
  deps: Pick<ConsentPageDeps, 'flows' | 'baseUrl' | 'pageSite'>,
): FormPage {
  return {
    page: 'continue',
    grants: true,

    async view({ goal, found }, form) {
      if (found === null) return null
      const host = { name: deps.pageSite.brand.name, host: deps.baseUrl.host }
      const client = clientOf(goal) ?? host
      return () => ({ page: 'continue', client, account: accountOf(found), form })
    },

    async submit(visit, fields) {
      if (fields.text('choice') !== 'continue')
        return { next: 'again', status: 422, fault: { kind: 'stale' } }
      return { next: 'answer', answer: decidedAnew(deps, visit, 'select_account') }
    },
  }
}

/**
 * The names of the APIs. If the host's own is the only one, the page need not name it.
 */
export function apisOf(
  {
    nameResource,
    ownResource,
    pageSite,
  }: Pick<ConsentPageDeps, 'nameResource' | 'ownResource' | 'pageSite'>,
  resources: readonly string[],
  tag: string,
): readonly string[] {
  const { name } = pageSite.brand
  if (resources.every((resource) => resource === ownResource)) return []
  return resources.map((one) => (one === ownResource ? name : nameResource(one, tag)))
}

/** Redirects to a new decision, with one more step done. */
function decidedAnew(
  { flows, baseUrl }: Pick<ConsentPageDeps, 'flows' | 'baseUrl'>,
  { flow, binding, asked }: PageVisit,
  step: FlowStep,
): TextAnswer {
  const sealed = flows.seal(flows.withStep(flow ?? flows.begin(), step), binding)
  return seeOther(pageAddress(baseUrl, 'authorize', { ...asked, flow: sealed }))
}

/** The account as shown on the page. */
export function accountOf({ approved: { user } }: BrowserUser): AccountOnPage {
  return { name: user.name, username: user.username }
}
