import { z } from 'zod'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { ownerOf } from '../principal/principal.js'
import { isWithin } from '../sessions/recent-sign-in.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { SessionRecord } from '../stores/contract.js'
import { makeNamedToken, type NewNamedToken, namedTokenShape } from './make-named-token.js'
import {
  createNamedTokensForHost,
  type NamedTokensForHost,
  summaryOf,
} from './named-tokens-for-host.js'

/** Tokens for bots and scripts, each with a name, a scope and an expiry of its own. */
export interface NamedTokens extends Capability {
  readonly namedTokens: NamedTokensForHost
}

/** The endpoints of `/auth/access-tokens`, and `auth.namedTokens`. */
export function createNamedTokens(kit: SignInKit): NamedTokens {
  const { sessions, clock } = kit
  const namedTokens = createNamedTokensForHost(sessions, clock, (asked, context) =>
    makeNamedToken(kit, asked, context),
  )
  // The host always may.
  if (!kit.usersMakeNamedTokens) return { routes: [], namedTokens }
  const methods = {
    GET: listNamedTokensEndpoint(kit),
    POST: makeNamedTokenEndpoint(kit),
    DELETE: endNamedTokensEndpoint(kit, 'all'),
  }
  return {
    routes: [
      ['/auth/access-tokens', methods],
      ['/auth/access-tokens/:id', { DELETE: endNamedTokensEndpoint(kit, 'one') }],
    ],
    namedTokens,
  }
}

/** Seconds after a sign-in during which no proof is required. */
const maxAge = 600

/** The body of `POST /auth/access-tokens`. */
export const namedTokenBody: z.ZodObject<typeof namedTokenShape & typeof proofRequest.shape> =
  z.object({ ...namedTokenShape, ...proofRequest.shape })

/** `POST /auth/access-tokens`: makes a token, and returns it this once. */
function makeNamedTokenEndpoint(kit: SignInKit): Endpoint {
  const { signedIn, sessions } = kit
  return async function makeToken(request) {
    // 401, 403. Requires full scope, so that no token can do more than its maker.
    const { session } = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { password, code, passkey, ...asked } = parseInput(
      namedTokenBody,
      await request.readJson(),
    )
    // 401, 403, 429, 503
    const shown = await freshly(kit, session, { password, code, passkey }, request)
    // 401
    await sessions.requireLive(session)
    const { userId } = session
    // 401, 403, 409, 429, 503
    const made = await makeNamedToken(
      kit,
      { ...asked, ...shown, userId, maker: session },
      request.context,
    )
    return ok({ status: 'success', data: made })
  }
}

// An unattended session must not be enough for a key that outlives it by a year; nor must a session
// with the password alone, if its user has a second factor. The token gets the methods that were
// really shown.
async function freshly(
  { proveAgain, clock }: SignInKit,
  session: SessionRecord,
  proof: Proof,
  request: EndpointRequest,
): Promise<Pick<NewNamedToken, 'methods' | 'authenticatedAt'>> {
  const proved = await proveAgain({ session }, proof, request)
  if (proved !== null) return { methods: proved.methods, authenticatedAt: clock() }
  const { methods, authenticatedAt } = session
  if (isWithin(session, maxAge, clock())) return { methods, authenticatedAt }
  throw new AuthError('reauthentication-required', { details: { maxAge } })
}

/** `GET /auth/access-tokens`: my tokens. */
function listNamedTokensEndpoint({ signedIn, sessions }: SignInKit): Endpoint {
  return async function listTokens(request) {
    const { session } = await ownerOf(signedIn, request)
    const accessTokens = (await sessions.listNamed(session.userId)).map(summaryOf)
    return ok({ status: 'success', data: { accessTokens } })
  }
}

/**
 * `DELETE /auth/access-tokens`, and `/:id`: ends all my tokens, or one. The token of another user
 * is "not found", exactly like one that does not exist.
 */
function endNamedTokensEndpoint({ signedIn, sessions }: SignInKit, which: 'one' | 'all'): Endpoint {
  return async function endTokens(request) {
    const { session: current } = await ownerOf(signedIn, request)
    await sessions.requireLive(current)
    const mine = await sessions.listNamed(current.userId)
    const chosen = which === 'all' ? mine : mine.filter(({ id }) => id === request.parameters['id'])
    if (which === 'one' && chosen.length === 0)
      throw new AuthError('not-found', { clientMessage: 'There is no such token.' })
    await Promise.all(chosen.map((one) => sessions.end(one, 'revoked', request.context)))
    return ok({ status: 'success', data: { revoked: chosen.length } })
  }
}
