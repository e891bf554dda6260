import type { RequestContext } from '../audit/events.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { randomId, randomSecret, sha256 } from '../lib/secrets.js'
import { usedCodeRetention } from '../pkce/authorization-code.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthorizationCodeRecord } from '../stores/one-time-contract.js'
import type { IssuedTo } from '../throttle/issue-limits.js'
import type { Acr } from '../two-factor/acr.js'
import type { AuthorizationRequest } from './authorization-request.js'
import { redirectOfCode } from './client-documents/client-document.js'

/** A request for a code. */
export interface OAuthCodeRequest {
  readonly request: AuthorizationRequest
  /** The browser's session; the code ends with it. */
  readonly session: SessionRecord
  readonly approved: ApprovedSignIn
  readonly acr: Acr
  /**
   * Whether a page of another origin has sent the browser here, and the user has pressed nothing.
   */
  readonly isUnasked: boolean
}

/**
 * A stored code of a client. `codeChallenge` is empty if the client need not send one: then no
 * verifier matches it.
 */
export type OAuthCodeRecord = AuthorizationCodeRecord &
  Required<Pick<AuthorizationCodeRecord, 'clientId' | 'redirectUri' | 'resources' | 'acr'>>

// Codes of `/auth/pkce` have another prefix: neither endpoint looks up codes of the other.
const pattern = /^mar_oc_[A-Za-z0-9_-]{43}$/
/** As short as RFC 6749 §4.1.2 and clients allow: a redirect is faster. */
const lifetimeSeconds = 60

/**
 * Issues a code of the authorization endpoint, `mar_oc_…`, valid once and for 60 seconds. Only its
 * SHA-256 is stored. Rejects with 429 and 503.
 */
export async function issueOAuthCode(
  kit: SignInKit,
  { request, session, approved, acr, isUnasked }: OAuthCodeRequest,
  context: RequestContext,
): Promise<string> {
  const issuedTo = { userId: session.userId, sessionId: session.id }
  const unasked = request.prompt.includes('none') ? 'silent' : 'shown'
  const counted: IssuedTo = { ...issuedTo, clientId: request.client.id }
  // 429, 503
  await kit.takeIssue('code', isUnasked ? { ...counted, unasked } : counted, context)
  const code = `mar_oc_${randomSecret()}`
  const now = kit.clock()
  await kit.codeStore.save({
    codeHash: sha256(code),
    userId: session.userId,
    issuedBySessionId: session.id,
    opensSessionId: randomId(),
    codeChallenge: request.codeChallenge ?? '',
    scope: request.scopes.join(' '),
    methods: approved.methods,
    authenticatedAt: session.authenticatedAt,
    createdAt: now,
    expiresAt: after(now, lifetimeSeconds),
    retainUntil: after(now, usedCodeRetention),
    consumedAt: null,
    clientId: request.client.id,
    redirectUri: redirectOfCode(request.client, request.redirectUri),
    ...(request.nonce === null ? {} : { nonce: request.nonce }),
    resources: request.resources,
    acr,
  })
  kit.audit({ type: 'code.issued', ...issuedTo }, context)
  return code
}

/**
 * The record of a code, used or not; null for a code that was never issued to a client or has
 * expired unused. Rejects with 503.
 */
export async function findOAuthCode(
  { codeStore, clock }: SignInKit,
  presented: string,
): Promise<OAuthCodeRecord | null> {
  const code = pattern.test(presented) ? await codeStore.find(sha256(presented)) : null
  if (code === null || !isOfClient(code)) return null
  return code.consumedAt === null && clock() >= code.expiresAt ? null : code
}

function isOfClient(code: AuthorizationCodeRecord): code is OAuthCodeRecord {
  const { clientId, redirectUri, resources, acr } = code
  return [clientId, redirectUri, resources, acr].every((member) => member !== undefined)
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
