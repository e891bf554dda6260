import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { contextOfAction, type HostAction, parseOptions } from '../http/input.js'
import { nameOf } from '../sessions/named-sessions.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import { isKnownKind } from '../stores/stored-values.js'
import { type IssuedNamedToken, type NewNamedToken, namedTokenShape } from './make-named-token.js'

/** A named token that the host asks for. */
export interface NamedTokenRequest {
  readonly userId: string
  /** The name its owner knows it by, up to 100 characters. */
  readonly name: string
  /**
   * The scope of the token: a list of words, or one text with words separated by blanks, up to 1000
   * characters. Default `*`: everything its user may do.
   */
  readonly scope?: string | readonly string[]
  /** Seconds, 60 to 365 days. Default 90 days. */
  readonly expiresIn?: number
  /**
   * The session of the user who asks, as in `req.auth.sessionId`. The token gets the methods of
   * that session, and is refused if it has ended. Required if the user has a second factor, or must
   * have one. Default: none; the host alone vouches for the user.
   */
  readonly sessionId?: string
}

/**
 * A named token as its owner and the host see it. It contains neither the secret nor anything
 * derived from it.
 */
export interface NamedTokenSummary {
  /** Also the id of its session. */
  readonly id: string
  readonly name: string | null
  readonly scope: readonly string[]
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly expiresAt: Date
  /** The address of its last use. */
  readonly ip: string | null
}

/** The users' named tokens, for the host's own code. */
export interface NamedTokensForHost {
  /**
   * Makes a token for a bot or a script. The token is returned this once; only its hash is stored.
   * It makes the same decision as every sign-in. At most 20 per user.
   *
   * Rejects with `AuthError`: `invalid-request`, `Unauthorized` (no such user, disabled, session
   * ended), `totp-required` (the user has a second factor: pass `sessionId`), `forbidden` (veto of
   * `beforeLogin`, or a session that may not make tokens), `too-many-named-tokens`,
   * `too-many-requests`, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const scope = ['messages:write']
   * const { token } = await auth.namedTokens.create({ userId: 'bot-7', name: 'CI', scope })
   * ```
   */
  create(request: NamedTokenRequest, options?: HostAction): Promise<IssuedNamedToken>
  /** A user's named tokens, oldest first. */
  list(userId: string): Promise<NamedTokenSummary[]>
  /** Ends one named token of a user. False if the user has none with this id. */
  revoke(userId: string, id: string, options?: HostAction): Promise<boolean>
}

const id = z.string().min(1).max(1024)
const creation = z.strictObject({ userId: id, sessionId: id.optional(), ...namedTokenShape })

/** A terminal makes none. */
export function createNamedTokensForHost(
  sessions: Pick<Sessions, 'findLive' | 'listNamed' | 'end'>,
  clock: () => Date,
  make: (asked: NewNamedToken, context: RequestContext) => Promise<IssuedNamedToken>,
): NamedTokensForHost {
  return {
    async create(request, options) {
      const context = contextOfAction(options)
      const { sessionId, ...asked } = parseOptions(creation, request)
      const maker =
        sessionId === undefined ? null : await makerOf(sessions, asked.userId, sessionId)
      const authenticatedAt = maker?.authenticatedAt ?? clock()
      const methods = maker?.methods ?? ['host']
      return make({ ...asked, methods, authenticatedAt, maker }, context)
    },

    async list(userId) {
      return (await sessions.listNamed(parseOptions(id, userId))).map(summaryOf)
    },

    async revoke(userId, tokenId, options) {
      const context = contextOfAction(options)
      const mine = await sessions.listNamed(parseOptions(id, userId))
      const chosen = mine.find((session) => session.id === parseOptions(id, tokenId))
      return chosen !== undefined && (await sessions.end(chosen, 'revoked', context))
    },
  }
}

// The rule of the endpoint applies: neither a named token nor a session with less than full scope
// makes a token.
async function makerOf(
  sessions: Pick<Sessions, 'findLive'>,
  userId: string,
  sessionId: string,
): Promise<SessionRecord> {
  const maker = await sessions.findLive(sessionId)
  if (maker === null || maker.userId !== userId) throw notSignedIn('no such session of the user')
  if (isKnownKind(maker.kind) && maker.scope.split(' ').includes('*')) return maker
  throw new AuthError('forbidden', { message: 'this session cannot make tokens' })
}

/** Describes a named token. */
export function summaryOf(session: SessionRecord): NamedTokenSummary {
  const { id, scope, createdAt, lastSeenAt, expiresAt, ip } = session
  return {
    id,
    name: nameOf(session),
    scope: scope.split(' '),
    createdAt,
    lastSeenAt,
    expiresAt,
    ip,
  }
}
