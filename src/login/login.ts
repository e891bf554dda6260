import type { AdmittedHasher } from '../admission/admission.js'
import { noRequest } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import { lazily } from '../lib/lazily.js'
import type { AuthenticateLocally, LocalStrategyDeps } from './local-strategy.js'
import {
  createLogIn,
  createLogInSteps,
  type LogIn,
  type LogInDeps,
  type LogInSteps,
} from './log-in.js'
import { loginEndpoint } from './login.endpoint.js'
import { createRehash } from './rehash.js'
import { createReplaceHash } from './replace-hash.js'

/** Signing in by password: `POST /login`. */
export interface Login extends Capability {
  /** For the host's own code. */
  readonly logIn: LogIn
  /** For pages, which ask for one thing after the other. */
  readonly logInSteps: LogInSteps
  readonly hashPassword: (plain: string) => Promise<string>
}

export interface LoginCapabilityDeps
  extends Omit<LogInDeps, 'authenticateLocally' | 'rehash'>,
    Pick<LocalStrategyDeps, 'mayUsePassword'> {
  readonly hasher: AdmittedHasher
  readonly clock: () => Date
}

/** A short script that ends sooner does not load passport. */
const loadAfterMs = 100

export function createLogin(deps: LoginCapabilityDeps): Login {
  const { hasher } = deps
  const rehash = createRehash(hasher, createReplaceHash(deps), deps.clock, deps.audit)
  const strategy = lazily(async () => {
    const { createLocalStrategy } = await import('./local-strategy.js')
    return createLocalStrategy(deps)
  })
  // After the start, which does not wait for passport, but before most first logins.
  setTimeout(() => strategy().catch(() => {}), loadAfterMs).unref()
  const authenticateLocally: AuthenticateLocally = async (attempt) => (await strategy())(attempt)
  const parts: LogInDeps = { ...deps, authenticateLocally, rehash }
  const logIn = createLogIn(parts)
  return {
    routes: [['/login', { POST: loginEndpoint(logIn) }]],
    logIn,
    logInSteps: createLogInSteps(parts),
    // One source in the queue, like a network: registrations neither delay logins nor are delayed
    // by them.
    hashPassword: (plain) => hasher.hash(plain, { source: 'host', context: noRequest }),
  }
}
