import type { KeptCookie } from '../http/answer.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { sha256 } from '../lib/digest.js'
import type { FormFields, FormPage, Submitted } from './form-page.js'
import type { PageVisit } from './page-visit.js'
import type { FormSignIn, SignInByForm } from './sign-in-by-form.js'

/** Forms, and seconds. Who presses twice does so at once. */
const maxRecent = 1000
const recentSeconds = 10

/**
 * Answers a second step that is sent twice as it was the first time: with the same session. A
 * browser in which a button is pressed twice drops the first answer and takes the second, in which
 * the code would be used up. Only the client that got the first answer can send the same form from
 * the same browser with the same code.
 */
export function replayFirstAnswer(byCode: SignInByForm['byCode'], clock: () => Date) {
  const recent = boundedCache<Promise<FormSignIn>>(maxRecent, recentSeconds)

  return async function byCodeOnce(
    ...[code, visit]: Parameters<SignInByForm['byCode']>
  ): Promise<FormSignIn> {
    const { flow, binding } = visit
    const step = flow?.pending?.id
    if (step === undefined || code === null) return byCode(code, visit)
    // As JSON, so that no two lists of parts are the same text.
    const name = sha256(JSON.stringify([step, binding.request, binding.browser, code]))
    const before = recent.get(name, clock())
    // What was refused is judged, and counted, every time.
    const known = before === undefined ? null : await before.catch(() => null)
    if (known?.outcome === 'signed-in') return known
    const outcome = byCode(code, visit)
    recent.set(name, outcome, clock())
    return outcome
  }
}

/**
 * Answers a factor that is set up twice as it was the first time: with the recovery codes and the
 * new cookie, which nothing else holds. The browser has dropped the first answer, and the factor is
 * there. `session` is the cookie of sessions.
 */
export function replayFirstEnrolment(
  page: FormPage,
  session: KeptCookie['of'],
  clock: () => Date,
): FormPage {
  const recent = boundedCache<Promise<Submitted>>(maxRecent, recentSeconds)

  async function answeredBefore(visit: PageVisit, fields: FormFields) {
    const before = recent.get(nameOf(visit, fields), clock())
    const known = before === undefined ? null : await before.catch(() => null)
    return known?.next === 'answer' ? known.answer : null
  }

  return {
    ...page,
    answeredBefore,
    async submit(visit, fields, request) {
      const name = nameOf(visit, fields)
      // No `await` between the look and the entry, or two that come at once are both the first.
      const before = recent.get(name, clock())
      const known = before === undefined ? null : await before.catch(() => null)
      if (known?.next === 'answer') return known
      const outcome = page.submit(visit, fields, request)
      recent.set(name, outcome, clock())
      // The second press may come with the cookie that the first one was answered.
      const browser = newCookieOf(await outcome, session)
      if (browser !== null) recent.set(nameOf(visit, fields, browser), outcome, clock())
      return outcome
    },
  }
}

// By the token of the form as well: one that is shown anew is another.
function nameOf(
  { binding }: PageVisit,
  fields: FormFields,
  browser: string | null = binding.browser,
): string {
  const sent = ['csrf', 'code', 'passkey'].map((name) => fields.text(name))
  return sha256(JSON.stringify([binding.request, browser, ...sent]))
}

function newCookieOf(submitted: Submitted, session: KeptCookie['of']): string | null {
  if (submitted.next !== 'answer') return null
  return submitted.answer.cookies?.find(({ of }) => of === session)?.value ?? null
}
