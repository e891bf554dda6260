import { noRequest } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { lazily } from '../lib/async.js'
import type { AuthenticateLocally } from './local-strategy.js'
import { type LogIn, type LogInSteps, logIn, logInSteps } from './log-in.js'
import { loginEndpoint } from './login.endpoint.js'
import { createRehash } from './rehash.js'

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
  const strategy = lazily(async () => {
    const { createLocalStrategy } = await import('./local-strategy.js')
    return createLocalStrategy(given)
  })
  // After the start, which does not wait for passport, but before most first logins.
  setTimeout(() => strategy().catch(() => {}), loadAfterMs).unref()
  const authenticateLocally: AuthenticateLocally = async (attempt) => (await strategy())(attempt)
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
