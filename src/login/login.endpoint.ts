import { type Answer, ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { type LoggedIn, logIn } from './log-in.js'
import type { LoginKit } from './login-proof.js'
import { parseLoginRequest, readCodeHeader } from './login-request.js'

/** `POST /login`: opens a session by password, and by a second-factor code if the user has one. */
export function loginEndpoint(kit: LoginKit): Endpoint {
  return async function login({ incoming, context, readJson, setHeaders, aborted }) {
    // 400, 413, 415
    const { tokens, ...request } = parseLoginRequest(await readJson(), () =>
      readCodeHeader(incoming),
    )
    // 400, 401, 403, 429, 503
    const asked = { request, tokens, lifetime: undefined, context, setHeaders, aborted }
    return loggedIn(await logIn(kit, asked))
  }
}

/** The answer to a complete login. */
export function loggedIn({ token: authToken, me, ...opened }: LoggedIn): Answer {
  const { refreshToken, expiresIn } = opened
  const enrolment = opened.mustEnrol ? { enrolmentRequired: true } : {}
  const refreshable = refreshToken === null ? {} : { refreshToken, expiresIn }
  const data = { userId: opened.session.userId, authToken, me, ...enrolment, ...refreshable }
  return ok({ status: 'success', data })
}
