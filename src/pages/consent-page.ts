import type { Audit } from '../audit/events.js'
import type { TextAnswer } from '../http/answer.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { Scopes } from '../oauth/scopes.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import { clientOnPage } from './answer-client.js'
import type { Flows } from './flow.js'
import type { FormPage } from './form-page.js'
import { pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import type { AccountOnPage } from './view.js'

/** What pages for somebody who is signed in need. */
export interface ChoicePageDeps {
  readonly flows: Pick<Flows, 'begin' | 'withStep' | 'seal'>
  /** Where browsers reach the router. */
  readonly base: URL
}

/** What {@link createConsentPage} needs. */
export interface ConsentPageDeps extends ChoicePageDeps {
  readonly consents: Pick<ConsentStore, 'grant'>
  readonly describeScope: Scopes['describe']
  readonly clock: () => Date
  readonly audit: Audit
}

/** `/oauth/consent`: whether somebody else's app may do what it asks for. */
export function createConsentPage(deps: ConsentPageDeps): FormPage {
  const { flows, base } = deps
  return {
    page: 'consent',

    async view({ request, found }, form) {
      if (found === null) return null
      const client = clientOnPage(request.client, request.redirectUri)
      return ({ tag }) => ({
        page: 'consent',
        client,
        account: accountOf(found),
        scopes: request.scopes.map((scope) => deps.describeScope(scope, tag)),
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
      const scopes = request.scopes
      const clientId = request.client.id
      // 503. Durable before the page is left.
      await deps.consents.grant({ userId, clientId, scopes, grantedAt: now, updatedAt: now })
      deps.audit({ type: 'consent.granted', userId, clientId }, context)
      return { next: 'answer', answer: decidedAnew({ flows, base }, visit, 'consent') }
    },
  }
}

/** Sends the browser to be decided anew, with one step more behind it. */
export function decidedAnew(
  { flows, base }: ChoicePageDeps,
  { flow, binding, asked }: PageVisit,
  step: FlowStep,
): TextAnswer {
  const sealed = flows.seal(flows.withStep(flow ?? flows.begin(), step), binding)
  return seeOther(pageAddress(base, 'authorize', { ...asked, flow: sealed }))
}

/** Whose account it is, for the page. */
export function accountOf({ approved: { user } }: BrowserUser): AccountOnPage {
  return { name: user.name, username: user.username }
}
