import type { KeptCookie } from '../http/answer.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { sha256 } from '../lib/secrets.js'
import type { FormFields, FormPage, Submitted } from '../pages/form-page.js'
import type { PageVisit } from '../pages/page-visit.js'
import type { BrowserKit } from './browser-kit.js'
import type { FormSignIn, FormVisit } from './sign-in-by-form.js'

/** Remembered forms. */
const maxRecent = 1000
const recentSeconds = 10

/**
 * Repeats the first answer, with the same session, if a code is sent twice. After a double click,
 * the browser drops the first answer and shows the second, for which the code would be used up.
 * Only the client that got the first answer can send this form, from this browser, with this code.
 */
export function replayFirstAnswer<Code extends string | null, Rest extends unknown[]>(
  clock: () => Date,
  byCode: (kit: BrowserKit, code: Code, visit: FormVisit, ...rest: Rest) => Promise<FormSignIn>,
): typeof byCode {
  const recent = boundedCache<Promise<FormSignIn>>(maxRecent, recentSeconds)

  return async function byCodeOnce(kit, code, visit, ...rest) {
    const { flow, binding } = visit
    const step = flow?.pending?.id ?? flow?.mailed?.requestId
    if (step === undefined || code === null) return byCode(kit, code, visit, ...rest)
    // JSON is used so that different lists of parts are different texts.
    const name = sha256(JSON.stringify([step, binding.request, binding.browser, code]))
    const before = recent.get(name, clock())
    // A refused form is checked and counted every time.
    const known = before === undefined ? null : await before.catch(() => null)
    if (known?.next === 'signed-in') return known
    const result = byCode(kit, code, visit, ...rest)
    recent.set(name, result, clock())
    return result
  }
}

/**
 * Repeats the first answer to the enrolment of a factor: only that answer has the recovery codes
 * and the new cookie. `session`: the cookie of sessions.
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
    async submit(visit, fields) {
      const name = nameOf(visit, fields)
      // No `await` between the lookup and the entry; otherwise two at once would both be the first.
      const before = recent.get(name, clock())
      const known = before === undefined ? null : await before.catch(() => null)
      if (known?.next === 'answer') return known
      const outcome = page.submit(visit, fields)
      recent.set(name, outcome, clock())
      // The second form may already have the cookie of the first answer.
      const browser = newCookieOf(await outcome, session)
      if (browser !== null) recent.set(nameOf(visit, fields, browser), outcome, clock())
      return outcome
    },
  }
}

// Includes the token of the form, so that a new page is another form.
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
