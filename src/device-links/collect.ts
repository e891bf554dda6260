import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { sha256 } from '../lib/secrets.js'
import type { LoggedIn } from '../login/log-in.js'
import { loggedIn } from '../login/login.js'
import { codeVerifierPattern } from '../pkce/authorization-code.js'
import { redeemCode } from '../pkce/redeem-code.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthorizationCodeRecord, DeviceCodeRecord } from '../stores/one-time-contract.js'
import { newRefreshToken, sameRefreshToken } from '../tokens/refresh-token.js'
import type { AuthUser } from '../users/contract.js'
import type { LinksKit } from './links.js'

/** The id of a link: a digest. */
export const linkIdSchema: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'Invalid input: expected 43 base64url characters')

/** The body of `POST /auth/device-links/collect`. */
export const collectRequest: z.ZodObject<{
  linkId: z.ZodString
  codeVerifier: z.ZodString
  confirm: z.ZodOptional<z.ZodLiteral<true>>
}> = z.object({
  linkId: linkIdSchema,
  codeVerifier: z
    .string()
    .regex(
      codeVerifierPattern,
      'Invalid input: expected 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    ),
  confirm: z.literal(true).optional(),
})

/** A device that lost the answer asks again within this time. */
const lostAnswerMs = 30_000

/**
 * `POST /auth/device-links/collect`: the new device asks whether somebody has signed it in. Its
 * verifier is compared before it is told anything.
 */
export function collectEndpoint(kit: LinksKit): Endpoint {
  const { deviceCodes, throttle, clock } = kit
  return throttle.limitFailures('device-link', async function collectLink({ context, readJson }) {
    // 400, 413, 415
    const { linkId, codeVerifier, confirm } = parseInput(collectRequest, await readJson())
    const now = clock()
    // 400, 503
    const polled = await deviceCodes.poll(linkId, sha256(codeVerifier), now)
    if (polled.outcome === 'unknown' || polled.code.purpose !== 'link')
      throw new AuthError('invalid_grant', { message: 'no such link, or another verifier' })
    if (polled.outcome === 'too-soon') throw new AuthError('slow_down')
    const link = polled.code
    if (link.state === 'denied') throw new AuthError('access_denied')
    if (link.state !== 'approved' || confirm !== true) throw await untilThen(kit, link, now)
    // 400, 503
    const secret = kit.linkSecrets.refreshSecretOf(link.userCodeHash, codeVerifier)
    return loggedIn(await open(kit, link, secret, context))
  })
}

// The first one to open a link decides whose session it will be, so the device asks its user before
// it collects: otherwise it might end up in a stranger's account. Before the right check code was
// typed, the device is told no account: a stranger may have sent the link to see who opens it.
async function untilThen(
  { users, describeMe, linkSecrets }: LinksKit,
  link: DeviceCodeRecord,
  now: Date,
): Promise<AuthError> {
  if (now >= link.expiresAt) return new AuthError('expired_token')
  const user = link.userId === null ? null : await users.findById(link.userId)
  if (user === null) return new AuthError('authorization_pending')
  if (link.state !== 'approved')
    return new AuthError('opened', { details: { checkCode: linkSecrets.checkCodeOf(link) } })
  const { name, username } = await describeMe(user)
  return new AuthError('approved', { details: { account: { name, username } } })
}

// Opens the session of a link, once. A device that lost the answer gets the tokens of the same
// session again, for half a minute. Throws 400 `invalid_grant` for every reason alike, or 503.
async function open(
  kit: LinksKit,
  link: DeviceCodeRecord,
  secret: string,
  context: RequestContext,
): Promise<LoggedIn> {
  const { authorizationCodeHash: hash } = link
  const code = hash === null ? null : await kit.codeStore.find(hash)
  if (code === null || (code.consumedAt === null && kit.clock() >= code.expiresAt))
    throw new AuthError('expired_token')
  if (code.consumedAt !== null && isWithin(lostAnswerMs, code.consumedAt, kit.clock()))
    return openAgain(kit, code, secret, context)
  const { token, refresh } = newRefreshToken(code.opensSessionId, secret)
  const agent = (await kit.nameDevice(context.userAgent)) ?? context.userAgent
  return redeemCode(
    kit,
    {
      door: 'device-link',
      code,
      // The verifier has found the link.
      refusalOf: () => null,
      open: () => ({
        session: { kind: 'login', refresh, name: link.name ?? agent ?? 'Linked device' },
        sign: (session, { user }) => sign(kit, session, user, token),
      }),
    },
    context,
  )
}

// The session is there, and the same decision is made once more. This works only while its first
// refresh token is current: a used refresh token must not come back.
async function openAgain(
  kit: LinksKit,
  { opensSessionId, userId }: AuthorizationCodeRecord,
  secret: string,
  context: RequestContext,
): Promise<LoggedIn> {
  const [session, user] = await Promise.all([
    kit.sessions.findLive(opensSessionId),
    kit.users.findById(userId),
  ])
  const refresh = session?.refresh ?? null
  const token = refresh && sameRefreshToken(opensSessionId, secret, refresh)
  if (session === null || token === null) throw refused('the session has ended or is in use')
  if (user !== null && !(await kit.passwordStands(session, user)))
    throw refused('the password has changed')
  const { methods } = session
  const asked = { door: 'device-link', user, methods, code: undefined, context } as const
  const decision = await kit.decideSignIn(asked)
  if (!decision.allowed) throw refused(decision.reason)
  return sign(kit, session, decision.approved.user, token)
}

async function sign(
  kit: LinksKit,
  session: SessionRecord,
  user: AuthUser,
  refreshToken: string,
): Promise<LoggedIn> {
  const me = await kit.describeMe(user)
  const required = await kit.requiredOf(user, session.methods)
  const issued = await kit.accessTokens.issue(session, kit.accessTokenLifetime, kit.clock())
  return { session, ...issued, refreshToken, me, required, rememberToken: null }
}

function refused(message: string): AuthError {
  return new AuthError('invalid_grant', { message: `device link not opened again: ${message}` })
}

// The absolute value: a clock that was set back must not make an old code young.
function isWithin(milliseconds: number, earlier: Date, now: Date): boolean {
  return Math.abs(now.getTime() - earlier.getTime()) <= milliseconds
}
