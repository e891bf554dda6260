import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest, SetHeaders } from '../http/endpoint.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssuedSession, IssueSession, SessionRequest } from '../sessions/issuing.js'
import { goodMarks, type PasswordWatch } from '../sessions/password-watch.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import type { PasswordSlot } from '../throttle/password-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import { hasShownFactor } from '../two-factor/second-factor.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import type { DigestIdentifier } from './identifier.js'
import type { AuthenticateLocally } from './local-strategy.js'
import type { LoginRequest } from './login-request.js'
import type { Rehash } from './rehash.js'
import type { NoticeSpelling } from './spelling-watch.js'
import type { VerifyPassword } from './verify-password.js'

/** What {@link createLogIn} needs. */
export interface LogInDeps {
  /** The identifier as it is looked up. */
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  /**
   * A keyed digest of an identifier, for counters and events: an unknown identifier is often a
   * mistyped password.
   */
  readonly digestIdentifier: DigestIdentifier
  readonly noticeSpelling: NoticeSpelling
  readonly throttle: Pick<Throttle, 'takePasswordSlot'>
  readonly authenticateLocally: AuthenticateLocally
  readonly verifyPassword: VerifyPassword
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly rehash: Rehash
  /** Whether a user must have a second factor; one who has none is told so. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly users: UserStore
  readonly sessions: Pick<Sessions, 'end' | 'addPasswordMark'>
  /** Whether sessions end with the hash they were opened by. */
  readonly passwordWatch: Pick<PasswordWatch, 'markOf' | 'marksOf'>
  readonly issueSession: IssueSession
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly audit: Audit
}

/** A login, and what it is to get. */
export interface LogInRequest extends Requester {
  readonly request: LoginRequest
  readonly tokens: SessionRequest['tokens']
  /** Undefined: the router's own. */
  readonly lifetime: AskedLifetime | undefined
  /** Takes what the limits say, as soon as it is known. */
  readonly setHeaders: SetHeaders
}

/** A login that is complete. */
export interface LoggedIn extends IssuedSession {
  readonly me: Me
  /** The user must have a second factor and has none: the session may set it up, and no more. */
  readonly mustEnrol: boolean
}

/** Signs in by a password. Throws 400, 401, 403, 429 or 503. */
export type LogIn = (asked: LogInRequest) => Promise<LoggedIn>

/**
 * Makes the login: a password, and a second-factor code where the user has one, for a session of
 * its own. `POST /login` and `auth.signIn` are this function with different answers.
 */
export function createLogIn(deps: LogInDeps): LogIn {
  return async function logIn({ request, context, hungUp, setHeaders, ...wanted }) {
    // 400, 503
    const identifier = await deps.canonical(request.identifier)
    const digests = deps.digestIdentifier(identifier)
    const findUserId = async () => (await deps.users.findByIdentifier(identifier))?.id ?? null
    // 429, 503
    const slot = await deps.throttle.takePasswordSlot({ identifier: digests, findUserId }, context)
    setHeaders(slot.headers)

    const asked = { ...request, typed: request.identifier, identifier }
    // 401, 403, 429, 503
    const approved = await admit(deps, asked, digests.name, slot, { context, hungUp })
    return slot.clear(approved.user.id, {
      factorShown: hasShownFactor(approved.methods),
      work: (rememberNetwork) =>
        signIn(deps, { approved, ...wanted }, request, context, rememberNetwork),
    })
  }
}

async function signIn(
  deps: LogInDeps,
  session: SessionRequest,
  request: LoginRequest,
  context: RequestContext,
  rememberNetwork: () => void,
): Promise<LoggedIn> {
  const { approved } = session
  const { passwordHash, replacement } = await deps.rehash(approved.user, request.password, context)
  const marks = deps.passwordWatch.marksOf(approved.user, replacement)
  const me = await deps.describeMe(approved.user)
  // 503
  const mustEnrol = !hasShownFactor(approved.methods) && (await deps.mustHaveFactor(approved.user))
  // 503
  const issued = await deps.issueSession({ ...session, marks }, context)
  const { id: sessionId } = issued.session
  // 401, 503
  await refuseOutdated(deps, approved, { ...request, passwordHash }, issued.session, context)
  // Only now: a login refused above makes no network known, nor does one that has yet to show a
  // second factor.
  if (!mustEnrol) rememberNetwork()

  const { id: userId } = approved.user
  deps.audit({ type: 'login.succeeded', userId, sessionId, methods: approved.methods }, context)
  return { ...issued, me, mustEnrol }
}

type Requester = Pick<EndpointRequest, 'context' | 'hungUp'>

/** A login whose `identifier` is as it is looked up. */
interface CanonicalRequest extends LoginRequest {
  readonly typed: LoginIdentifier
}

/** The password that was right, and the hash that is stored now. */
type VerifiedPassword = Pick<LoginRequest, 'password'> & { readonly passwordHash: string | null }

/** `userId` is null where no user has the name. */
type Decision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly error: AuthError; readonly userId: string | null }

// Decides, and settles the slot of an attempt that is refused.
async function admit(
  deps: LogInDeps,
  request: CanonicalRequest,
  identifierDigest: string,
  slot: PasswordSlot,
  from: Requester,
): Promise<ApprovedSignIn> {
  const decision = await decide(deps, request, identifierDigest, slot, from).catch(
    async (error: unknown) => {
      await slot.refund()
      throw error
    },
  )
  if (decision.allowed) return decision.approved
  // A slot stays used up only by a wrong name or password. Whatever else went wrong was not a guess
  // at the password.
  if (decision.error.code === 'Unauthorized') await slot.keep(decision.userId)
  else await slot.refund()
  throw decision.error
}

async function decide(
  { authenticateLocally, decideSignIn, noticeSpelling, audit }: LogInDeps,
  { typed, identifier, password, code }: CanonicalRequest,
  identifierDigest: string,
  { takeAccount }: PasswordSlot,
  { context, hungUp }: Requester,
): Promise<Decision> {
  // A client that hangs up before its turn costs no hash.
  const gone = hungUp()
  const verdict = await authenticateLocally(identifier, password, context, gone, takeAccount)
  if (!verdict.right) {
    const { reason, userId } = verdict
    if (userId === null) noticeSpelling(typed, identifier, gone)
    audit({ type: 'login.failed', reason, identifierDigest, userId }, context)
    return { allowed: false, error: new AuthError('Unauthorized'), userId }
  }
  const { user } = verdict
  const decision = await decideSignIn({ door: 'login', user, methods: ['pwd'], code, context })
  if (decision.allowed) return decision
  audit(
    { type: 'login.failed', reason: decision.reason, identifierDigest, userId: user.id },
    context,
  )
  return { allowed: false, error: decision.error, userId: user.id }
}

// Checking a password takes a second, or many behind a queue. If the user was disabled meanwhile or
// the password reset, all sessions were ended but this one, which did not exist yet.
async function refuseOutdated(
  deps: LogInDeps,
  approved: ApprovedSignIn,
  verified: VerifiedPassword,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') => deps.sessions.end(session, reason, context)
  const changed = await whatChanged(deps, approved, verified, session, context).catch(
    async (error: unknown) => {
      // The client will try again; without this a session whose token nobody has would stay.
      await end('revoked')
      throw error
    },
  )
  if (changed === null) return
  await end(changed)
  deps.audit(
    {
      type: 'request.refused',
      reason: 'the user, the password or the factor changed during the login',
    },
    context,
  )
  throw new AuthError('Unauthorized')
}

async function whatChanged(
  deps: LogInDeps,
  approved: ApprovedSignIn,
  verified: VerifiedPassword,
  session: SessionRecord,
  context: RequestContext,
) {
  if (!(await isStillRight(deps, session, verified, context))) return 'revoked'
  return (await deps.factorStands(approved)) ? null : 'factor-changed'
}

async function isStillRight(
  deps: LogInDeps,
  session: SessionRecord,
  { password, passwordHash }: VerifiedPassword,
  context: RequestContext,
): Promise<boolean> {
  const user = await deps.users.findById(session.userId)
  if (user === null || user.disabled === true) return false
  if (user.passwordHash === passwordHash) return true
  // Another login may have rehashed the same password just now. The row found by id is checked: the
  // look-up by name may come from a cache.
  if (!(await deps.verifyPassword(user, password, context)).right) return false
  await keepUnder(deps, session, user)
  return true
}

// A session that ends with its hash, where another of the same password is stored by now.
async function keepUnder(
  { sessions, passwordWatch }: LogInDeps,
  session: SessionRecord,
  user: AuthUser,
): Promise<void> {
  const { passwordMark: from } = session
  const to = passwordWatch.markOf(user.id, user.passwordHash)
  if (from === undefined || to === undefined || goodMarks(session).includes(to)) return
  await sessions.addPasswordMark(user.id, from, to)
}
