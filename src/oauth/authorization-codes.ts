import type { Audit, RequestContext } from '../audit/events.js'
import { sha256 } from '../lib/digest.js'
import { randomId, randomSecret } from '../lib/random.js'
import { usedCodeRetention } from '../pkce/authorization-code.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
} from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { IssuedTo, TakeIssue } from '../throttle/issue-limits.js'
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

/** One-time codes of the authorization endpoint. */
export interface OAuthCodes {
  /** Issues a code, `mar_oc_…`, valid once and for 60 seconds. Rejects with 429 and 503. */
  issue(asked: OAuthCodeRequest, context: RequestContext): Promise<string>
  /**
   * The record of a code, used or not; null for a code that was never issued to a client or has
   * expired unused.
   */
  find(code: string): Promise<OAuthCodeRecord | null>
  /** Uses a code up without opening a session. */
  burn(code: AuthorizationCodeRecord): Promise<ConsumeResult>
}

export interface OAuthCodesDeps {
  readonly codeStore: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly takeIssue: TakeIssue
  readonly clock: () => Date
  readonly audit: Audit
}

// Codes of `/auth/pkce` have another prefix: neither endpoint looks up the other's.
const pattern = /^mar_oc_[A-Za-z0-9_-]{43}$/
/** As short as RFC 6749 §4.1.2 and clients allow: a redirect is faster. */
const lifetimeSeconds = 60

/** Issues and finds codes. Only their SHA-256 is stored. */
export function createOAuthCodes(deps: OAuthCodesDeps): OAuthCodes {
  const { codeStore, takeIssue, clock, audit } = deps
  return {
    async issue({ request, session, approved, acr, isUnasked }, context) {
      const issuedTo = { userId: session.userId, sessionId: session.id }
      const unasked = request.prompt.includes('none') ? 'silent' : 'shown'
      const counted: IssuedTo = { ...issuedTo, clientId: request.client.id }
      // 429, 503
      await takeIssue('code', isUnasked ? { ...counted, unasked } : counted, context)
      const code = `mar_oc_${randomSecret()}`
      const now = clock()
      await codeStore.save({
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
      audit({ type: 'code.issued', ...issuedTo }, context)
      return code
    },

    async find(presented) {
      const code = pattern.test(presented) ? await codeStore.find(sha256(presented)) : null
      if (code === null || !isOfClient(code)) return null
      return code.consumedAt === null && clock() >= code.expiresAt ? null : code
    },

    burn: (code) => codeStore.consume(code.codeHash, clock()),
  }
}

function isOfClient(code: AuthorizationCodeRecord): code is OAuthCodeRecord {
  const { clientId, redirectUri, resources, acr } = code
  return [clientId, redirectUri, resources, acr].every((member) => member !== undefined)
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
