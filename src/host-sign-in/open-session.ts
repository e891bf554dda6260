import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import type { SignInRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import { parseOptions, requireRequest } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { lazily } from '../lib/async.js'
import { isHostId } from '../lib/texts.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssuedSession, OpenedSession, SessionRequest } from '../sessions/issuing.js'
import { type SignInOptions, signInOptionsShape } from '../sessions/sign-in-options.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'

/** The methods that a host may assert. */
export type VouchedMethod = 'host' | 'pwd' | 'mfa' | 'hwk' | 'swk'

/** A session that the host asks for. */
export interface OpenSessionRequest extends SignInOptions {
  /** The user whom the host has just authenticated: the id that `users.findById` knows. */
  readonly userId: string
  /** The request that signs in; its address and device are stored. */
  readonly request: IncomingMessage
  /**
   * How the user was authenticated, in the terms of [RFC 8176
   * §2](https://www.rfc-editor.org/rfc/rfc8176#section-2); `host` means "in a way of the host's
   * own". Only `mfa` counts as a second factor, and only with `secondFactor: { acceptHostMfa: true
   * }`. Default `['host']`.
   */
  readonly methods?: readonly VouchedMethod[]
  /** The second-factor code the user typed, at most 64 characters. */
  readonly code?: string
}

/**
 * Opens a session for a user whom the host has authenticated, with the requested tokens or with the
 * secret of a cookie. Rejects with AuthError.
 */
export type OpenSession = (
  request: OpenSessionRequest,
  shownBy?: 'cookie',
) => Promise<OpenedSession>

const methods = ['host', 'pwd', 'mfa', 'hwk', 'swk'] as const satisfies VouchedMethod[]
const schema = lazily(() =>
  z.strictObject({
    userId: z.string().refine(isHostId),
    request: z.unknown(),
    // The host cannot assert a factor that only the router can verify: that is `code`.
    methods: z.array(z.enum(methods)).min(1).max(methods.length).default(['host']),
    code: z.string().min(1).max(64).optional(),
    ...signInOptionsShape,
  }),
)

/** `auth.sessions.open` calls this. It makes the same decision as every other sign-in. */
export function createOpenSession(kit: SignInKit): OpenSession {
  return async function openSession(given, shownBy) {
    const { userId, code = null, lifetime, ...input } = parseOptions(schema(), given)
    const request = requireRequest(input.request)
    const context = kit.contexts.of(request)
    const user = await kit.users.findById(userId)
    const claimed = [...new Set(input.methods)]
    const decision = await kit.decideSignIn({
      door: 'host',
      user,
      methods: claimed,
      code,
      context,
    })
    if (!decision.allowed) throw refusal(kit, decision.reason, decision.error, userId, context)

    const { approved } = decision
    const asked = { approved, tokens: shownBy ?? input.tokens, lifetime }
    const opened = await openApproved(kit, asked, context)
    const { id: sessionId } = opened.session
    kit.audit({ type: 'session.opened', userId, sessionId, methods: approved.methods }, context)
    return opened
  }
}

/** Opens the session of an approved sign-in without a password. Rejects with AuthError. */
export async function openApproved(
  kit: SignInKit,
  asked: Omit<SessionRequest, 'marks'>,
  context: RequestContext,
  isRememberWanted = false,
): Promise<OpenedSession> {
  const { approved } = asked
  const { user, methods: shown } = approved
  const { passwordHash } = user
  const me = await kit.describeMe(user)
  const required = await kit.requiredOf(user, shown)
  const issued = await kit.issueSession(asked, context)
  await refuseOutdated(kit, approved, issued, context)
  const signedIn = { ...approved, passwordHash, sessionId: issued.session.id }
  const kept = await kit.rememberedBrowsers?.keep(signedIn, isRememberWanted, context)
  return { ...issued, me, required, rememberToken: kept ?? null }
}

/** Methods that a new password ends. */
const ofHash: readonly StoredMethod[] = ['pwd', 'email', 'sms']

// If the user was disabled or changed the factor while this session was opened, all sessions ended
// except this one, which did not exist yet. This is checked again after the write: one of the two
// sees the other.
async function refuseOutdated(
  kit: SignInKit,
  approved: ApprovedSignIn,
  { session }: IssuedSession,
  context: RequestContext,
): Promise<void> {
  const changed = await whatChanged(kit, approved, session).catch(async (error: unknown) => {
    // The host will try again; otherwise a session would stay whose token nobody has.
    await kit.sessions.end(session, 'revoked', context)
    throw error
  })
  if (changed === null) return
  const [reason, error] = changed
  await kit.sessions.end(session, reason === 'disabled' ? 'revoked' : 'factor-changed', context)
  throw refusal(kit, reason, error, approved.user.id, context)
}

async function whatChanged(
  { users, factorStands, passwordWatch }: SignInKit,
  approved: ApprovedSignIn,
  session: SessionRecord,
): Promise<[SignInRefusal, AuthError] | null> {
  const user = await users.findById(approved.user.id)
  if (user === null || user.disabled === true) return ['disabled', new AuthError('Unauthorized')]
  // Opened by a password that has changed, or by another hash of the same one: the host may try
  // again. Or by a code in its place, which a new password voids.
  const endsWithHash = approved.methods.some((method) => ofHash.includes(method))
  const byOldHash = endsWithHash && user.passwordHash !== approved.user.passwordHash
  if (byOldHash || !passwordWatch.fits(session, user))
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'the password hash changed while the session was opened',
    })
  if (await factorStands(approved)) return null
  return ['second-factor-required', new AuthError('totp-required')]
}

/** Reports a refused session, and returns the error. */
export function refusal(
  { audit }: Pick<SignInKit, 'audit'>,
  reason: SignInRefusal,
  error: AuthError,
  userId: string,
  context: RequestContext,
): AuthError {
  audit({ type: 'session.refused', reason, userId }, context)
  return error
}
