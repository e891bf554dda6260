import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import type { RefreshRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { Soon } from '../lib/async.js'
import { sha256 } from '../lib/secrets.js'
import type { SignInDecision } from '../sign-in.js'
import type { RefreshState, SessionRecord } from '../stores/contract.js'
import type { SecondFactorRecord } from '../stores/second-factor-contract.js'
import {
  classifyRefreshToken,
  nobodysRefresh,
  type RefreshTokenClass,
  rotateRefreshToken,
  sessionIdOf,
} from '../tokens/refresh-token.js'
import type { AuthUser } from '../users/contract.js'

const text = z.string().min(1)

/** The body of `POST /auth/refresh`: exactly one of the two members. */
export const refreshRequest: z.ZodObject<{
  refreshToken: z.ZodOptional<z.ZodString>
  refresh_token: z.ZodOptional<z.ZodString>
}> = z
  .object({ refreshToken: text.optional(), refresh_token: text.optional() })
  .refine(
    ({ refreshToken, refresh_token }) =>
      (refreshToken === undefined) !== (refresh_token === undefined),
    {
      path: ['refreshToken'],
      message: 'Invalid input: expected refreshToken, a non-empty string',
    },
  )

/** The exchange of refresh tokens; failures are limited by network. */
export function createRefresh(kit: SignInKit): Capability {
  const refresh = kit.throttle.limitFailures('refresh', refreshEndpoint(kit))
  return { routes: [['/auth/refresh', { POST: refresh }, 'oauth']] }
}

// `POST /auth/refresh`: exchanges a refresh token for a new one and a new access token.
function refreshEndpoint(kit: SignInKit): Endpoint {
  const { accessTokens, accessTokenLifetime, clock } = kit
  return function refresh({ context, readJson }) {
    // 400, 413, 415
    return readJson().then((body) => {
      const input = parseInput(refreshRequest, body)
      const presented = (input.refreshToken ?? input.refresh_token) as string
      return refreshSession(
        kit,
        {
          presented,
          // An app's refresh token is valid only at the OAuth token endpoint, where the app
          // authenticates.
          admits: ({ kind }) => kind !== 'oauth',
          rotates: true,
          open:
            () =>
            ({ refreshToken: refresh_token, session }) =>
              accessTokens.issue(
                session,
                accessTokenLifetime,
                clock(),
                undefined,
                ({ token: access_token, expiresIn: expires_in }) =>
                  ok({ access_token, token_type: 'Bearer', expires_in, refresh_token }),
              ),
        },
        context,
      )
    })
  }
}

/** How to exchange a refresh token. */
export interface Refreshing<Tokens> {
  readonly presented: string
  /**
   * Whether this endpoint refreshes such sessions. Tokens of other sessions are refused as unknown.
   */
  readonly admits: (session: SessionRecord) => boolean
  /** Whether the refresh token is rotated. */
  readonly rotates: boolean
  /**
   * Checks the request against a valid session and its user, and returns the function that signs
   * its tokens. If this fails, the refresh token stays valid.
   */
  readonly open: (
    session: SessionRecord,
    user: AuthUser,
  ) => Soon<(refreshed: Refreshed) => Promise<Tokens>>
}

/** A refreshed session, with `refreshToken` as its current token. */
export interface Refreshed {
  readonly refreshToken: string
  readonly session: SessionRecord
  readonly user: AuthUser
}

/** A session that can be refreshed. */
type RefreshableSession = SessionRecord & { readonly refresh: RefreshState }

/**
 * The session named by the token: one that can be refreshed here, or none. `named` is then a live
 * session that cannot.
 */
type Found =
  | { readonly session: RefreshableSession }
  | { readonly session: null; readonly named: SessionRecord | null }

/**
 * Exchanges a refresh token: the only way in which they are exchanged. Throws 400 `invalid_grant`,
 * the same for every reason, or 503.
 */
export async function refreshSession<Tokens>(
  kit: SignInKit,
  { presented, admits, rotates, open }: Refreshing<Tokens>,
  context: RequestContext,
): Promise<Tokens> {
  const id = sessionIdOf(presented)
  if (id === null) throw refusal(kit, 'unknown-or-ended', null, context)
  // 400, 503
  const named = admitted(await kit.sessions.findLive(id), admits)
  const { session } = named
  // This is checked even without a session, so that it takes equally long: the id of a session is
  // not secret, but its state is secret.
  const standing = classify(kit, presented, session)
  // Before the sign-in decision: a forged token must not reach the host's hooks.
  if (session === null || standing.is === 'foreign')
    throw refusal(kit, 'unknown-or-ended', session ?? named.named, context)
  if (standing.is === 'spent') throw await endReused(kit, session, context)
  const reading = readTotp(kit, session)
  const found = await kit.users.findById(session.userId)
  const isRefused = found === null || found.disabled === true
  const totp = isRefused ? undefined : await reading
  const deciding = decide(kit, session, found, totp, context)
  const user = deciding instanceof Promise ? await deciding : deciding
  const opening = open(session, user)
  const sign = opening instanceof Promise ? await opening : opening
  const answer =
    standing.is === 'spent-lately'
      ? repeated(session, standing)
      : await exchange(kit, session, { presented, admits, rotates }, context)
  const { refreshToken } = answer
  const tokens = await sign({ refreshToken, session: answer.session, user })
  const whose = { userId: session.userId, sessionId: session.id }
  if (answer.isRepeat) kit.audit({ type: 'refresh.repeated', ...whose }, context)
  else kit.audit({ type: 'refresh.succeeded', ...whose }, context)
  return tokens
}

/** How a valid token is exchanged. */
type Rules = Pick<Refreshing<unknown>, 'presented' | 'admits' | 'rotates'>

// One conditional write. Where the token is kept, it records the use, and tells whether the session
// has ended.
function exchange(
  kit: SignInKit,
  session: RefreshableSession,
  rules: Rules,
  context: RequestContext,
): Promise<Answer> {
  const { token: refreshToken, refresh } = successorOf(kit, session, rules)
  const { hash } = session.refresh
  return kit.sessions.rotateRefresh(session, hash, refresh, context).then(({ outcome }) => {
    if (outcome === 'superseded' && rules.rotates) return repeatOf(kit, session, rules, context)
    if (outcome !== 'rotated') throw refusal(kit, 'unknown-or-ended', session, context)
    if (rules.rotates) kit.liveSessions.keepRefresh(session.id, refresh)
    return { refreshToken, session: { ...session, refresh }, isRepeat: false }
  })
}

function successorOf(
  { clock, refreshGrace }: SignInKit,
  { id, refresh }: RefreshableSession,
  { presented, rotates }: Rules,
) {
  return rotates
    ? rotateRefreshToken(id, presented, refresh, clock(), refreshGrace)
    : { token: presented, refresh }
}

/** The refresh token of an answer, and the session with that token as its current one. */
interface Answer {
  readonly refreshToken: string
  readonly session: RefreshableSession
  readonly isRepeat: boolean
}

// The access token names the refresh token issued with it, even if that one has been used since.
function repeated(
  session: RefreshableSession,
  { successor }: Extract<RefreshTokenClass, { is: 'spent-lately' }>,
): Answer {
  const refresh = { ...session.refresh, hash: sha256(successor) }
  return { refreshToken: successor, session: { ...session, refresh }, isRepeat: true }
}

function admitted(named: SessionRecord | null, admits: Rules['admits']): Found {
  const refresh = named?.refresh ?? null
  return named === null || refresh === null || !admits(named)
    ? { session: null, named }
    : { session: { ...named, refresh } }
}

// Beside the user: neither needs what the other says. A session that has shown its factor is not
// asked for it again.
function readTotp(
  { secondFactors }: SignInKit,
  { userId, methods }: RefreshableSession,
): Promise<SecondFactorRecord | null> | undefined {
  if (secondFactors.mayGoOn(methods)) return undefined
  const reading = secondFactors.totpOf(userId)
  // Nobody waits for it where the user is refused before.
  reading.catch(() => {})
  return reading
}

function decide(
  kit: SignInKit,
  session: RefreshableSession,
  user: AuthUser | null,
  totp: SecondFactorRecord | null | undefined,
  context: RequestContext,
): Soon<AuthUser> {
  const { methods } = session
  const judge = (stands: boolean) => {
    if (!stands) throw refusal(kit, 'unknown-or-ended', session, context)
    const asked = { door: 'refresh', user, methods, code: undefined, totp, context } as const
    const deciding = kit.decideSignIn(asked)
    return deciding instanceof Promise ? deciding.then(approved) : approved(deciding)
  }
  const approved = (decision: SignInDecision) => {
    if (!decision.allowed) throw refusal(kit, decision.reason, session, context)
    return decision.approved.user
  }
  const standing = user === null || kit.passwordStands(session, user)
  return standing instanceof Promise ? standing.then(judge) : judge(standing)
}

async function endReused(
  kit: SignInKit,
  session: SessionRecord,
  context: RequestContext,
): Promise<AuthError> {
  // RFC 9700 §4.14.2: one of its two holders is a thief, and nobody can tell which.
  const ended = await kit.sessions.end(session, 'refresh-reused', context)
  // The end is reported once, even if several requests present the token at one time.
  if (ended)
    kit.audit({ type: 'refresh.reused', userId: session.userId, sessionId: session.id }, context)
  return refusal(kit, 'reused', session, context)
}

function classify(
  { clock, refreshGrace }: SignInKit,
  presented: string,
  session: RefreshableSession | null,
): RefreshTokenClass {
  const { id, refresh } = session ?? { id: '', refresh: nobodysRefresh() }
  return classifyRefreshToken(id, presented, refresh, clock(), refreshGrace)
}

// A concurrent request with the same token was faster, so the token is used now.
async function repeatOf(
  kit: SignInKit,
  session: RefreshableSession,
  { presented, admits }: Rules,
  context: RequestContext,
): Promise<Answer> {
  const { session: superseded } = admitted(await kit.sessions.findLive(session.id), admits)
  if (superseded === null) throw refusal(kit, 'unknown-or-ended', session, context)
  const standing = classify(kit, presented, superseded)
  if (standing.is === 'spent-lately') return repeated(superseded, standing)
  // The store first said that another token is current, and now that this one is: a replica lags
  // behind. That is no reason to end the session.
  if (standing.is === 'current')
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'stale read of a session',
    })
  throw refusal(kit, 'unknown-or-ended', session, context)
}

// One answer for every reason (RFC 6749 §5.2).
function refusal(
  { audit }: SignInKit,
  reason: RefreshRefusal,
  session: SessionRecord | null,
  context: RequestContext,
): AuthError {
  const whose = { userId: session?.userId ?? null, sessionId: session?.id ?? null }
  audit({ type: 'refresh.refused', reason, ...whose }, context)
  return new AuthError('invalid_grant', { message: `refresh refused: ${reason}` })
}
