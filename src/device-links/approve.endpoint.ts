import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { sha256 } from '../lib/digest.js'
import { randomId, randomSecret } from '../lib/random.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { RequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import { type Proof, type ProveAgain, proofRequest } from '../sign-in-again.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../stores/device-code-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import { approverOf, linkRefusal } from './approver.js'
import type { LinkSecrets } from './link-secrets.js'

/** The id of a link: a digest. */
export const linkIdSchema: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'Invalid input: expected 43 base64url characters')

/** The body of `POST /auth/device-links/approve`. */
export const approveRequest: z.ZodObject<
  { linkId: z.ZodString; checkCode: z.ZodString } & typeof proofRequest.shape
> = z.object({
  linkId: linkIdSchema,
  checkCode: z.string().regex(/^\d{4}$/, 'Invalid input: expected four digits'),
  ...proofRequest.shape,
})

export interface ApproveDeps {
  readonly signedIn: SignedIn
  readonly requireRecentSignIn: RequireRecentSignIn
  readonly proveAgain: ProveAgain
  /** Whether the user has something to show besides a password. */
  readonly hasMoreToShow: (user: AuthUser) => Promise<boolean>
  readonly decideSignIn: DecideSignIn
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly codeStore: Pick<AuthorizationCodeStore, 'save'>
  readonly deviceCodes: Pick<DeviceCodeStore, 'find' | 'takeTry' | 'decide'>
  readonly linkSecrets: Pick<LinkSecrets, 'isCheckCode'>
  readonly takeIssue: TakeIssue
  readonly throttle: Pick<Throttle, 'limitFailures'>
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * How long the code of an approval is remembered after its use, so that a replay is recognised.
 */
const retentionMs = 60 * 60 * 1000

/**
 * `POST /auth/device-links/approve`: the user who has opened a link types what the new device
 * shows. A picture alone signs nobody in: it may come from a stranger.
 */
export function approveEndpoint(deps: ApproveDeps): Endpoint {
  const { deviceCodes, throttle, clock, audit } = deps
  return throttle.limitFailures('device-link', async function approveLink(request) {
    const { context } = request
    // 400, 401, 403, 503
    const asking = await approverOf(deps.signedIn, request)
    const { userId, id: sessionId } = asking.session
    // 400, 413, 415
    const { linkId, checkCode, ...proof } = parseInput(approveRequest, await request.readJson())
    // 400, 503. Before the proof: a code works once, and must not be spent on a link that is void.
    const waiting = await deviceCodes.find(linkId)
    if (!mayBeApproved(waiting, userId, clock())) throw refusal(deps, 'unknown', asking, context)
    // 401, 403, 429, 503
    const proved = await requireProof(deps, asking, proof, request)
    // 400, 503
    const link = await requireCheckCode(deps, asking, { linkId, checkCode }, context)
    // 401, 403, 429, 503
    const opens = await approve(deps, asking, { link, proved }, context)
    audit({ type: 'device-link.approved', userId, sessionId, opensSessionId: opens }, context)
    return ok({ status: 'success' })
  })
}

// Only explains: what follows decides by conditional writes.
function mayBeApproved(link: DeviceCodeRecord | null, userId: string, now: Date): boolean {
  if (link === null || link.purpose !== 'link' || link.userId !== userId) return false
  return link.state === 'pending' && link.triesLeft > 0 && now < link.expiresAt
}

// A stolen session must not become a session on another device: a user with a factor or a passkey
// shows it again.
async function requireProof(
  deps: ApproveDeps,
  asking: SignedInRequest,
  proof: Proof,
  request: EndpointRequest,
): Promise<ApprovedSignIn | null> {
  const proved = await deps.proveAgain(asking, proof, request)
  if (proved !== null) return proved
  await deps.requireRecentSignIn(asking.session)
  if (!(await deps.hasMoreToShow(asking.user))) return null
  throw new AuthError('reauthentication-required')
}

async function requireCheckCode(
  deps: ApproveDeps,
  asking: SignedInRequest,
  { linkId, checkCode }: { readonly linkId: string; readonly checkCode: string },
  context: RequestContext,
): Promise<DeviceCodeRecord> {
  const { deviceCodes, linkSecrets, clock } = deps
  const { userId } = asking.session
  const tried = await deviceCodes.takeTry(linkId, userId, clock())
  if (tried.outcome === 'void') throw refusal(deps, 'void', asking, context)
  const { code } = tried
  if (linkSecrets.isCheckCode(code, checkCode)) return code
  const { triesLeft } = code
  // The new device need not wait for what cannot come any more.
  if (triesLeft === 0) await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
  throw linkRefusal(deps, 'wrong-check-code', userId, context, { triesLeft })
}

/** Stores the code that opens the session; returns the id that the session will have. */
async function approve(
  deps: ApproveDeps,
  asking: SignedInRequest,
  { link, proved }: { readonly link: DeviceCodeRecord; readonly proved: ApprovedSignIn | null },
  context: RequestContext,
): Promise<string> {
  const { session } = asking
  const { userId, id: sessionId } = session
  // Read again: the guard's rows may be some seconds old.
  await deps.sessions.requireLive(session)
  const { methods } = await decide(deps, asking, proved?.methods ?? session.methods, context)
  await deps.takeIssue('code', { userId, sessionId }, context)
  const now = deps.clock()
  // Nobody is told it: only its hash is ever used, by the link.
  const codeHash = sha256(randomSecret())
  const opensSessionId = randomId()
  await deps.codeStore.save({
    codeHash,
    userId,
    issuedBySessionId: sessionId,
    opensSessionId,
    codeChallenge: link.deviceCodeHash,
    scope: link.scope,
    methods,
    authenticatedAt: proved === null ? session.authenticatedAt : now,
    createdAt: now,
    expiresAt: link.expiresAt,
    retainUntil: new Date(link.expiresAt.getTime() + retentionMs),
    consumedAt: null,
  })
  const verdict = { state: 'approved', authorizationCodeHash: codeHash } as const
  const { outcome } = await deps.deviceCodes.decide(link.userCodeHash, userId, verdict, now)
  if (outcome === 'unknown') throw refusal(deps, 'void', asking, context)
  return opensSessionId
}

async function decide(
  { decideSignIn, users, audit }: ApproveDeps,
  { session }: SignedInRequest,
  methods: SessionRecord['methods'],
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const { userId } = session
  const user = await users.findById(userId)
  const asked = { door: 'device-link', user, methods, code: undefined, context } as const
  const decision = await decideSignIn(asked)
  if (decision.allowed) return decision.approved
  audit({ type: 'device-link.refused', reason: decision.reason, userId }, context)
  throw decision.error
}

function refusal(
  deps: ApproveDeps,
  reason: 'unknown' | 'void',
  { session }: SignedInRequest,
  context: RequestContext,
): AuthError {
  return linkRefusal(deps, reason, session.userId, context)
}
