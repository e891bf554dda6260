import { clientOnPage } from './answer-client.js'
import { accountOf, type ChoicePageDeps, decidedAnew } from './consent-page.js'
import type { FormPage } from './form-page.js'
import { pageAddress } from './page-request.js'
import { seeOther } from './show-page.js'

/** `/oauth/continue`: whether somebody who is signed in goes on, and as who she is. */
export function createContinuePage(deps: ChoicePageDeps): FormPage {
  return {
    page: 'continue',

    async view({ request, found }, form) {
      if (found === null) return null
      const client = clientOnPage(request.client, request.redirectUri)
      return () => ({ page: 'continue', client, account: accountOf(found), form })
    },

    async submit(visit, fields) {
      const answer =
        fields.text('choice') === 'continue'
          ? decidedAnew(deps, visit, 'select_account')
          : seeOther(pageAddress(deps.base, 'sign-in', { ...visit.asked, flow: null }))
      return { next: 'answer', answer }
    },
  }
}
