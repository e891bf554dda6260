import type { IncomingMessage } from 'node:http'
import { AuthError, notSignedIn } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { LoggedIn } from '../login/log-in.js'
import type { AppsKit } from '../oauth/apps-kit.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import type { AskingBrowser } from '../oauth/judge-authorization.js'
import { endUnlessKept, findSessionOfCookie, staysSignedIn } from '../sessions/browser-session.js'
import { readSessionSecret } from '../tokens/session-secret.js'
import type { Submitted } from './form-page.js'
import type { FormsKit } from './pages-kit.js'

/**
 * Lets a form change a factor of the signed-in user. `change` gets a function to call when only the
 * change itself can still fail: it gives the browser's cookie a new secret, and ten seconds later
 * every copy of the old one is invalid. The second function tells its new value; null before.
 *
 * The secret is replaced first. If that fails, nothing has changed, and the form returns with 503.
 * In the other order, the factor could exist while its recovery codes are lost. If the change fails
 * afterwards, the answer still sets the new cookie. After a lost answer, the user signs in with the
 * new factor.
 *
 * Only one of several concurrent forms succeeds. The others, and any copy of the cookie, have the
 * replaced secret, so they cannot set up another factor: the function then rejects with 401.
 *
 * `refusal`: turns an error into a result. Default: {@link refusalOfCode}.
 */
export async function renewCookie(
  kit: AppsKit,
  found: BrowserUser,
  incoming: IncomingMessage,
  change: (beforehand: () => Promise<void>, value: () => string | null) => Promise<Submitted>,
  refusal: (error: unknown) => Submitted = refusalOfCode,
): Promise<Submitted> {
  const cookies: KeptCookie[] = []
  const beforehand = async () => {
    cookies.push(await newCookie(kit, found, incoming))
  }
  const submitted = await change(beforehand, () => cookies[0]?.value ?? null).catch(refusal)
  if (submitted.next !== 'answer') return { ...submitted, cookies }
  const { answer } = submitted
  return { ...submitted, answer: { ...answer, cookies: [...(answer.cookies ?? []), ...cookies] } }
}

async function newCookie(
  { pages, sessions, clock }: AppsKit,
  { session }: BrowserUser,
  incoming: IncomingMessage,
): Promise<KeptCookie> {
  const sent = pages.cookie.read(incoming)
  const presented = sent === null ? null : readSessionSecret('browser', sent)
  // 503
  const value = presented === null ? null : await sessions.renewSecret(presented)
  if (value === null) throw notSignedIn('the cookie has another secret by now')
  const seconds = Math.floor((session.expiresAt.getTime() - clock().getTime()) / 1000)
  return { of: pages.cookie, value, maxAge: staysSignedIn(session) ? seconds : null }
}

/** The page again, or the sign-in, for a refused first code. */
export function refusalOfCode(error: unknown): Submitted {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5 } = error
  switch (error.code) {
    case 'totp-invalid':
      return wrongFields
    // The seed has expired: the page shows a new one.
    case 'totp-not-enabled':
      return staleForm
    case 'too-many-requests':
      return { next: 'again', status: 429, fault: { kind: 'throttled', retryAfter } }
    case 'temporarily-unavailable':
      return { next: 'again', status: 503, fault: { kind: 'busy', retryAfter } }
    default:
      return { next: 'start-over' }
  }
}

/** The result of a form with wrong input. */
export const wrongFields = { next: 'again', status: 422, fault: { kind: 'wrong' } } as const

/** The form cannot be taken as it is. */
export const staleForm = { next: 'again', status: 422, fault: { kind: 'stale' } } as const

/** Ignores that something was removed in another tab since the page was shown. */
export function unlessGone(error: unknown): void {
  if (!(error instanceof AuthError && error.code === 'not-found')) throw error
}

/** Ends the session that the browser had before it got a new one. */
export function endEarlier(
  { pages, sessions }: FormsKit,
  session: LoggedIn['session'],
  { incoming, context }: AskingBrowser,
): Promise<void> {
  return endUnlessKept(sessions, session, context, async () => {
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
  })
}
