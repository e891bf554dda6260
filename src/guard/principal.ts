import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../events.js'
import type { AuthenticationMethod, SessionKind, SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

/** Who is asking: what a guarded handler reads as `req.auth`. */
export interface Principal {
  readonly userId: string
  readonly sessionId: string
  readonly kind: SessionKind
  /** `['*']` means all that the user may do. */
  readonly scope: readonly string[]
  /** When the user last proved who they are. */
  readonly authenticatedAt: Date
  readonly methods: readonly AuthenticationMethod[]
  /** When the presented token ends. */
  readonly expiresAt: Date
}

/** A request's principal, with the rows it was judged by. */
export interface SignedInRequest {
  readonly principal: Principal
  readonly session: SessionRecord
  readonly user: AuthUser
}

/** Finds out who is asking; throws 400, 401 or 503. */
export type SignedIn = (request: IncomingMessage, context: RequestContext) => Promise<SignedInRequest>
