import type { Audit, RequestContext } from '../audit/events.js'
import { sha256 } from '../lib/digest.js'
import { randomId, randomSecret } from '../lib/random.js'
import { usedCodeRetention } from '../pkce/authorization-code.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { DeviceCodeRecord, DeviceCodeStore } from '../stores/device-code-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { UserStore } from '../users/contract.js'
import { linkRefusal } from './approver.js'
import type { LinkSecrets } from './link-secrets.js'

/** What the user has typed. */
export interface TypedCheckCode {
  readonly linkId: string
  readonly checkCode: string
}

/** How the user who has opened a link decides, by endpoint or by page. */
export interface LinkDecisions {
  /**
   * The link, if this user may decide about it; null otherwise. Changes nothing. Rejects with 503.
   */
  look(session: SessionRecord, linkId: string): Promise<DeviceCodeRecord | null>
  /**
   * The link whose device shows this code. Costs a try. Rejects with 400 `proof-refused` and 503.
   */
  requireCheckCode(
    session: SessionRecord,
    typed: TypedCheckCode,
    context: RequestContext,
  ): Promise<DeviceCodeRecord>
  /**
   * Signs the device in. `proved`: what the user has shown for it; null where the sign-in was
   * enough. Rejects with 400 `proof-refused`, 401, 403, 429 and 503.
   */
  approve(
    session: SessionRecord,
    link: DeviceCodeRecord,
    proved: ApprovedSignIn | null,
    context: RequestContext,
  ): Promise<void>
  /** Rejects with 400 `proof-refused` and 503. */
  deny(session: SessionRecord, linkId: string, context: RequestContext): Promise<void>
}

export interface LinkDecisionDeps {
  readonly decideSignIn: DecideSignIn
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly codeStore: Pick<AuthorizationCodeStore, 'save'>
  readonly deviceCodes: Pick<DeviceCodeStore, 'find' | 'takeTry' | 'decide'>
  readonly linkSecrets: Pick<LinkSecrets, 'isCheckCode'>
  readonly takeIssue: TakeIssue
  readonly clock: () => Date
  readonly audit: Audit
}

export function createLinkDecisions(deps: LinkDecisionDeps): LinkDecisions {
  const { deviceCodes, clock, audit } = deps
  return {
    async look({ userId }, linkId) {
      const link = await deviceCodes.find(linkId)
      return link !== null && mayBeApproved(link, userId, clock()) ? link : null
    },

    requireCheckCode: ({ userId }, typed, context) =>
      requireCheckCode(deps, userId, typed, context),

    async approve(session, link, proved, context) {
      const { userId, id: sessionId } = session
      const opensSessionId = await approve(deps, session, { link, proved }, context)
      audit({ type: 'device-link.approved', userId, sessionId, opensSessionId }, context)
    },

    async deny({ userId, id: sessionId }, linkId, context) {
      const { outcome } = await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
      if (outcome === 'decided') audit({ type: 'device-link.denied', userId, sessionId }, context)
      else if (!isDeniedBy(userId, await deviceCodes.find(linkId)))
        throw linkRefusal(deps, 'unknown', userId, context)
    },
  }
}

// Only explains: what follows decides by conditional writes.
function mayBeApproved(link: DeviceCodeRecord, userId: string, now: Date): boolean {
  if (link.purpose !== 'link' || link.userId !== userId) return false
  return link.state === 'pending' && link.triesLeft > 0 && now < link.expiresAt
}

// Whoever lost the answer says no again.
function isDeniedBy(userId: string, link: DeviceCodeRecord | null): boolean {
  return link?.purpose === 'link' && link.userId === userId && link.state === 'denied'
}

async function requireCheckCode(
  deps: LinkDecisionDeps,
  userId: string,
  { linkId, checkCode }: TypedCheckCode,
  context: RequestContext,
): Promise<DeviceCodeRecord> {
  const { deviceCodes, linkSecrets, clock } = deps
  const tried = await deviceCodes.takeTry(linkId, userId, clock())
  if (tried.outcome === 'void' || tried.code.purpose !== 'link')
    throw linkRefusal(deps, 'void', userId, context)
  const { code } = tried
  if (linkSecrets.isCheckCode(code, checkCode)) return code
  const { triesLeft } = code
  // The new device need not wait for what cannot come any more.
  if (triesLeft === 0) await deviceCodes.decide(linkId, userId, { state: 'denied' }, clock())
  throw linkRefusal(deps, 'wrong-check-code', userId, context, { triesLeft })
}

/** Stores the code that opens the session; returns the id that the session will have. */
async function approve(
  deps: LinkDecisionDeps,
  session: SessionRecord,
  { link, proved }: { readonly link: DeviceCodeRecord; readonly proved: ApprovedSignIn | null },
  context: RequestContext,
): Promise<string> {
  const { userId, id: sessionId } = session
  // Read again: the guard's rows may be some seconds old.
  await deps.sessions.requireLive(session)
  const { methods } = await decide(deps, session, proved?.methods ?? session.methods, context)
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
    retainUntil: new Date(link.expiresAt.getTime() + usedCodeRetention * 1000),
    consumedAt: null,
  })
  const verdict = { state: 'approved', authorizationCodeHash: codeHash } as const
  const { outcome } = await deps.deviceCodes.decide(link.userCodeHash, userId, verdict, now)
  if (outcome === 'unknown') throw linkRefusal(deps, 'void', userId, context)
  return opensSessionId
}

async function decide(
  { decideSignIn, users, audit }: LinkDecisionDeps,
  { userId }: SessionRecord,
  methods: SessionRecord['methods'],
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const user = await users.findById(userId)
  const asked = { door: 'device-link', user, methods, code: undefined, context } as const
  const decision = await decideSignIn(asked)
  if (decision.allowed) return decision.approved
  audit({ type: 'device-link.refused', reason: decision.reason, userId }, context)
  throw decision.error
}
