import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError, wrongLogin } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssuedSession, IssueSession, SessionRequest } from '../sessions/issuing.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { DecideSignIn } from '../sign-in.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'
import type { PasswordSlot } from '../throttle/password-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import {
  type LoginProof,
  type PasswordProofDeps,
  passwordProof,
  type Requester,
  type SecondStep,
  secondStepProof,
} from './login-proof.js'
import type { LoginRequest } from './login-request.js'
import { type RecheckDeps, refuseOutdated } from './recheck-login.js'

export interface LogInDeps extends PasswordProofDeps, RecheckDeps {
  /** False if nobody signs in by password. */
  readonly takesPasswords: boolean
  readonly throttle: Pick<Throttle, 'takePasswordSlot'>
  readonly decideSignIn: DecideSignIn
  /** Whether policy requires a second factor; without one, `mustEnrol` is set. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly users: UserStore
  /** Marks sessions with their password hash, if they must end with it. */
  readonly passwordWatch: Pick<PasswordWatch, 'computeMark' | 'marksOf'>
  readonly issueSession: IssueSession
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly audit: Audit
}

/** What a login asks for, and the request it comes from. */
export interface AskedLogin extends Requester {
  readonly tokens: SessionRequest['tokens']
  /** Undefined: the router's default. */
  readonly lifetime: AskedLifetime | undefined
  /** Receives the `RateLimit-*` headers as soon as they are known. */
  readonly setHeaders: SetHeaders
}

/** A login by password. */
export interface LogInRequest extends AskedLogin {
  readonly request: LoginRequest
}

/** A complete login. */
export interface LoggedIn extends IssuedSession {
  readonly me: Me
  /** The user must have a second factor and has none: the session may only enrol one. */
  readonly mustEnrol: boolean
}

/** Signs in by password. Throws 400, 401, 403, 429 or 503. */
export type LogIn = (asked: LogInRequest) => Promise<LoggedIn>

/** The result of a right password when a second factor is due. */
export interface ProvenPassword {
  readonly userId: string
  /** The stored hash. It must not leave the process: keep a keyed digest of it. */
  readonly passwordHash: string | null
  /** The counter keys of the login. */
  readonly digests: IdentifierDigests
}

/** The outcome of one step. */
export type StepOutcome =
  | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
  /** `error` is the refusal of the one-step login: `totp-required` or `totp-invalid`. */
  | { readonly outcome: 'factor-due'; readonly error: AuthError; readonly proven: ProvenPassword }

/**
 * Signs in by password, then by the second factor alone, so that the password is neither typed
 * again nor kept. Throws 400, 401, 403, 429 or 503.
 */
export interface LogInSteps {
  first(asked: LogInRequest): Promise<StepOutcome>
  second(asked: AskedLogin & { readonly request: SecondStep }): Promise<StepOutcome>
}

/**
 * Signs in by password, and by a second-factor code if the user has one. `POST /login` and
 * `auth.signIn` are this function with different answers.
 */
export function createLogIn(deps: LogInDeps): LogIn {
  return async function logIn({ request, ...asked }) {
    // 400, 503
    const proof = await passwordProof(deps, request)
    const attempt = await attemptLogIn(deps, proof, asked).catch(throwWithOneText)
    if (attempt.due !== null) throw attempt.due.error
    return attempt.loggedIn
  }
}

// By whichever step a login is refused, its text is that of a wrong password: a text of its own
// would tell that the password was right.
function throwWithOneText(error: unknown): never {
  throw error instanceof AuthError && error.code === 'Unauthorized' ? wrongLogin(error) : error
}

/** The same login in steps: the same limits, decision and events, in the same order. */
export function createLogInSteps(deps: LogInDeps): LogInSteps {
  async function attempt(proof: LoginProof, asked: AskedLogin): Promise<StepOutcome> {
    const { due, loggedIn } = await attemptLogIn(deps, proof, asked)
    if (due === null) return { outcome: 'logged-in', loggedIn }
    // Now, while we have the password: the second step has none to rehash.
    const { passwordHash } = await proof.rehash(due.user, asked.context)
    const proven = { userId: due.user.id, passwordHash, digests: proof.digests }
    return { outcome: 'factor-due', error: due.error, proven }
  }

  return {
    first: async ({ request, ...asked }) => attempt(await passwordProof(deps, request), asked),
    second: async ({ request, ...asked }) => attempt(secondStepProof(deps.users, request), asked),
  }
}

/** The outcome of a login: complete, or only the second factor is missing. */
type Attempt =
  | { readonly due: null; readonly loggedIn: LoggedIn }
  | { readonly due: FactorDue; readonly loggedIn: null }

interface FactorDue {
  readonly user: AuthUser
  readonly error: AuthError
}

async function attemptLogIn(
  deps: LogInDeps,
  proof: LoginProof,
  asked: AskedLogin,
): Promise<Attempt> {
  const { context, setHeaders, tokens, lifetime } = asked
  const { digests: identifier, findUserId } = proof
  // Before anything is looked up: the same for everybody.
  if (!deps.takesPasswords) {
    const failed = { reason: 'vetoed', identifierDigest: identifier.name, userId: null } as const
    deps.audit({ type: 'login.failed', ...failed }, context)
    const clientMessage = 'Passwords are not taken here. Sign in with your other account.'
    throw new AuthError('forbidden', { clientMessage })
  }
  // 429, 503
  const slot = await deps.throttle.takePasswordSlot({ identifier, findUserId }, context)
  setHeaders(slot.headers)

  // 401, 403, 429, 503
  const decision = await decide(deps, proof, slot, asked).catch(async (error: unknown) => {
    await slot.refund()
    throw error
  })
  if (!decision.allowed) {
    const { error, userId, user } = decision
    // Only a wrong name or password uses the slot up. Any other refusal was not a guess at the
    // password.
    if (proof.mayBeGuess && error.code === 'Unauthorized') await slot.keep(userId)
    else await slot.refund()
    if (user === null) throw error
    return { due: { user, error }, loggedIn: null }
  }

  const { approved } = decision
  const loggedIn = await slot.clear(approved.user.id, {
    factorShown: approved.methods.some(countsAsFactor),
    work: (rememberNetwork) =>
      openSession(deps, { approved, tokens, lifetime }, proof, context, rememberNetwork),
  })
  return { due: null, loggedIn }
}

/** `user` has shown everything but the second factor; `userId` is null if no user has the name. */
type Decision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | {
      readonly allowed: false
      readonly error: AuthError
      readonly userId: string | null
      readonly user: AuthUser | null
    }

async function decide(
  { decideSignIn, audit }: LogInDeps,
  proof: LoginProof,
  { takeAccount }: PasswordSlot,
  { setHeaders, context, aborted }: AskedLogin,
): Promise<Decision> {
  const { code, digests } = proof
  const passkey = proof.passkey && { response: proof.passkey, setHeaders }
  const identifierDigest = digests.name
  const verdict = await proof.judge(takeAccount, { context, aborted })
  if (!verdict.right) {
    const { reason, userId } = verdict
    audit({ type: 'login.failed', reason, identifierDigest, userId }, context)
    return { allowed: false, error: new AuthError('Unauthorized'), userId, user: null }
  }
  const { user } = verdict
  const asked = { user, methods: ['pwd'], code, passkey, context } as const
  const decision = await decideSignIn({ door: 'login', ...asked })
  if (decision.allowed) return decision
  const { reason, error } = decision
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  const isDue = reason === 'second-factor-required' || reason === 'second-factor-invalid'
  return { allowed: false, error, userId: user.id, user: isDue ? user : null }
}

async function openSession(
  deps: LogInDeps,
  session: SessionRequest,
  proof: LoginProof,
  context: RequestContext,
  rememberNetwork: () => void,
): Promise<LoggedIn> {
  const { approved } = session
  const { user, methods } = approved
  // 401, 503. Checked last, so that the user can retry the step after a wrong code.
  if (!(await proof.claim())) {
    const reason = 'the second step of a login was used before'
    deps.audit({ type: 'request.refused', reason }, context)
    throw new AuthError('Unauthorized')
  }
  const { passwordHash, replacement } = await proof.rehash(user, context)
  const marks = deps.passwordWatch.marksOf(user, replacement)
  // 503
  const me = await deps.describeMe(user)
  const mustEnrol = !methods.some(countsAsFactor) && (await deps.mustHaveFactor(user))
  const issued = await deps.issueSession({ ...session, marks }, context)
  const { id: sessionId } = issued.session
  // 401, 503
  await refuseOutdated(deps, approved, { proof, passwordHash }, issued.session, context)
  // Only now: neither a login refused above nor one that still lacks its second factor makes the
  // network known.
  if (!mustEnrol) rememberNetwork()

  deps.audit({ type: 'login.succeeded', userId: user.id, sessionId, methods }, context)
  return { ...issued, me, mustEnrol }
}
