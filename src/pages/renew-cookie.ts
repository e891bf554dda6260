import type { IncomingMessage } from 'node:http'
import { notSignedIn } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { Pages } from '../http/page-origin.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { staysSignedIn } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import { readSessionSecret } from '../tokens/session-secret.js'
import type { Submitted } from './form-page.js'

/** A signed-in user, and the request of the browser. */
export interface Asking {
  readonly incoming: IncomingMessage
  readonly found: BrowserUser
}

/**
 * Lets a form change a factor of the signed-in user. `change` gets a function to call when only the
 * change itself can still fail: it gives the browser's cookie a new secret, and ten seconds later
 * every copy of the old one is invalid.
 *
 * The secret is replaced first. If that fails, nothing has changed, and the form returns with 503.
 * In the other order, the factor could exist while its recovery codes are lost. If the change fails
 * afterwards, the answer still sets the new cookie. After a lost answer, the user signs in with the
 * new factor.
 *
 * Only one of several concurrent forms succeeds. The others, and any copy of the cookie, have the
 * replaced secret, so they cannot set up another factor: the function then rejects with 401.
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
