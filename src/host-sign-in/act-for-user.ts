import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { noRequest, type RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { parseOptions, requireRequest } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { randomId } from '../lib/secrets.js'
import { isHostId, isOneLine } from '../lib/texts.js'
import { nothingRequired } from '../principal/required-actions.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession } from '../sessions/issuing.js'
import type { SessionRecord } from '../stores/contract.js'
import { isKnownKind } from '../stores/stored-values.js'
import { refusal } from './open-session.js'

/** A session in which a member of your staff acts for a user. */
export interface ActForUserRequest {
  /** The user whom the actor helps. */
  readonly userId: string
  readonly actor: {
    /** The id of the actor: of a user of your user store, or of a system of your staff. */
    readonly id: string
    /**
     * Why, as the user reads it in the list of sessions and in the mail: one line of 1 to 120
     * characters, such as `Ticket 4711`.
     */
    readonly reason: string
    /**
     * The actor's own session, as in `req.auth.sessionId`: a live one of the user `id`, of a
     * person. The new session ends with it. Default: none; the new session then ends by its
     * lifetime, when the user `id` is disabled, and as any other.
     */
    readonly sessionId?: string
  }
  /** Seconds, 60 to 3600. The session has one token, which is not refreshed. */
  readonly lifetime: number
  /** False: you tell the user yourself, and no mail does. Default true. */
  readonly notify?: boolean
  /** The request of the actor; its address is stored. Default: none. */
  readonly request?: IncomingMessage
}

const hasLetters = /[\p{L}\p{N}]/u
const id = z.string().refine(isHostId, 'Invalid input: expected an id')
const schema = z.strictObject({
  userId: id,
  actor: z.strictObject({
    id,
    // The length is checked first.
    reason: z
      .string()
      .max(120)
      .trim()
      .min(1)
      .refine(
        (reason) => isOneLine(reason) && hasLetters.test(reason),
        'Invalid input: expected text in one line, without control characters',
      ),
    sessionId: id.optional(),
  }),
  lifetime: z.int().min(60).max(3600),
  notify: z.boolean().default(true),
  request: z.unknown().optional(),
})

/**
 * Opens the session of an actor, by the same decision as every sign-in but without a second factor.
 * It has no refresh token and takes no room of the user's devices. Rejects with AuthError.
 */
export async function actForUser(kit: SignInKit, given: ActForUserRequest): Promise<OpenedSession> {
  const { userId, actor, lifetime, notify, request } = parseOptions(schema, given)
  const ofRequest = request === undefined ? noRequest : kit.contexts.of(requireRequest(request))
  const context = { ...ofRequest, actor: actor.id }
  if (actor.id === userId) throw unfit('actor.id', 'the user acts for nobody')
  const own = await ownSessionOf(kit, actor.id, actor.sessionId)
  const approved = await approve(kit, userId, context)
  const me = await kit.describeMe(approved.user)

  const { sessions, clock } = kit
  const now = clock()
  const session = sessions.draft(
    {
      id: randomId(),
      approved,
      kind: 'acting',
      scope: '*',
      authenticatedAt: now,
      refresh: null,
      lifetime: { idle: lifetime, absolute: lifetime },
      until: own?.expiresAt,
      name: `Support: ${actor.reason}`,
      actorId: actor.id,
      ...(own === null ? {} : { actorSessionId: own.id }),
    },
    context,
  )
  const issued = await kit.accessTokens.issue(session, lifetime, now)
  await sessions.start(session, context, false)
  await requireStands(kit, session, context)
  const { id: sessionId } = session
  const { reason } = actor
  const notified = notify && kit.mailsActing
  kit.audit({ type: 'session.acted-for', userId, sessionId, reason, notified }, context)
  const none = { required: nothingRequired, refreshToken: null, rememberToken: null }
  return { session, ...issued, ...none, me }
}

// Nobody acts by way of another user for whom they act, nor does a program.
async function ownSessionOf(
  { sessions }: SignInKit,
  id: string,
  sessionId: string | undefined,
): Promise<SessionRecord | null> {
  if (sessionId === undefined) return null
  const own = await sessions.findLive(sessionId)
  if (own !== null && own.userId === id && isKnownKind(own.kind)) return own
  throw unfit('actor.sessionId', 'expected a live session of actor.id, in which a person signed in')
}

async function approve(
  kit: SignInKit,
  userId: string,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const user = await kit.users.findById(userId)
  const asked = { door: 'acting', user, methods: ['host'], code: undefined, context } as const
  const decision = await kit.decideSignIn(asked)
  if (decision.allowed) return decision.approved
  throw refusal(kit, decision.reason, decision.error, userId, context)
}

// The rules of every later request: read after the write, so that this and what ends the session
// meanwhile see each other.
async function requireStands(
  kit: SignInKit,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  try {
    await kit.liveSessions.require(session.id, null)
  } catch (error) {
    await kit.sessions.end(session, 'revoked', context)
    if (!(error instanceof AuthError) || error.status !== 401) throw error
    const clientMessage = 'The user, or whoever should act for the user, is disabled or signed out.'
    const refused = new AuthError('forbidden', { clientMessage, message: error.message })
    throw refusal(kit, 'actor', refused, session.userId, context)
  }
}

function unfit(path: string, what: string): AuthError {
  return invalidRequest([{ path, message: `Invalid input: ${what}` }])
}
