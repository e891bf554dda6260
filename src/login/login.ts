import { noRequest } from '../audit/events.js'
import { type Answer, ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { loadOnce } from '../lib/load-once.js'
import { requiredIn } from '../principal/required-actions.js'
import type { AuthenticateLocally } from './local-strategy.js'
import { type LoggedIn, type LogIn, type LogInSteps, logIn, logInSteps } from './log-in.js'
import type { LoginKit } from './login-proof.js'
import { parseLoginRequest, readCodeHeader } from './login-request.js'
import { createRehash } from './verify-password.js'

/** Signing in by password: `POST /login`. */
export interface Login extends Capability {
  /** For the host's own code. */
  readonly logIn: LogIn
  /** For pages, which ask for one thing after the other. */
  readonly logInSteps: LogInSteps
  readonly hashPassword: (plain: string) => Promise<string>
}

/** A short script that ends sooner does not load passport. */
const loadAfterMs = 100

export function createLogin(given: SignInKit): Login {
  let strategy: AuthenticateLocally | undefined
  const load = loadOnce(async () => {
    const { createLocalStrategy } = await import('./local-strategy.js')
    strategy = createLocalStrategy(given)
    return strategy
  })
  // After the start, which does not wait for passport, but before most first logins.
  setTimeout(() => load().catch(() => {}), loadAfterMs).unref()
  const authenticateLocally: AuthenticateLocally = (attempt) =>
    strategy === undefined ? load().then((loaded) => loaded(attempt)) : strategy(attempt)
  const kit = { ...given, authenticateLocally, rehash: createRehash(given) }
  return {
    routes: [['/login', { POST: loginEndpoint(kit) }]],
    logIn: (asked) => logIn(kit, asked),
    logInSteps: logInSteps(kit),
    // One source in the queue, like a network: registrations neither delay logins nor are delayed
    // by them.
    hashPassword: (plain) => kit.hasher.hash(plain, { source: 'host', context: noRequest }),
  }
}

/** `POST /login`: opens a session by password, and by a second-factor code if the user has one. */
function loginEndpoint(kit: LoginKit): Endpoint {
  return async function login({ incoming, context, readJson, setHeaders, aborted }) {
    // 400, 413, 415
    const request = parseLoginRequest(await readJson(), () => readCodeHeader(incoming))
    const { tokens } = request
    // 400, 401, 403, 429, 503
    const asked = { request, tokens, lifetime: undefined, context, setHeaders, aborted }
    return loggedIn(await logIn(kit, asked))
  }
}

/** The answer to a complete login. */
export function loggedIn(opened: LoggedIn): Answer {
  const { token: authToken, me, rememberToken, refreshToken, expiresIn } = opened
  const refreshable = refreshToken === null ? {} : { refreshToken, expiresIn }
  const remembered = rememberToken === null ? {} : { rememberToken }
  const { userId } = opened.session
  const required = requiredIn(opened.required)
  const data = { userId, authToken, me, ...required, ...refreshable, ...remembered }
  return ok({ status: 'success', data })
}
