import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { randomId } from '../lib/secrets.js'
import { isOneLine } from '../lib/texts.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import { catchUpMarks } from '../sessions/password-stands.js'
import type { PasswordMarks } from '../sessions/password-watch.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import { newSessionSecret } from '../tokens/session-secret.js'

const day = 24 * 60 * 60
const maxNameChars = 100
const maxScopeChars = 1000
// RFC 6749 §3.3: scope-token.
const words = /^[!#-[\]-~]+( [!#-[\]-~]+)*$/

/** The schema of a requested named token. */
export const namedTokenShape: {
  readonly name: z.ZodType<string>
  readonly scope: z.ZodType<string>
  readonly expiresIn: z.ZodType<number>
} = {
  // The length is checked first.
  name: z
    .string()
    .max(maxNameChars)
    .trim()
    .min(1)
    .refine(isOneLine, 'Invalid input: expected text without control or bidirectional characters'),
  scope: z
    .union([z.string().max(maxScopeChars), z.array(z.string().max(maxScopeChars)).max(100)])
    .default('*')
    .transform((given) => [given].flat().join(' '))
    .refine(
      (scope) => scope.length <= maxScopeChars && words.test(scope),
      `Invalid input: expected words of up to ${maxScopeChars} characters in all`,
    ),
  expiresIn: z
    .int()
    .min(60)
    .max(365 * day)
    .default(90 * day),
}

/** A named token to make. */
export interface NewNamedToken {
  readonly userId: string
  readonly name: string
  readonly scope: string
  /** Seconds. */
  readonly expiresIn: number
  /** How and when the user last proved who they are. */
  readonly methods: readonly StoredMethod[]
  readonly authenticatedAt: Date
  /** The session that asks; null if the host asks. */
  readonly maker: SessionRecord | null
}

/** A new named token. The token itself is shown this once. */
export interface IssuedNamedToken {
  readonly id: string
  readonly token: string
  readonly expiresAt: Date
}

/**
 * Makes a named token, by the same decision as every other sign-in. Throws 401, 403, 409, 429 or
 * 503; no token exists then.
 */
export async function makeNamedToken(
  kit: SignInKit,
  { userId, maker, methods, ...asked }: NewNamedToken,
  context: RequestContext,
): Promise<IssuedNamedToken> {
  const { sessions, takeIssue, audit } = kit
  const approved = await approve(kit, { userId, maker, methods }, context)
  await takeIssue('named-token', { userId, sessionId: maker?.id ?? null }, context)
  // This check comes before anything is stored: a user with 20 tokens must not fill the store by
  // asking again.
  if (!(await sessions.hasRoomForNamed(userId))) throw new AuthError('too-many-named-tokens')
  const id = randomId()
  const { secret: token, secretHash } = newSessionSecret('token', id)
  const marks = marksOf(kit, approved, maker)
  const made = { id, approved, secretHash, marks, upstream: maker?.upstream }
  const session = sessions.draftNamed({ ...made, ...asked }, context)
  const { expiresAt } = session
  if (!(await sessions.startNamed(session, context))) throw new AuthError('too-many-named-tokens')
  await refuseOutdated(kit, approved, maker, session, context)
  const madeBy = maker?.id ?? null
  audit({ type: 'named-token.created', userId, sessionId: id, madeBy }, context)
  return { id, token, expiresAt }
}

async function approve(
  { users, decideSignIn, audit }: SignInKit,
  { userId, maker, methods }: Pick<NewNamedToken, 'userId' | 'maker' | 'methods'>,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const decision = await decideSignIn({
    door: 'named-token',
    user: await users.findById(userId),
    methods,
    code: undefined,
    context,
  })
  if (decision.allowed) return decision.approved
  if (maker === null) audit({ type: 'session.refused', reason: decision.reason, userId }, context)
  throw decision.error
}

// If the user signed out everywhere, was disabled or changed the factor while this token was made,
// all sessions ended except this one, which did not exist yet. This is checked again after the
// write: one of the two sees the other.
async function refuseOutdated(
  kit: SignInKit,
  approved: ApprovedSignIn,
  maker: SessionRecord | null,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  try {
    await requireUnchanged(kit, approved, maker, session)
  } catch (error) {
    await kit.sessions.end(session, 'revoked', context)
    throw error
  }
}

async function requireUnchanged(
  kit: SignInKit,
  approved: ApprovedSignIn,
  maker: SessionRecord | null,
  session: SessionRecord,
): Promise<void> {
  const user = await kit.users.findById(approved.user.id)
  if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
  if (!(await kit.factorStands(approved))) throw notSignedIn('the second factor has changed')
  if (maker !== null && (await standsByMaker(kit, maker, session))) return
  if (kit.passwordWatch.fits(session, user)) return
  // A changed password, or another hash of the same one: the caller may try again.
  throw new AuthError('temporarily-unavailable', {
    retryAfter: 1,
    message: 'the password hash changed while the token was made',
  })
}

// False if the asking session does not depend on a password. Throws 401 if it has ended.
async function standsByMaker(
  kit: SignInKit,
  maker: SessionRecord,
  session: SessionRecord,
): Promise<boolean> {
  const now = await kit.sessions.findLive(maker.id)
  if (now === null) throw notSignedIn('session ended or unknown')
  await catchUpMarks(kit, now, session)
  return kit.passwordWatch.inherited(now) !== undefined
}

// A token depends on the same password as the session that asks, so that a thief's token ends with
// the password.
function marksOf(
  { passwordWatch, namedSurvivePassword }: SignInKit,
  { user }: ApprovedSignIn,
  maker: SessionRecord | null,
): PasswordMarks {
  if (namedSurvivePassword) return {}
  const inherited = maker === null ? undefined : passwordWatch.inherited(maker)
  return inherited ?? passwordWatch.marksOf(user)
}
