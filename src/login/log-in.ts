import type { RequestContext } from '../audit/events.js'
import { AuthError, wrongLogin } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import type { PasswordVerdict } from '../kits/sign-in-kit.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import { goodMarks } from '../sessions/password-watch.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { SignInDecision } from '../sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'
import type { PasswordSlot } from '../throttle/password-limits.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import {
  type LoginKit,
  type LoginProof,
  passwordProof,
  type Requester,
  type SecondStep,
  secondStepProof,
} from './login-proof.js'
import type { LoginRequest } from './login-request.js'

/** The settings of a login, and the request it comes from. */
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
export type LoggedIn = OpenedSession

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
export async function logIn(kit: LoginKit, asked: LogInRequest): Promise<LoggedIn> {
  // 400, 503
  const proof = await passwordProof(kit, asked.request)
  try {
    const attempt = await attemptLogIn(kit, proof, asked)
    if (attempt.due === null) return attempt.loggedIn
    throw attempt.due.error
  } catch (error) {
    // A refusal at any step has the text for a wrong password. Another text would tell that the
    // password was right.
    throw error instanceof AuthError && error.code === 'Unauthorized' ? wrongLogin(error) : error
  }
}

/** The login of {@link logIn} in steps, with its limits, decision and events, in the same order. */
export function logInSteps(kit: LoginKit): LogInSteps {
  async function attempt(proof: LoginProof, asked: AskedLogin): Promise<StepOutcome> {
    const { due, loggedIn } = await attemptLogIn(kit, proof, asked)
    if (due === null) return { outcome: 'logged-in', loggedIn }
    // This is done now, while we have the password: the second step has no password to rehash.
    const { passwordHash } = await proof.rehash(due.user, asked.context)
    const proven = { userId: due.user.id, passwordHash, digests: proof.digests }
    return { outcome: 'factor-due', error: due.error, proven }
  }

  return {
    first: async ({ request, ...asked }) => attempt(await passwordProof(kit, request), asked),
    second: async ({ request, ...asked }) => attempt(secondStepProof(kit, request), asked),
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

async function attemptLogIn(kit: LoginKit, proof: LoginProof, asked: AskedLogin): Promise<Attempt> {
  const { context, setHeaders, tokens, lifetime } = asked
  const { digests: identifier, findUserId } = proof
  // This refusal comes before any lookup, so it is equal for everybody.
  if (!kit.takesPasswords) {
    const failed = { reason: 'vetoed', identifierDigest: identifier.name, userId: null } as const
    kit.audit({ type: 'login.failed', ...failed }, context)
    const clientMessage = 'Passwords are not taken here. Sign in with your other account.'
    throw new AuthError('forbidden', { clientMessage })
  }
  // 429, 503
  const slot = await kit.throttle.takePasswordSlot({ identifier, findUserId }, context)
  setHeaders(slot.headers)

  // 401, 403, 429, 503
  const decision = await decideOrRefund(kit, proof, slot, asked)
  if (!decision.allowed) {
    const { error, userId, user, isGuess } = decision
    // Only a wrong name or password uses the slot up. Any other refusal was not a guess at the
    // password.
    if (proof.mayBeGuess && isGuess) await slot.keep(userId)
    else await slot.refund()
    if (user === null) throw error
    return { due: { user, error }, loggedIn: null }
  }

  const { approved, upstream } = decision
  const session = { approved, tokens, lifetime, upstream }
  const loggedIn = await slot.clear(approved.user.id, {
    factorShown: approved.methods.some(countsAsFactor),
    work: (rememberNetwork) => openSession(kit, session, proof, context, rememberNetwork),
  })
  return { due: null, loggedIn }
}

/** `user` has shown everything but the second factor; `userId` is null if no user has the name. */
type Decision =
  | {
      readonly allowed: true
      readonly approved: ApprovedSignIn
      readonly upstream: string | undefined
    }
  | {
      readonly allowed: false
      readonly error: AuthError
      readonly userId: string | null
      readonly user: AuthUser | null
      readonly isGuess: boolean
    }

async function decideOrRefund(
  kit: LoginKit,
  proof: LoginProof,
  slot: PasswordSlot,
  { setHeaders, context, aborted }: AskedLogin,
): Promise<Decision> {
  try {
    const verdict = await proof.judge(slot.takeAccount, { context, aborted })
    if (!verdict.right) return refuseProof(kit, proof, verdict, context)
    const { user, upstream } = verdict
    const passkey = proof.passkey && { response: proof.passkey, setHeaders }
    const { code, browser } = proof
    const { rememberToken } = browser
    const asked = { user, methods: ['pwd'], code, passkey, rememberToken, context } as const
    const decision = await kit.decideSignIn({ door: 'login', ...asked })
    if (!decision.allowed) return refuseUser(kit, proof, user, decision, context)
    return { ...decision, upstream: upstream ?? undefined }
  } catch (error) {
    await slot.refund()
    throw error
  }
}

function refuseProof(
  { audit }: LoginKit,
  { digests: { name: identifierDigest } }: LoginProof,
  verdict: Extract<PasswordVerdict, { right: false }>,
  context: RequestContext,
): Decision {
  const { reason, userId } = verdict
  audit({ type: 'login.failed', reason, identifierDigest, userId }, context)
  const limit = verdict.reason === 'account-limit' ? verdict.limit : null
  const error = limit ?? new AuthError('Unauthorized')
  return { allowed: false, error, userId, user: null, isGuess: true }
}

function refuseUser(
  { audit }: LoginKit,
  { digests: { name: identifierDigest } }: LoginProof,
  user: AuthUser,
  decision: Extract<SignInDecision, { allowed: false }>,
  context: RequestContext,
): Decision {
  const { reason, error } = decision
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  const isDue = reason === 'second-factor-required' || reason === 'second-factor-invalid'
  const isGuess = error.code === 'Unauthorized'
  return { allowed: false, error, userId: user.id, user: isDue ? user : null, isGuess }
}

async function openSession(
  kit: LoginKit,
  session: SessionRequest,
  proof: LoginProof,
  context: RequestContext,
  rememberNetwork: () => void,
): Promise<LoggedIn> {
  const { approved } = session
  const { user, methods } = approved
  // 401, 503. This is checked last, so that the user can retry the step after a wrong code.
  const claiming = proof.claim()
  if (claiming !== true && !(await claiming)) {
    const reason = 'the second step of a login was used before'
    kit.audit({ type: 'request.refused', reason }, context)
    throw new AuthError('Unauthorized')
  }
  const rehashing = proof.rehash(user, context)
  const rehashed = rehashing instanceof Promise ? await rehashing : rehashing
  const { passwordHash, replacement } = rehashed
  const marks = kit.passwordWatch.marksOf(user, replacement)
  // 503
  const describing = kit.describeMe(user)
  const me = describing instanceof Promise ? await describing : describing
  const requiring = kit.requiredOf(user, methods)
  const required = requiring instanceof Promise ? await requiring : requiring
  const issued = await kit.issueSession({ ...session, marks, makesRoom: false }, context)
  const { id: sessionId } = issued.session
  // 401, 503
  await refuseOutdated(kit, approved, { proof, passwordHash }, issued.session, context)
  // Only now: neither a login refused above nor one that still lacks its second factor makes the
  // network known.
  if (required.length === 0) rememberNetwork()

  kit.audit({ type: 'login.succeeded', userId: user.id, sessionId, methods }, context)
  const rememberToken =
    kit.rememberedBrowsers === undefined
      ? null
      : await kit.rememberedBrowsers.keep(
          { ...approved, passwordHash: replacement ?? passwordHash, sessionId },
          proof.browser.remember,
          context,
        )
  return { ...issued, me, required, rememberToken }
}

/** A right proof, and the stored hash. */
interface VerifiedProof {
  readonly proof: Pick<LoginProof, 'isRightFor'>
  readonly passwordHash: string | null
}

// Checks again that the login would still succeed; otherwise ends the new session and throws 401.
// Checking a password takes a second, or many in a queue. If the user was disabled or the password
// reset meanwhile, all sessions ended except this one, which did not exist yet.
async function refuseOutdated(
  kit: LoginKit,
  approved: ApprovedSignIn,
  verified: VerifiedProof,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  try {
    // Beside each other: none needs what another has read.
    const [user, factorStands] = await Promise.all([
      kit.users.findById(session.userId),
      kit.factorStands(approved),
      kit.sessions.makeRoom(session, context),
    ])
    const hasChanged =
      user === null ||
      user.disabled === true ||
      // Another login may have rehashed the same password just now. The row found by id is checked:
      // a lookup by name may come from a cache.
      (user.passwordHash !== verified.passwordHash &&
        !(await keepUnder(kit, session, user, verified, context)))
    if (!hasChanged && factorStands) return
    await kit.sessions.end(session, hasChanged ? 'revoked' : 'factor-changed', context)
  } catch (error) {
    // The client will try again; otherwise a session would stay whose token nobody has.
    await kit.sessions.end(session, 'revoked', context)
    throw error
  }
  const reason = 'the user, the password or the factor changed during the login'
  kit.audit({ type: 'request.refused', reason }, context)
  throw new AuthError('Unauthorized')
}

// Whether the proof is right for another hash that has been stored; a session that ends with its
// hash then keeps that one, too.
async function keepUnder(
  { sessions, passwordWatch }: LoginKit,
  session: SessionRecord,
  user: AuthUser,
  { proof }: VerifiedProof,
  context: RequestContext,
): Promise<boolean> {
  if (!(await proof.isRightFor(user, context))) return false
  const { passwordMark: from } = session
  const to = passwordWatch.computeMark(user.id, user.passwordHash)
  if (from !== undefined && to !== undefined && !goodMarks(session).includes(to))
    await sessions.addPasswordMark(user.id, from, to)
  return true
}
