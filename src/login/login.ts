import type { AdmittedHasher } from '../admission/admission.js'
import { noRequest } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import { createLocalStrategy } from './local-strategy.js'
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

/** Signing in by a password: `POST /login`. */
export interface Login extends Capability {
  /** The same, for the host's own code. */
  readonly logIn: LogIn
  /** The same, for pages that ask for one thing after the other. */
  readonly logInSteps: LogInSteps
  readonly hashPassword: (plain: string) => Promise<string>
}

/** What {@link createLogin} needs. */
export interface LoginCapabilityDeps extends Omit<LogInDeps, 'authenticateLocally' | 'rehash'> {
  readonly hasher: AdmittedHasher
  readonly clock: () => Date
}

/** Makes the login and what hashes new passwords for it. */
export function createLogin(deps: LoginCapabilityDeps): Login {
  const { users, sessions, passwordWatch, hasher, verifyPassword, audit } = deps
  const replaceHash = createReplaceHash({ users, passwordWatch, sessions })
  const parts: LogInDeps = {
    canonical: deps.canonical,
    digestIdentifier: deps.digestIdentifier,
    noticeSpelling: deps.noticeSpelling,
    throttle: deps.throttle,
    authenticateLocally: createLocalStrategy(users, verifyPassword),
    verifyPassword,
    decideSignIn: deps.decideSignIn,
    factorStands: deps.factorStands,
    rehash: createRehash(hasher, replaceHash, deps.clock, audit),
    mustHaveFactor: deps.mustHaveFactor,
    users,
    sessions,
    passwordWatch,
    issueSession: deps.issueSession,
    describeMe: deps.describeMe,
    audit,
  }
  const logIn = createLogIn(parts)
  return {
    routes: [['/login', { POST: loginEndpoint(logIn) }]],
    close: null,
    logIn,
    logInSteps: createLogInSteps(parts),
    // One source among the networks: registrations neither push logins aside nor are pushed aside
    // by them.
    hashPassword: (plain) => hasher.hash(plain, { source: 'host', context: noRequest, gone: null }),
  }
}
