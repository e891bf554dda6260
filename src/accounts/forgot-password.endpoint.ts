import type { RequestContext } from '../audit/events.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseIdentifier } from '../login/login-request.js'
import type { MailedWayBack } from '../pages/account/parts.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import type { AfterAnswer } from './after-answer.js'
import { resetLifetime, type SendReset } from './reset-link.js'

/**
 * Asks for a link to set a new password. Tells nobody whether the name has an account: it resolves
 * before anything is looked up. Throws 400, 429 and 503.
 */
export type ForgotPassword = (
  identifier: LoginIdentifier,
  context: RequestContext,
  wayBack?: MailedWayBack | null,
) => Promise<void>

export interface ForgotPasswordDeps {
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'takeMailRequest'>
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly sendReset: SendReset
  readonly afterAnswer: Pick<AfterAnswer, 'run'>
}

export function createForgotPassword(deps: ForgotPasswordDeps): ForgotPassword {
  const { canonical, digestIdentifier, throttle, users, sendReset, afterAnswer } = deps
  return async function forgotPassword(given, context, wayBack = null) {
    const identifier = await canonical(given)
    await throttle.takeMailRequest(digestIdentifier(identifier).name, context)
    afterAnswer.run(async () => {
      const user = await users.findByIdentifier(identifier)
      if (user !== null) await sendReset(user, context, null, wayBack)
    })
  }
}

/** `POST /auth/password/forgot`: mails a link for a new password, if the name has an account. */
export function forgotPasswordEndpoint(forgotPassword: ForgotPassword): Endpoint {
  return async function forgot({ context, readJson }) {
    // 400, 413, 415, 429, 503
    await forgotPassword(parseIdentifier(await readJson()), context)
    return { status: 202, body: { status: 'success', data: { expiresIn: resetLifetime } } }
  }
}
