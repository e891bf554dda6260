import type { IncomingMessage } from 'node:http'
import { notSignedIn } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { Pages } from '../http/page-origin.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { staysSignedIn } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import { readSessionSecret } from '../tokens/session-secret.js'
import type { Submitted } from './form-page.js'

/** Somebody who is signed in, and the request of the browser. */
export interface Asking {
  readonly incoming: IncomingMessage
  readonly found: BrowserUser
}

/**
 * Has a form change a factor of who is signed in. `change` is given what it has to call once
 * nothing but the change itself can fail: the browser's cookie gets a new secret by that, and every
 * copy of it is good for nothing ten seconds later.
 *
 * The secret comes first: where it cannot be replaced, nothing has changed, and the form comes back
 * with 503. The other way round the factor would be there, and its recovery codes nowhere. Where
 * the change fails after it, the answer brings the new cookie all the same. An answer that is lost
 * keeps nobody out: who has the factor signs in with it.
 *
 * Of several forms at once one gets any further. The others came with the secret that was replaced
 * meanwhile, and so does a copy of the cookie: it sets up no factor of its own. Of them `change` is
 * told by a 401.
 */
export type RenewCookie = (
  asking: Asking,
  change: (beforehand: () => Promise<void>) => Promise<Submitted>,
) => Promise<Submitted>

export interface RenewCookieDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'renewSecret'>
  readonly clock: () => Date
}

export function createRenewCookie(deps: RenewCookieDeps): RenewCookie {
  return async function renewCookie(asking, change) {
    const cookies: KeptCookie[] = []
    const submitted = await change(async () => {
      cookies.push(await newCookie(deps, asking))
    })
    if (submitted.next !== 'answer') return { ...submitted, cookies }
    const { answer } = submitted
    return { ...submitted, answer: { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] } }
  }
}

async function newCookie(
  { pages, sessions, clock }: RenewCookieDeps,
  { incoming, found: { session } }: Asking,
): Promise<KeptCookie> {
  const sent = pages.cookie.read(incoming)
  const presented = sent === null ? null : readSessionSecret('browser', sent)
  // 503
  const value = presented === null ? null : await sessions.renewSecret(presented)
  if (value === null) throw notSignedIn('the cookie has another secret by now')
  const seconds = Math.floor((session.expiresAt.getTime() - clock().getTime()) / 1000)
  return { of: pages.cookie, value, maxAge: staysSignedIn(session) ? seconds : null }
}
