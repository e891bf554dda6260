import { invalidRequest } from '../errors.js'
import type { OpenSession, OpenSessionRequest } from '../host-sign-in/open-session.js'
import { contextOfAction, type HostAction, readAction } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import type { RemoveAddedByPassword } from '../passkeys/remove-added-by-password.js'
import type { Sessions } from '../sessions/sessions.js'
import type { EndReason } from '../stores/contract.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { KnownNetworks } from '../throttle/known-networks.js'
import { keptSessions } from './kept-sessions.js'
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
  revokeByToken(token: string, options?: HostAction): Promise<boolean>
  /** A user's live sessions, the oldest first. */
  list(userId: string): Promise<SessionSummary[]>
  /**
   * Ends one session, its tokens and its sockets. False when there is no live session with this id.
   */
  revoke(sessionId: string, options?: HostAction): Promise<boolean>
  /**
   * Ends all sessions of a user, but `except`, and forgets the networks that the user has signed in
   * from; so are codes that were issued and not yet exchanged. Call it when a password was reset or
   * an account closed. Says how many. May be called again when it rejects.
   *
   * `keepNamedTokens: true` leaves the user's named tokens, as where somebody signs out of all
   * other devices. Never after a reset: whoever knew the password may have made some.
   */
  revokeAllForUser(userId: string, options?: RevokeAllOptions): Promise<number>
}

/** What `revokeAllForUser` leaves. */
export interface RevokeAllOptions extends EndOptions {
  /** Whether named tokens stay. Default false. */
  readonly keepNamedTokens?: boolean
}

/** Ends what a user had under another password. */
export type PasswordChanged = (userId: string, options?: EndOptions) => Promise<number>

/** How all sessions of a user are ended. */
export interface EndOptions extends HostAction {
  /**
   * The session that is kept. Default: none is. Where it is that of a cookie that a token of the
   * same browser has opened (`POST /auth/browser-session`), the session of that token is kept as
   * well.
   */
  readonly except?: string
  /**
   * What becomes of the user's passkeys, each of which signs in without the password.
   * `added-by-password`, where the old password may have been stolen: those go that were added in a
   * session which had shown nothing but a password, a passkey or a recovery code, since a thief may
   * have added them. With `watchPasswordHash` those stay that were added under the present
   * password. Whoever has no password keeps the last one, and the call rejects with
   * `last-sign-in-method` once all else is done. Needs the option `passkeys`. Default `keep`: all
   * of them stay.
   */
  readonly passkeys?: 'keep' | 'added-by-password'
}

export interface SessionsForHostDeps {
  readonly sessions: Pick<Sessions, 'listForUser' | 'findLive' | 'end'>
  readonly openSession: OpenSession
  readonly revokeByToken: RevokeByToken
  readonly summarize: Summarize
  readonly countSockets: CountSockets
  readonly endForUser: EndForUser
  /** The same, but named tokens stay. */
  readonly endDevices: EndForUser
}

/** Ends all sessions of a user but one, and forgets the user's networks. */
export type EndForUser = (
  userId: string,
  reason: EndReason,
  options: EndOptions | undefined,
) => Promise<number>

export interface EndForUserDeps {
  readonly sessions: Pick<Sessions, 'findLive'>
  /** Ends them, and perhaps leaves some. */
  readonly endAll: Sessions['endAllForUser']
  /** Undefined: the host keeps no TOTP seeds. */
  readonly totp: { readonly store: Pick<SecondFactorStore, 'deletePending'> } | undefined
  readonly removePasskeys: RemoveAddedByPassword
  readonly knownNetworks: Pick<KnownNetworks, 'forgetAll'>
}

export function createEndForUser(deps: EndForUserDeps): EndForUser {
  const { sessions, totp, removePasskeys, knownNetworks } = deps
  return async function endForUser(userId, reason, given) {
    const { options, context } = readAction(given)
    const { except } = options
    requireIds(except === undefined ? { userId } : { userId, except })
    const keepsPasskeys = areKept(options)
    const { exceptId, openerId } = await keptSessions(sessions, userId, except)
    const endAll = () => deps.endAll(userId, reason, context, exceptId, openerId)
    const ended = await endAll()
    // After the sessions, so that none of them begins another: a seed that a thief was shown must
    // not become the factor of the user.
    await totp?.store.deletePending(userId)
    // After the sessions: an outage of the counters must not keep them open.
    await knownNetworks.forgetAll(userId)
    if (keepsPasskeys) return ended
    // What it has removed opens nothing more, also where it has refused to remove the last.
    const kept = [exceptId, openerId].filter((id) => id !== undefined)
    const removing = removePasskeys(userId, kept, context)
    const late = await removing.then(endAll, async (error: unknown) => {
      await endAll()
      throw error
    })
    return ended + late
  }
}

/**
 * Makes `auth.sessions`. Each method rejects with `temporarily-unavailable` when the store failed:
 * then nothing was promised; and with `invalid-request` for what can be no id.
 */
export function createSessionsForHost(deps: SessionsForHostDeps): SessionsForHost {
  const { sessions, openSession, revokeByToken, summarize, countSockets } = deps
  return {
    open: async (request) => toSignedIn(await openSession(request), summarize),
    revokeByToken,
    async list(userId) {
      requireIds({ userId })
      return summarizeAll(await sessions.listForUser(userId), countSockets)
    },
    async revoke(sessionId, options) {
      requireIds({ sessionId })
      const context = contextOfAction(options)
      const session = await sessions.findLive(sessionId)
      return session !== null && (await sessions.end(session, 'revoked', context))
    },
    async revokeAllForUser(userId, options) {
      const end = keepsNamed(options) ? deps.endDevices : deps.endForUser
      return end(userId, 'revoked', options)
    },
  }
}

// Throws 400 for what is no answer.
function areKept({ passkeys = 'keep' }: Pick<EndOptions, 'passkeys'>): boolean {
  if (passkeys === 'keep' || passkeys === 'added-by-password') return passkeys === 'keep'
  const message = "Invalid input: expected 'keep' or 'added-by-password'"
  throw invalidRequest([{ path: 'passkeys', message }])
}

function keepsNamed(given: RevokeAllOptions | undefined): boolean {
  const { keepNamedTokens = false } = readAction(given).options
  if (typeof keepNamedTokens === 'boolean') return keepNamedTokens
  const path = 'keepNamedTokens'
  throw invalidRequest([{ path, message: 'Invalid input: expected true or false' }])
}

// A numeric id is found in no store, and "0 sessions were ended" would read like an answer.
function requireIds(ids: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(ids).filter(([, id]) => !isHostId(id))
  if (wrong.length === 0) return
  throw invalidRequest(wrong.map(([path]) => ({ path, message: 'Invalid input: expected an id' })))
}
