import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import type { ActForUserRequest } from '../host-sign-in/act-for-user.js'
import type { OpenSessionRequest } from '../host-sign-in/open-session.js'
import { contextOfAction, type HostAction, readAction, requireIds } from '../http/input.js'
import type { ManagementKit, SessionKit } from '../kits/session-kit.js'
import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { EndReason } from '../stores/contract.js'
import { classifyRefreshToken, sessionIdOf } from '../tokens/refresh-token.js'
import { namedTokenPrefix, readSessionSecret } from '../tokens/session-secret.js'
import { type CountSockets, type SessionSummary, summarizeAll } from './own-sessions.js'
import type { SignedIn } from './sign-in-for-host.js'
import type { RemoveWaysIn, WhichWaysIn } from './ways-in.js'

/**
 * The users' sessions, for the host's own code: a support desk, a password reset, a closed account.
 */
export interface SessionsForHost {
  /**
   * Opens a session for a user whom the host has authenticated: after a registration, by a magic
   * link, by SAML, LDAP or an identity provider. It makes the same decision as every sign-in: a
   * disabled user is refused, a user with a second factor must send its `code`, a user who must
   * have one and has none may only enrol, `beforeLogin` may refuse, and `maxSessionsPerUser`
   * applies.
   *
   * Rejects with `AuthError`: `Unauthorized` (no such user, or disabled), `totp-required` (ask for
   * the code and call it again with `code`), `totp-invalid`, `forbidden` (veto of `beforeLogin`),
   * `too-many-requests`, `invalid-request`, `temporarily-unavailable`.
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
   * Opens a session in which a member of your staff sees what a user sees. It ends by its
   * `lifetime`, with `actor.sessionId`, when the actor is disabled, and as any other session of the
   * user. Its token has the claim `act`, `req.auth.actor` names the actor, and so do its events.
   *
   * The router's own routes are closed to it, but `GET /me`, `GET /auth/sessions`, the socket
   * ticket and the logout. `requireAuth({ actor: false })` closes a route of yours. What needs a
   * recent sign-in or a level of assurance is closed as well.
   *
   * The user sees `Support: <reason>` in the list of sessions, can end it there, and gets the mail
   * `acted-for`, with the option `accounts`. Decide before the call whether this member of your
   * staff may help this user: there is no route that makes such a session.
   *
   * Rejects with `AuthError`: `invalid-request` (names the member), `Unauthorized` (no such user,
   * or disabled), `forbidden` (the actor is disabled, or the veto of `beforeLogin`, whose `door` is
   * `acting`), `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare function maySupport(staffId: string, userId: string): Promise<boolean>
   *
   * const guard = auth.requireAuth({ maxAge: 300 })
   * express().post('/desk/act', guard, express.json(), async (req, res) => {
   *   const { userId: id, sessionId } = req.auth
   *   const { userId, reason } = req.body
   *   if (!(await maySupport(id, userId))) return void res.sendStatus(403)
   *   const actor = { id, reason, sessionId }
   *   const { token } = await auth.sessions.open({ userId, actor, lifetime: 900, request: req })
   *   res.json({ token })
   * })
   * ```
   */
  open(request: ActForUserRequest): Promise<SignedIn>
  /**
   * Ends the session of an access token, authToken or refresh token, even if the token has expired
   * or was used up: its signature or its secret is the proof. Session ids and other texts end
   * nothing. Returns whether this call ended a session. After `temporarily-unavailable`, call it
   * again.
   */
  revokeByToken(token: string, options?: HostAction): Promise<boolean>
  /** A user's live sessions, oldest first. */
  list(userId: string): Promise<SessionSummary[]>
  /** Ends one session with its tokens and sockets. False if no live session has this id. */
  revoke(sessionId: string, options?: HostAction): Promise<boolean>
  /**
   * Ends all sessions of a user except `except`, makes codes not yet exchanged useless, and forgets
   * the networks the user has signed in from. Call it after a password reset or when an account is
   * closed. Returns how many sessions ended. After a rejection, call it again.
   *
   * `keepNamedTokens: true` keeps the user's named tokens, for "sign out of all other devices".
   * Never use it after a password reset: a thief of the password may have made named tokens.
   */
  revokeAllForUser(userId: string, options?: RevokeAllOptions): Promise<number>
}

/** Which sessions `revokeAllForUser` keeps. */
export interface RevokeAllOptions extends EndOptions {
  /** Whether named tokens stay. Default false. */
  readonly keepNamedTokens?: boolean
}

/** Ends the sessions that a user opened with a former password. */
export type PasswordChanged = (userId: string, options?: EndOptions) => Promise<number>

/** Options for ending all sessions of a user. */
export interface EndOptions extends HostAction {
  /**
   * The id of a session to keep. Default: none. For the session of a page's cookie that a token of
   * the same browser has opened (`POST /auth/browser-session`), the session of that token is kept
   * as well.
   */
  readonly except?: string
  /**
   * The treatment of the user's other ways in: passkeys, and connected accounts at providers.
   * `added-by-password`, if the old password may have been stolen, removes those that were added in
   * a session that had shown nothing but a password, a passkey or a recovery code, since a thief
   * may have added them. With `watchPasswordHash`, those added under the current password stay.
   * `{ addedSince }`, if a session was stolen, removes all that were added since then, TOTP and the
   * consents to apps as well. A user without a password keeps the last one, and the call rejects
   * with `last-sign-in-method` after everything else is done. Default `keep`: all stay.
   */
  readonly waysIn?: 'keep' | 'added-by-password' | { readonly addedSince: Date }
}

/** The parts that end sessions, in a server and from a terminal. */
export interface EndingKit extends ManagementKit {
  readonly removeWaysIn: RemoveWaysIn
}

/** Which sessions end, and why. */
export interface Ending {
  readonly userId: string
  readonly reason: EndReason
  /** Ends them; some kinds may stay. */
  readonly endAll: Sessions['endAllForUser']
  /** The request that is the cause; without one, it is the host's action. */
  readonly cause?: RequestContext
  /** The ways in to remove, in the place of `options.waysIn`. */
  readonly which?: WhichWaysIn | undefined
}

/** How often it looks again for ways in that are being added. */
const mostRounds = 10

/** Ends all sessions of a user but one, and forgets the user's networks. */
export async function endForUser(
  kit: EndingKit,
  { userId, reason, cause, ...ending }: Ending,
  given?: EndOptions,
): Promise<number> {
  const { options, context: ofHost } = readAction(given)
  const context = cause ?? ofHost
  const { except } = options
  requireIds(except === undefined ? { userId } : { userId, except })
  const which = ending.which ?? whichWaysIn(options)
  const { exceptId, openerId } = await keptSessions(kit, userId, except)
  const endAll = () => ending.endAll(userId, reason, context, exceptId, openerId)
  const ended = await endAll()
  // Enrolments go after the sessions, so that no session begins another one. A seed that a thief
  // has seen must not become the user's factor.
  await kit.totp?.store.deletePending(userId)
  // The networks are forgotten after the sessions end: an outage of the counters must not keep
  // sessions open.
  await kit.knownNetworks.forgetAll(userId)
  if (which === null) return ended
  // Ends sessions opened by a removed way in meanwhile, also if the last one had to stay.
  const kept = [exceptId, openerId].filter((id) => id !== undefined)
  let late = 0
  // A session that was opened meanwhile may have added others.
  for (let round = 0, removed = 1; removed > 0 && round < mostRounds; round += 1) {
    removed = await kit.removeWaysIn(userId, which, kept, context).catch(async (error: unknown) => {
      await endAll()
      throw error
    })
    late += await endAll()
  }
  return ended + late
}

/** The sessions that stay when all others of a user end. */
interface KeptSessions {
  readonly exceptId?: string
  /** The parent of the exception, without which the exception would end. */
  readonly openerId?: string
}

/**
 * Finds the sessions that must stay so that one session stays. A page may have been signed in by a
 * token of the same browser (`POST /auth/browser-session`): then the session of that token stays as
 * well. A device that was signed in by another device and ends with it cannot be kept, since the
 * other device should end. Rejects with 503.
 */
async function keptSessions(
  { sessions }: ManagementKit,
  userId: string,
  exceptId: string | undefined,
): Promise<KeptSessions> {
  if (exceptId === undefined) return {}
  const kept = await sessions.findLive(exceptId)
  if (kept === null || kept.userId !== userId || kept.parentId === undefined) return { exceptId }
  const opener = kept.kind === 'browser' ? await sessions.findLive(kept.parentId) : null
  return opener === null || opener.parentId !== undefined ? {} : { exceptId, openerId: opener.id }
}

// The methods of `auth.sessions`. Each rejects with `temporarily-unavailable` if the store fails:
// the outcome is then unknown. It rejects with `invalid-request` for an impossible id.

export async function listSessions(
  { sessions }: ManagementKit,
  countSockets: CountSockets,
  userId: string,
): Promise<SessionSummary[]> {
  requireIds({ userId })
  return summarizeAll(await sessions.listForUser(userId), countSockets)
}

export async function revokeSession(
  { sessions }: ManagementKit,
  sessionId: string,
  options?: HostAction,
): Promise<boolean> {
  requireIds({ sessionId })
  const context = contextOfAction(options)
  const session = await sessions.findLive(sessionId)
  return session !== null && (await sessions.end(session, 'revoked', context))
}

export async function revokeAllForUser(
  kit: EndingKit,
  userId: string,
  options?: RevokeAllOptions,
): Promise<number> {
  const { endAllButNamed, endAllForUser } = kit.sessions
  const endAll = keepsNamed(options) ? endAllButNamed : endAllForUser
  return endForUser(kit, { userId, reason: 'revoked', endAll }, options)
}

// Null: all of them stay. Throws 400 for any other value.
function whichWaysIn({ waysIn = 'keep' }: Pick<EndOptions, 'waysIn'>): WhichWaysIn | null {
  if (waysIn === 'keep') return null
  if (waysIn === 'added-by-password') return { byPassword: true, since: null, sparesLast: true }
  const since: unknown = waysIn?.addedSince
  if (since instanceof Date && !Number.isNaN(since.getTime()))
    return { byPassword: false, since, sparesLast: true }
  const message = "Invalid input: expected 'keep', 'added-by-password' or { addedSince: Date }"
  throw invalidRequest([{ path: 'waysIn', message }])
}

function keepsNamed(given: RevokeAllOptions | undefined): boolean {
  const { keepNamedTokens = false } = readAction(given).options
  if (typeof keepNamedTokens === 'boolean') return keepNamedTokens
  const path = 'keepNamedTokens'
  throw invalidRequest([{ path, message: 'Invalid input: expected true or false' }])
}

/**
 * `auth.sessions.revokeByToken`. Anybody who holds a token of a session may end that session: the
 * signature, or the secret in the token, is the proof. Session ids are not secret, so an id proves
 * nothing. Returns whether this call ended a session.
 */
export async function revokeByToken(
  kit: SessionKit,
  token: string,
  options?: HostAction,
): Promise<boolean> {
  const context = contextOfAction(options)
  if (typeof token !== 'string') return false
  const session = await sessionOf(kit, token)
  return session !== null && (await kit.sessions.end(session, 'revoked', context))
}

async function sessionOf(kit: SessionKit, token: string): Promise<SessionName | null> {
  if (token.startsWith(namedTokenPrefix)) return ofNamedToken(kit, token)
  return (await ofRefreshToken(kit, token)) ?? ofAccessToken(kit, token)
}

async function ofNamedToken({ sessions }: SessionKit, token: string): Promise<SessionName | null> {
  const secret = readSessionSecret('token', token)
  return secret === null ? null : sessions.findBySecret(secret)
}

async function ofRefreshToken(
  { sessions, clock }: SessionKit,
  token: string,
): Promise<SessionName | null> {
  const id = sessionIdOf(token)
  const session = id === null ? null : await sessions.findLive(id)
  if (session === null || session.refresh === null) return null
  const { is } = classifyRefreshToken(session.id, token, session.refresh, clock(), 0)
  return is === 'foreign' ? null : session
}

async function ofAccessToken(
  { sessions, accessTokens, clock }: SessionKit,
  token: string,
): Promise<SessionName | null> {
  const claims = await accessTokens.readWhenever(token, clock())
  const session = claims === null ? null : await sessions.findLive(claims.sid)
  return session !== null && session.userId === claims?.sub ? session : null
}
