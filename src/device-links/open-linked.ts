import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { LoggedIn } from '../login/log-in.js'
import { createRedeemCode, type RedeemCodeDeps } from '../pkce/redeem-code.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { AuthorizationCodeRecord, AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { newRefreshToken, sameRefreshToken } from '../tokens/refresh-token.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { nameDevice } from './name-device.js'

/** What an approved link opens. */
export interface LinkedDevice {
  readonly code: AuthorizationCodeRecord
  /** What the device calls itself. */
  readonly name: string | null
  /** The secret part of the first refresh token: the same for the same device. */
  readonly refreshSecret: string
}

/**
 * Opens the session of a link, once. A device that lost the answer gets the tokens of the same
 * session again, for half a minute. Throws 400 `invalid_grant` for every reason alike, or 503.
 */
export type OpenLinked = (device: LinkedDevice, context: RequestContext) => Promise<LoggedIn>

export interface OpenLinkedDeps extends Omit<RedeemCodeDeps, 'codes'> {
  readonly codeStore: Pick<AuthorizationCodeStore, 'consume'>
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds. */
  readonly accessTokenLifetime: number
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly meetsFactorPolicy: SecondFactors['meetsFactorPolicy']
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
}

/** A device that lost the answer asks again within this time. */
const lostAnswerMs = 30_000

export function createOpenLinked(deps: OpenLinkedDeps): OpenLinked {
  const { codeStore, clock } = deps
  const burn = (code: AuthorizationCodeRecord) => codeStore.consume(code.codeHash, clock())
  const redeemCode = createRedeemCode({ ...deps, codes: { burn } })
  return async function openLinked({ code, name, refreshSecret }, context) {
    if (code.consumedAt !== null && isWithin(lostAnswerMs, code.consumedAt, clock()))
      return openAgain(deps, { code, refreshSecret }, context)
    const { token, refresh } = newRefreshToken(code.opensSessionId, refreshSecret)
    const agent = (await nameDevice(context.userAgent)) ?? context.userAgent
    return redeemCode(
      {
        door: 'device-link',
        code,
        // The verifier has found the link.
        refusalOf: () => null,
        open: () => ({
          session: { kind: 'login', refresh, name: name ?? agent ?? 'Linked device' },
          sign: (session, { user }) => sign(deps, session, user, token),
        }),
      },
      context,
    )
  }
}

// The session is there, and the same decision is made once more. Only while its first refresh token
// is the current one: a used one must not come back.
async function openAgain(
  deps: OpenLinkedDeps,
  { code, refreshSecret }: Pick<LinkedDevice, 'code' | 'refreshSecret'>,
  context: RequestContext,
): Promise<LoggedIn> {
  const [session, user] = await Promise.all([
    deps.sessions.findLive(code.opensSessionId),
    deps.users.findById(code.userId),
  ])
  const refresh = session?.refresh ?? null
  const token = refresh && sameRefreshToken(code.opensSessionId, refreshSecret, refresh)
  if (session === null || token === null) throw refused('the session has ended or is in use')
  if (user !== null && !(await deps.passwordStands(session, user)))
    throw refused('the password has changed')
  const approved = await decideAgain(deps, session, user, context)
  return sign(deps, session, approved.user, token)
}

async function decideAgain(
  { decideSignIn }: OpenLinkedDeps,
  { methods }: SessionRecord,
  user: AuthUser | null,
  context: RequestContext,
): Promise<ApprovedSignIn> {
  const asked = { door: 'device-link', user, methods, code: undefined, context } as const
  const decision = await decideSignIn(asked)
  if (decision.allowed) return decision.approved
  throw refused(decision.reason)
}

async function sign(
  deps: OpenLinkedDeps,
  session: SessionRecord,
  user: AuthUser,
  refreshToken: string,
): Promise<LoggedIn> {
  const { accessTokens, accessTokenLifetime, clock, describeMe } = deps
  const me = await describeMe(user)
  const mustEnrol = !deps.meetsFactorPolicy(session.methods) && (await deps.mustHaveFactor(user))
  const issued = await accessTokens.issue(session, accessTokenLifetime, clock())
  return { session, ...issued, refreshToken, me, mustEnrol }
}

function refused(message: string): AuthError {
  return new AuthError('invalid_grant', { message: `device link not opened again: ${message}` })
}

// The absolute value: a clock that was set back must not make an old code young.
function isWithin(milliseconds: number, earlier: Date, now: Date): boolean {
  return Math.abs(now.getTime() - earlier.getTime()) <= milliseconds
}
