import type { Audit, RequestContext } from '../audit/events.js'
import { sha256 } from '../lib/digest.js'
import { randomId, randomSecret } from '../lib/random.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
  ConsumeResult,
} from '../stores/code-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'

/** What an authorization code is issued for. */
export interface CodeRequest {
  readonly approved: ApprovedSignIn
  readonly codeChallenge: string
  readonly scope: string
  readonly authenticatedAt: Date
  /**
   * The session that asks; the code dies with it. Null when the host asks, and the code with all
   * sessions of the user.
   */
  readonly issuedBySessionId: string | null
}

/** A code as the client gets it. */
export interface IssuedAuthorizationCode {
  /** `mar_ac_…`, good once. */
  readonly authorizationCode: string
  /** Seconds. */
  readonly expiresIn: number
}

/** One-time authorization codes. */
export interface AuthorizationCodes {
  issue(request: CodeRequest, context: RequestContext): Promise<IssuedAuthorizationCode>
  /**
   * What a code was issued for, be it used or not; null for one that was never issued, or has
   * expired unused.
   */
  find(code: string): Promise<AuthorizationCodeRecord | null>
  /** Uses a code up for nothing. */
  burn(code: AuthorizationCodeRecord): Promise<ConsumeResult>
}

export interface AuthorizationCodeDeps {
  readonly codeStore: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly sessions: Pick<Sessions, 'standIn'>
  readonly takeIssue: TakeIssue
  /** Seconds a code lives. */
  readonly codeLifetime: number
  readonly clock: () => Date
  readonly audit: Audit
}

// The prefix keeps a code from being taken for a refresh token or the reverse.
const pattern = /^mar_ac_[A-Za-z0-9_-]{43}$/
/** A used code is remembered, so that a replay is recognised and the stolen session ended. */
const retentionSeconds = 60 * 60
/** An exchange that begins in a code's last second takes less. */
const maxExchangeSeconds = 120

/** Issues and finds codes. Only their SHA-256 is stored. */
export function createAuthorizationCodes(deps: AuthorizationCodeDeps): AuthorizationCodes {
  const { codeStore, codeLifetime, sessions, clock, audit } = deps
  return {
    async issue(
      { approved, codeChallenge, scope, authenticatedAt, issuedBySessionId: sessionId },
      context,
    ) {
      const userId = approved.user.id
      // 429, 503
      await deps.takeIssue('code', { userId, sessionId }, context)
      const authorizationCode = `mar_ac_${randomSecret()}`
      const now = clock()
      const expiresAt = after(now, codeLifetime)
      await codeStore.save({
        codeHash: sha256(authorizationCode),
        userId,
        issuedBySessionId:
          sessionId ??
          (await sessions.standIn(approved, scope, after(expiresAt, maxExchangeSeconds))),
        opensSessionId: randomId(),
        codeChallenge,
        scope,
        methods: approved.methods,
        authenticatedAt,
        createdAt: now,
        expiresAt,
        retainUntil: after(now, retentionSeconds),
        consumedAt: null,
      })
      audit({ type: 'code.issued', userId, sessionId }, context)
      return { authorizationCode, expiresIn: codeLifetime }
    },

    async find(presented) {
      const code = pattern.test(presented) ? await codeStore.find(sha256(presented)) : null
      // One that was issued to a client is for that client to exchange, and elsewhere.
      if (code === null || code.clientId !== undefined) return null
      return code.consumedAt === null && clock() >= code.expiresAt ? null : code
    },

    burn: (code) => codeStore.consume(code.codeHash, clock()),
  }
}

function after(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
