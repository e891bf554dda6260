import type { IncomingMessage } from 'node:http'
import type { CookieChange } from '../http/answer.js'
import { createOfferedCookie } from '../http/cookies.js'
import type { IssuedSession } from '../sessions/issuing.js'
import { accountOf } from './consent-page.js'
import type { FormPage } from './form-page.js'
import {
  addingOn,
  type NewPasskey,
  type PagePasskeys,
  type ShowCodesDeps,
} from './page-passkeys.js'
import { pageAddress } from './page-request.js'
import { seeOther } from './show-page.js'

/** Seconds until the next offer in the same browser. */
const offerEvery = 30 * 24 * 60 * 60

/** Whether to offer a passkey after a sign-in by password, and the cookie that remembers it. */
export type OfferPasskey = (
  incoming: IncomingMessage,
  session: IssuedSession['session'],
) => Promise<CookieChange | null>

/**
 * Once in 30 days, to users without a passkey. A failure, already reported by the call, does not
 * block the sign-in.
 */
export function createOfferPasskey({ server }: PagePasskeys, page: URL): OfferPasskey {
  const cookie = createOfferedCookie(page)
  return async function offerPasskey(incoming, { userId, methods }) {
    if (methods.includes('passkey') || cookie.read(incoming) !== null) return null
    const hasAny = await server.hasAny(userId).catch(() => true)
    return hasAny ? null : { of: cookie, value: 'yes', maxAge: offerEvery }
  }
}

/** `/oauth/passkey`: offers a passkey after a sign-in by password. */
export function createAddPasskeyPage(newPasskey: NewPasskey, deps: ShowCodesDeps): FormPage {
  return {
    page: 'passkey',

    async view({ found }, form) {
      if (found === null) return null
      const passkey = await newPasskey.part(found, true)
      const account = accountOf(found)
      return (texts) => ({
        page: 'add-passkey',
        account,
        form,
        passkey: passkey?.(texts) ?? null,
      })
    },

    async submit(visit, fields, request) {
      const { found } = visit
      if (found === null) return { next: 'start-over' }
      if (fields.has('passkey'))
        return newPasskey.add(addingOn(deps, visit, found), fields, request)
      return {
        next: 'answer',
        answer: seeOther(pageAddress(deps.baseUrl, 'authorize', visit.asked)),
      }
    },
  }
}
