import { noRequest } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { requireOptions } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import type { Sessions } from '../sessions/sessions.js'
import type { EndReason } from '../stores/contract.js'
import type { KnownNetworks } from '../throttle/known-networks.js'
import type { OpenSession, OpenSessionRequest } from '../vouched/open-session.js'
import type { RevokeByToken } from './revoke-by-token.js'
import {
  type CountSockets,
  type SessionSummary,
  type Summarize,
  summarizeAll,
} from './sessions.endpoint.js'
import { type SignedIn, toSignedIn } from './signed-in.js'

/**
 * The users' sessions, for the host's own code: a support desk, a password reset, a closed account.
 */
export interface SessionsForHost {
  /**
   * Opens a session for a user whom the host vouches for: right after a registration, by a magic
   * link, by SAML, LDAP or an identity provider. It goes through the one sign-in decision: a user
   * who is disabled gets none, one who has a second factor is asked for its `code`, one who must
   * have one and has none may only set it up, `beforeLogin` may refuse, and `maxSessionsPerUser`
   * holds.
   *
   * Rejects with `AuthError`: `Unauthorized` (no such user, disabled), `totp-required` (ask for the
   * code, and call it again with `code`), `totp-invalid`, `forbidden` (veto), `too-many-requests`,
   * `invalid-request`, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare function takeMagicLink(secret: string): Promise<{ userId: string } | null>
   *
   * express().post('/magic-link', express.json(), async (req, res) => {
   *   const link = await takeMagicLink(String(req.body.secret))
   *   if (link === null) return void res.status(401).json({ error: 'Unauthorized' })
   *   const { userId, token } = await auth.sessions.open({ userId: link.userId, request: req })
   *   res.json({ userId, token })
   * })
   * ```
   */
  open(request: OpenSessionRequest): Promise<SignedIn>
  /**
   * Ends the session of an access token, authToken or refresh token, also of one that has expired
   * or is spent: by its signature or its secret. An id, and whatever else is no token of ours, ends
   * nothing. Says whether this call ended a session. Rejects with `temporarily-unavailable`; then
   * call it again.
   */
  revokeByToken(token: string): Promise<boolean>
  /** A user's live sessions, the oldest first. */
  list(userId: string): Promise<SessionSummary[]>
  /**
   * Ends one session, its tokens and its sockets. False when there is no live session with this id.
   */
  revoke(sessionId: string): Promise<boolean>
  /**
   * Ends all sessions of a user, but `except`, and forgets the networks that the user has signed in
   * from. Call it when a password was reset or an account closed. Says how many. May be called
   * again when it rejects.
   */
  revokeAllForUser(userId: string, options?: { readonly except?: string }): Promise<number>
}

/** Ends what a user had under another password. */
export type PasswordChanged = (
  userId: string,
  options?: { readonly except?: string },
) => Promise<number>

/** What {@link createSessionsForHost} needs. */
export interface SessionsForHostDeps {
  readonly sessions: Pick<Sessions, 'listForUser' | 'findLive' | 'end' | 'endAllForUser'>
  readonly openSession: OpenSession
  readonly revokeByToken: RevokeByToken
  readonly summarize: Summarize
  readonly countSockets: CountSockets
  readonly endForUser: EndForUser
}

/** Ends all sessions of a user but one, and forgets the user's networks. */
export type EndForUser = (
  userId: string,
  reason: EndReason,
  except: string | undefined,
) => Promise<number>

/** Makes {@link EndForUser}. */
export function createEndForUser(
  sessions: Pick<Sessions, 'endAllForUser'>,
  knownNetworks: Pick<KnownNetworks, 'forgetAll'>,
): EndForUser {
  return async function endForUser(userId, reason, except) {
    requireIds(except === undefined ? { userId } : { userId, except })
    const ended = await sessions.endAllForUser(userId, reason, noRequest, except)
    // After the sessions: an outage of the counters must not keep them open.
    await knownNetworks.forgetAll(userId)
    return ended
  }
}

/**
 * Makes `auth.sessions`. Each method rejects with `temporarily-unavailable` when the store failed:
 * then nothing was promised; and with `invalid-request` for what can be no id.
 */
export function createSessionsForHost(deps: SessionsForHostDeps): SessionsForHost {
  const { sessions, openSession, revokeByToken, summarize, countSockets, endForUser } = deps
  return {
    open: async (request) => toSignedIn(await openSession(request), summarize),
    revokeByToken,
    async list(userId) {
      requireIds({ userId })
      return summarizeAll(await sessions.listForUser(userId), countSockets)
    },
    async revoke(sessionId) {
      requireIds({ sessionId })
      const session = await sessions.findLive(sessionId)
      return session !== null && (await sessions.end(session, 'revoked', noRequest))
    },
    revokeAllForUser: async (userId, options) => endForUser(userId, 'revoked', exceptOf(options)),
  }
}

/** Which session is to be kept. Throws 400 for what are no options. */
export function exceptOf(options: { readonly except?: string } | undefined): string | undefined {
  if (options === undefined) return undefined
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw invalidRequest([{ path: 'options', message: 'Invalid input: expected an object' }])
  return requireOptions(options).except
}

// A numeric id is found in no store, and "0 sessions were ended" would read like an answer.
function requireIds(ids: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(ids).filter(([, id]) => !isHostId(id))
  if (wrong.length === 0) return
  throw invalidRequest(wrong.map(([path]) => ({ path, message: 'Invalid input: expected an id' })))
}
