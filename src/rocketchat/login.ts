import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type Answer, ok } from '../http/answer.js'
import { readJsonOrFormBody } from '../http/body.js'
import { singleHeader } from '../http/credentials.js'
import type { AuthRouter } from '../router/auth-router.js'
import type { Me } from '../users/me.js'
import { type NamedLogin, readLogin } from './login-body.js'
import type { RocketChatEndpoint, RocketChatRequest } from './mount.js'

/** The part of the router that a login uses. */
export type LoginAuth = Pick<AuthRouter, 'signIn' | 'authenticateToken' | 'me' | 'sessions'>

/** `POST /login`, in all forms that Rocket.Chat's clients send. */
export function createLogin(auth: LoginAuth, digestLogins: boolean): RocketChatEndpoint {
  return async function login(request) {
    const { incoming } = request
    // 400, 413, 415
    const body = await readJsonOrFormBody(incoming)
    const asked = readLogin(body, singleHeader(incoming, 'x-2fa-code') || null)
    // 401, 403, 503
    if ('resume' in asked) return resume(auth, asked.resume)
    if (asked.isDigest && !digestLogins)
      throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
    // 400, 401, 403, 429, 503
    return signIn(auth, asked, request)
  }
}

async function signIn(
  auth: LoginAuth,
  { name, email, password, isDigest, code }: NamedLogin,
  { incoming, setLimits }: RocketChatRequest,
): Promise<Answer> {
  const credentials = { ...name, password, ...(code === null ? {} : { code }) }
  const { userId, token, session, me, enrolmentRequired } = await auth
    .signIn(incoming, credentials, {
      onLimits: setLimits,
      ...(isDigest ? { digest: 'sha-256' } : {}),
    })
    .catch((error: unknown) => {
      throw error instanceof AuthError && error.code === 'Unauthorized'
        ? refused(error.message)
        : error
    })
  if (email !== null && !hasEmail(me, email)) {
    // Only after the password was right: others must not learn which address belongs to a user.
    await auth.sessions.revoke(session.id)
    throw refused('the e-mail address is not of that user')
  }
  const enrolment = enrolmentRequired === true ? { enrolmentRequired } : {}
  return loggedIn({ userId, authToken: token, me, ...enrolment })
}

// The same token again, without a new session: the client asks whether its token is still valid.
async function resume(auth: LoginAuth, authToken: string): Promise<Answer> {
  const { userId } = await auth.authenticateToken(authToken)
  const me = await auth.me(userId)
  if (me === null) throw notSignedIn('the user of the token is gone')
  return loggedIn({ userId, authToken, me })
}

/** Rocket.Chat's clients compare this text. */
function refused(message: string): AuthError {
  return new AuthError('Unauthorized', { clientMessage: 'Unauthorized', message })
}

function loggedIn(data: object): Answer {
  return ok({ status: 'success', data })
}

// In Rocket.Chat's form: `emails: [{ address, verified }]`, from the host's `describeUser`.
function hasEmail({ emails }: Me, email: string): boolean {
  return (
    Array.isArray(emails) &&
    emails.some((one: unknown) => {
      const { address } = (one ?? {}) as { address?: unknown }
      return typeof address === 'string' && address.toLowerCase() === email.toLowerCase()
    })
  )
}
