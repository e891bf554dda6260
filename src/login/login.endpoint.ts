import { AuthError } from '../errors.js'
import type { Audit, RequestContext } from '../events.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { randomId } from '../lib/random.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { LoginSlot } from '../throttle/login-slots.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { hasShownFactor } from '../two-factor/second-factor.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import type { DigestIdentifier } from './identifier.js'
import type { AuthenticateLocally } from './local-strategy.js'
import { type LoginRequest, parseLoginRequest } from './login-request.js'
import type { Rehash } from './rehash.js'

/** What `POST /login` needs. */
export interface LoginDeps {
  /** The identifier as it is looked up. */
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  /** A keyed digest of an identifier, for counters and events: an unknown identifier is often a mistyped password. */
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Throttle
  readonly authenticateLocally: AuthenticateLocally
  readonly decideSignIn: DecideSignIn
  /** Whether the second factor is still the one that the decision knew. */
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly rehash: Rehash
  /** Whether a user must have a second factor; one who has none is told so. */
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Sessions
  readonly accessTokens: AccessTokens
  /** Seconds. */
  readonly sessionAbsolute: number
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly clock: () => Date
  readonly audit: Audit
}

/** `POST /login`, wire §1: a password, and a second-factor code where the user has one, for a session of its own. */
export function loginEndpoint(deps: LoginDeps): Endpoint {
  return async ({ incoming, context, readJson, setHeaders, hungUp }) => {
    const request = parseLoginRequest(await readJson(), incoming) //                  400, 413, 415
    const identifier = await deps.canonical(request.identifier) //                         503
    const digests = deps.digestIdentifier(identifier)
    const slot = await deps.throttle.takeLoginSlot(digests, context) //                429, 503
    setHeaders(slot.headers)

    const approved = await judge(deps, { ...request, identifier }, digests.name, slot, { context, hungUp, setHeaders }) // 401, 403, 429, 503
    const passwordHash = await deps.rehash(approved.user, request.password, context)
    const me = await deps.describeMe(approved.user)
    const mustEnrol = !hasShownFactor(approved.methods) && (await deps.mustHaveFactor(approved.user)) // 503
    const { sessionId, token } = await openSession(deps, approved, context) //        503
    await refuseOutdated(deps, approved, { ...request, identifier, passwordHash }, sessionId, context) // 401, 503

    const { id: userId } = approved.user
    deps.audit({ type: 'login.succeeded', userId, sessionId, methods: approved.methods }, context)
    const enrolment = mustEnrol ? { enrolmentRequired: true } : {}
    return ok({ status: 'success', data: { userId, authToken: token, me, ...enrolment } })
  }
}

type Requester = Pick<EndpointRequest, 'context' | 'hungUp' | 'setHeaders'>

/** What was judged, and the hash that is stored since. */
type Judged = Pick<LoginRequest, 'identifier' | 'password'> & { readonly passwordHash: string | null }

/** What became of an attempt, and whose account it was for; null for nobody's. */
type Decision =
  | { readonly allowed: true; readonly approved: ApprovedSignIn }
  | { readonly allowed: false; readonly error: AuthError; readonly userId: string | null }

async function judge(
  deps: LoginDeps,
  request: LoginRequest,
  identifierDigest: string,
  slot: LoginSlot,
  from: Requester,
): Promise<ApprovedSignIn> {
  const decision = await decide(deps, request, identifierDigest, from).catch(async (error: unknown) => {
    await slot.refund()
    throw error
  })
  if (decision.allowed) {
    await slot.clear(decision.approved.user.id)
    return decision.approved
  }
  // A slot stays used up only by a wrong name or password. Whatever else went wrong was not a guess at the password.
  if (decision.error.code === 'Unauthorized') from.setHeaders(await slot.keep(decision.userId))
  else await slot.refund()
  throw decision.error
}

async function decide(
  { authenticateLocally, decideSignIn, audit }: LoginDeps,
  { identifier, password, code }: LoginRequest,
  identifierDigest: string,
  { context, hungUp }: Requester,
): Promise<Decision> {
  // A client that does not wait for its turn costs no hash: nothing has happened yet that it would have to be told of.
  const verdict = await authenticateLocally(identifier, password, context, hungUp())
  if (!verdict.right) {
    const { reason, userId } = verdict
    audit({ type: 'login.failed', reason, identifierDigest, userId }, context)
    return { allowed: false, error: new AuthError('Unauthorized'), userId }
  }
  const { user } = verdict
  const decision = await decideSignIn({ door: 'login', user, methods: ['pwd'], code, context })
  if (decision.allowed) return decision
  audit({ type: 'login.failed', reason: decision.reason, identifierDigest, userId: user.id }, context)
  return { allowed: false, error: decision.error, userId: user.id }
}

// A password is judged for a second, or for many behind a queue. A user who was disabled meanwhile, or whose password was reset, has had
// all sessions ended but this one, which was not there yet.
async function refuseOutdated(
  deps: LoginDeps,
  approved: ApprovedSignIn,
  judged: Judged,
  sessionId: string,
  context: RequestContext,
): Promise<void> {
  const end = (reason: 'revoked' | 'factor-changed') =>
    deps.sessions.end({ id: sessionId, userId: approved.user.id }, reason, context)
  const changed = await whatChanged(deps, approved, judged, context).catch(async (error: unknown) => {
    // The client is told to try again, and will: a session that nobody has the token of would take a place among the user's sessions.
    await end('revoked')
    throw error
  })
  if (changed === null) return
  await end(changed)
  deps.audit({ type: 'request.refused', reason: 'the user, the password or the factor changed during the login' }, context)
  throw new AuthError('Unauthorized')
}

async function whatChanged(deps: LoginDeps, approved: ApprovedSignIn, judged: Judged, context: RequestContext) {
  if (!(await isStillRight(deps, approved.user.id, judged, context))) return 'revoked'
  return (await deps.factorStands(approved)) ? null : 'factor-changed'
}

async function isStillRight(
  { users, authenticateLocally }: LoginDeps,
  userId: string,
  { identifier, password, passwordHash }: Judged,
  context: RequestContext,
): Promise<boolean> {
  const user = await users.findById(userId)
  if (user !== null && user.disabled !== true && user.passwordHash === passwordHash) return true
  // Another hash may be the same password, brought up to a dearer setting just now by another login.
  const again = await authenticateLocally(identifier, password, context)
  return again.right && again.user.id === userId && again.user.disabled !== true
}

// Signed before it is stored: a signer that fails leaves no session behind, and a token without a session opens nothing.
async function openSession(deps: LoginDeps, approved: ApprovedSignIn, context: RequestContext) {
  const now = deps.clock()
  const session = deps.sessions.draft(
    { id: randomId(), approved, kind: 'login', scope: '*', authenticatedAt: now, refresh: null },
    context,
  )
  const { token } = await deps.accessTokens.issue(session, deps.sessionAbsolute, now)
  await deps.sessions.start(session, context)
  return { sessionId: session.id, token }
}
