import { clientOnPage } from './answer-client.js'
import { accountOf, type ConsentPageDeps, decidedAnew } from './consent-page.js'
import type { FormPage } from './form-page.js'

/** `/oauth/continue`: asks a signed-in user whether to continue with this account. */
export function createContinuePage(deps: Pick<ConsentPageDeps, 'flows' | 'baseUrl'>): FormPage {
  return {
    page: 'continue',
    grants: true,

    async view({ request, found }, form) {
      if (found === null) return null
      const client = clientOnPage(request.client, request.redirectUri)
      return () => ({ page: 'continue', client, account: accountOf(found), form })
    },

    async submit(visit, fields) {
      if (fields.text('choice') !== 'continue')
        return { next: 'again', status: 422, fault: { kind: 'stale' } }
      return { next: 'answer', answer: decidedAnew(deps, visit, 'select_account') }
    },
  }
}
