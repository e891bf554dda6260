import { boundedCache } from '../lib/bounded-cache.js'
import { sha256 } from '../lib/digest.js'
import type { FormSignIn, SignInByForm } from './sign-in-by-form.js'

/** Sign-ins, and seconds. Who presses twice does so at once. */
const maxRecent = 1000
const recentSeconds = 10

/**
 * Answers a second step that is sent twice as it was the first time: with the same session. A
 * browser in which a button is pressed twice drops the first answer and takes the second, in which
 * the code would be used up. It is the same form of the same browser, with the same code: whoever
 * has all of these had the first answer, too.
 */
export function pressedTwice(byCode: SignInByForm['byCode'], clock: () => Date) {
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
