import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthConfigError, AuthError } from '../errors.js'
import { writeAnswer } from '../http/answer.js'
import { keepPrivate, ownHeader } from '../http/cookies.js'
import type { ReadCredentials } from '../http/credentials.js'
import { isForClient } from '../http/endpoint.js'
import type { SignInUrl } from '../http/page-origin.js'
import { writeProblem } from '../http/problem.js'
import { callable, checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import type { Principal } from '../principal/principal.js'
import { isWithin } from '../sessions/recent-sign-in.js'
import { isKnownKind } from '../stores/stored-values.js'
import { type Acr, acrOf, isAcr, reachesAcr } from '../two-factor/acr.js'
import type { GuardKit } from './guard-kit.js'
import { isAllowed, requireAllowed, scopeRules } from './scope.js'
import {
  type CredentialsFrom,
  createReaders,
  from,
  hasTokenIn,
  resourceRule,
  type TokenFrom,
  withChallenge,
} from './token-from.js'

declare global {
  namespace Express {
    interface Request {
      /**
       * The caller. Set by `requireAuth()`; undefined on a route without it, and for an
       * unauthenticated request in its `optional` mode.
       */
      auth: Principal
    }
  }
}

/** The requirements of a route on its callers. */
export interface RequireAuthOptions {
  /**
   * True lets a request without credentials through, with `req.auth` undefined. Wrong credentials
   * are still refused. `'lenient'` treats credentials that would get 401, such as those of an ended
   * session, as absent. 400, 403 and 503 are the same in every mode. Default false.
   */
  readonly optional?: boolean | 'lenient'
  /**
   * Scopes the token must hold, all of them; a token with `*` holds every scope. `[]`: any token
   * passes. Default: a signed-in user passes; a named token needs `*`. Refusal: 403 `forbidden`.
   */
  readonly scope?: string | readonly string[]
  /**
   * False closes the route to a member of your staff who acts for the user: for what only the user
   * may see or do, such as private messages. Default true. Refusal: 403 `forbidden`.
   */
  readonly actor?: boolean
  /**
   * The longest time since the user last proved who they are, in seconds; named tokens never pass.
   * Default: any. Refusal: 403 `reauthentication-required`.
   */
  readonly maxAge?: number
  /**
   * How well the user must have proved who they are: `urn:mar:2fa` with two factors or a passkey
   * alone, `phr` with a passkey alone; named tokens never pass. Default: any. Refusal: as for
   * `maxAge`; an app is answered 401 `insufficient_user_authentication` for either, and can send
   * its user to sign in again ([RFC 9470](https://www.rfc-editor.org/rfc/rfc9470)).
   */
  readonly acr?: Acr
  /**
   * Guards a further API of this server, one of `oauth.resources` with scopes: only tokens that
   * were issued for it pass ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)), and no named
   * token and no cookie. Default: your own API.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const guard = auth.requireAuth({
   *   resource: 'https://chat.example.com/mcp',
   *   scope: 'messages:read',
   * })
   * express().post('/mcp', guard, (req, res) => void res.json({ for: req.auth.userId }))
   * ```
   */
  readonly resource?: string
  /**
   * Finds the token; the headers are then not read. The result is treated as a Bearer token; null
   * and undefined mean a request without credentials. If it throws or returns anything else, the
   * request goes to the host's error handler. Default: the headers.
   *
   * Do not read a token that browsers send by themselves, such as one in a cookie: any page could
   * then act for its user. For the cookie of your pages use `from`.
   */
  tokenFrom?(request: IncomingMessage): string | null | undefined
  /**
   * The place of the credentials: the headers, the cookie of your pages, or either. With `either`,
   * a request with headers is judged by its headers alone. The last two need `pagesOrigin`. A
   * request that changes something must then come from a page of yours (403 `forbidden`), and a
   * request that a foreign page embeds counts as having no cookie. Answers get
   * `Cache-Control: private` and `Vary: Cookie`, unless you have set others. Default `headers`.
   */
  readonly from?: CredentialsFrom
  /**
   * Answers a refusal, for example with a redirect, instead of the JSON. `error.status` is 400, 401
   * or 403; an outage stays 503. It must answer or call `next(error)`; `next()` alone also passes
   * the error on, so it cannot let a request in.
   *
   * `'sign-in-page'`, with `from: 'cookie'` and the option `oauth`: a browser that opens a page and
   * is not signed in, or lacks a second factor that it must have, is led to the sign-in page (303),
   * and afterwards back to this path. All other refusals are JSON. Default: JSON.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const guard = auth.requireAuth({
   *   onRefused(error, _req, res: express.Response, next) {
   *     if (error.status === 401) res.redirect(303, '/sign-in')
   *     else next(error)
   *   },
   * })
   * express().get('/rooms', guard, (req, res) => void res.send(req.auth.userId))
   * ```
   */
  readonly onRefused?: OnRefused | 'sign-in-page'
}

/** Answers a refusal in the host's own words. */
export type OnRefused = RefusalOfHost['answer']

// A method, whose parameters may be narrower: hosts write `express.Response`.
interface RefusalOfHost {
  answer(
    error: AuthError,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): unknown
}

/** Express middleware, typed without Express so that it fits hosts on version 4 and 5. */
export type Guard = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** `requireAuth` throws AuthConfigError for an unknown option. */
export function createRequireAuth(kit: GuardKit): (options?: RequireAuthOptions) => Guard {
  const { recognise, authenticateRequest, forgetSession, contexts } = kit
  return (options = {}) => {
    refuseRequest(options)
    const given = checkOptions(rules, options)
    const { optional, maxAge, acr, scope, actor, onRefused: answering, ...where } = given
    const required = { scope, actor }
    const { newReader, metadataUrl } = createReaders('requireAuth', where, kit)
    const onRefused = answering === 'sign-in-page' ? toSignInPage(where.from, kit) : answering
    const takesCookie = where.from !== 'headers'
    const isProven = createIsProven(kit, { maxAge, acr })

    async function admit(
      request: IncomingMessage,
      read: ReadCredentials,
    ): Promise<Principal | undefined> {
      const context = contexts.of(request)
      if (optional !== false && isWithout(request, read)) return undefined
      const ask = () => authenticateRequest(request, context, 'complete', read)
      const remembered = (await ask()).principal
      requireAllowed(remembered, required)
      if (isProven(remembered)) return remembered
      // The user may have reauthenticated in another process a moment ago, so the cache alone
      // refuses nobody.
      forgetSession(remembered.sessionId)
      const { principal } = await ask()
      if (!isProven(principal)) throw notProven(principal, { maxAge, acr }, metadataUrl)
      return principal
    }

    // Errors here are ignored: `admit` reports them. If Express got `undefined` thrown at it, it
    // would let the request in.
    function admitAtOnce(request: IncomingMessage, read: ReadCredentials): Principal | null {
      try {
        const principal = recognise(request, read)?.principal
        if (principal === undefined) return null
        return isAllowed(principal, required) && isProven(principal) ? principal : null
      } catch {
        return null
      }
    }

    return (request, response, next) => {
      if (takesCookie) keepPrivate(response)
      const read = newReader()
      const known = admitAtOnce(request, read)
      if (known !== null) {
        pass(request, known, next)
        return
      }
      Promise.resolve()
        .then(() => admit(request, read))
        .catch((error: unknown) => {
          if (optional !== 'lenient' || !isNotSignedIn(error)) throw error
          return undefined
        })
        .then(
          (principal) => pass(request, principal, next),
          async (failure: unknown) => {
            const hasToken = () => hasTokenIn(request, read)
            const error = withChallenge(failure, { metadataUrl, scope, hasToken })
            await refuse(error, onRefused, request, response, next)
          },
        )
        .catch(next)
    }
  }
}

// `app.use(auth.requireAuth)`, without parentheses, passes the request as options.
function refuseRequest(options: object | null): void {
  if (typeof options !== 'object' || options === null) return
  if (!('headers' in options && 'socket' in options)) return
  throw new AuthConfigError(
    'requireAuth',
    'was passed to a route itself, and was given a request in the place of options.',
    'write requireAuth() with its parentheses: it makes the middleware.',
  )
}

async function refuse(
  error: unknown,
  onRefused: OnRefused | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error: unknown) => void,
): Promise<void> {
  // A value that is not an error, such as '' or 'route', could let the request in.
  if (!isForClient(error)) next(error instanceof Error ? error : withoutReason(error))
  else if (onRefused === undefined || error.status >= 500) writeProblem(response, error, 'plain')
  else await handOver(onRefused, error, request, response, next)
}

function toSignInPage(from: CredentialsFrom, { signInUrl }: GuardKit): OnRefused {
  const findSignInPage = createFindSignInPage(from, signInUrl)
  return function leadToSignInPage(error, request, response) {
    const location = findSignInPage(error, request)
    if (location === null) writeProblem(response, error, 'plain')
    else writeAnswer(response, { status: 303, text: '', headers: { ...empty, Location: location } })
  }
}

const empty = { 'Content-Type': 'text/plain; charset=utf-8' }

/**
 * Lets the host answer a refusal. Its `next()` passes the error on, never the request. If the host
 * throws or rejects with an error, that error is passed on instead.
 */
async function handOver(
  onRefused: OnRefused,
  error: AuthError,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
): Promise<void> {
  try {
    // Express would continue to the route on any falsy value, and behind `app.use` on 'route' or
    // 'router'.
    const handOn = (given: unknown) => next(given instanceof Error ? given : error)
    await onRefused(error, request, response, handOn)
  } catch (failure) {
    // The answer may have been sent already.
    if (!response.headersSent) next(failure instanceof Error ? failure : error)
  }
}

function withoutReason(cause: unknown): Error {
  return new Error('the guard rejected without a reason', { cause })
}

// Malformed credentials are not absent: `authenticateRequest` refuses and reports them.
function isWithout(request: IncomingMessage, read: ReadCredentials): boolean {
  try {
    return read(request) === null
  } catch {
    return false
  }
}

function isNotSignedIn(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'Unauthorized'
}

function pass(
  request: IncomingMessage & { auth?: unknown },
  principal: Principal | undefined,
  next: () => void,
): void {
  request.auth = principal
  next()
}

const isAge = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0

// A misspelt option would otherwise be ignored, and a polluted Object.prototype could make every
// guard optional.
const rules = {
  factory: 'requireAuth',
  schema: optionsOf({
    optional: fitting<boolean | 'lenient'>(
      (value) => typeof value === 'boolean' || value === 'lenient',
      "is neither true, false nor 'lenient'.",
    ).default(false),
    ...scopeRules,
    maxAge: fitting<number>(isAge, 'is not a number of seconds.').optional(),
    acr: fitting<Acr>(isAcr, "is none of 'urn:mar:1fa', 'urn:mar:2fa' and 'phr'.").optional(),
    resource: resourceRule,
    tokenFrom: callable<TokenFrom>().optional(),
    onRefused: fitting<OnRefused | 'sign-in-page'>(
      (value) => typeof value === 'function' || value === 'sign-in-page',
      "is neither a function nor 'sign-in-page'.",
    ).optional(),
    from,
  }),
}

/** The requirements of a guard on the proof of the user's identity. */
interface RequiredProof {
  /** Seconds. */
  readonly maxAge: number | undefined
  readonly acr: Acr | undefined
}

// A program cannot reauthenticate: the proof behind its token was given once, by a person. An app
// can have its user sign in again (RFC 9470 §4), which updates the time of its session.
function createIsProven(
  { meetsFactorPolicy, clock }: GuardKit,
  { maxAge, acr }: RequiredProof,
): (principal: Principal) => boolean {
  return function isProven({ kind, authenticatedAt, methods }) {
    if (maxAge === undefined && acr === undefined) return true
    if (!isKnownKind(kind) && kind !== 'oauth') return false
    if (maxAge !== undefined && !isWithin({ authenticatedAt, methods }, maxAge, clock()))
      return false
    return acr === undefined || reachesAcr(acrOf(methods, meetsFactorPolicy), acr)
  }
}

// RFC 9470 §3: an app sends these values with its next authorization request, where there is a
// server for it.
function notProven(
  { kind }: Principal,
  { maxAge, acr }: RequiredProof,
  metadataUrl: string | undefined,
): AuthError {
  const details = { ...(maxAge !== undefined && { maxAge }), ...(acr !== undefined && { acr }) }
  if (kind !== 'oauth' || metadataUrl === undefined)
    return new AuthError('reauthentication-required', { details })
  const words = [
    'error="insufficient_user_authentication"',
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
  ]
  const headers = { 'WWW-Authenticate': `Bearer ${words.join(', ')}` }
  return new AuthError('insufficient_user_authentication', { details, headers })
}

/** The sign-in page for a refused request; null if the answer is JSON. */
type FindSignInPage = (error: AuthError, request: IncomingMessage) => string | null

/**
 * Finds the sign-in page for a refused navigation, which leads back to its own path. Nothing else
 * gets it: no script, image or form.
 *
 * @throws AuthConfigError if the guard does not read the cookie, or there is no sign-in page
 */
function createFindSignInPage(
  from: CredentialsFrom,
  signInUrl: SignInUrl | undefined,
): FindSignInPage {
  const option = 'requireAuth.onRefused'
  const given = "is 'sign-in-page', which"
  if (from !== 'cookie') {
    // The page sets the cookie, so a guard that reads something else would lead there for ever.
    const problem = `${given} signs in by the cookie, and from is '${from}'.`
    throw new AuthConfigError(option, problem, "pass from: 'cookie', or a function.")
  }
  if (signInUrl === undefined) {
    const remedy = 'pass oauth to createAuthRouter, as docs/pages.md says, or a function here.'
    throw new AuthConfigError(option, `${given} comes with oauth, and oauth is missing.`, remedy)
  }
  return (error, request) =>
    mayHelp(error) && isNavigation(request) ? signInUrl(pathOf(request)) : null
}

// The pages also set up a second factor that is missing.
function mayHelp({ status, code }: AuthError): boolean {
  return status === 401 || code === 'second-factor-enrolment-required'
}

/** Characters of `Accept` that are read; browsers send 150. */
const maxAcceptChars = 500

// A browser that opens a page. Browsers without Fetch Metadata are known by `Accept` alone.
function isNavigation(request: IncomingMessage): boolean {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return false
  if ((ownHeader(request, 'sec-fetch-mode') ?? 'navigate') !== 'navigate') return false
  const accepted = (ownHeader(request, 'accept') ?? '').slice(0, maxAcceptChars).split(',')
  return accepted.some((range) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(range))
}

// The path is as in the browser: a router of the host has cut its own path from `url`.
function pathOf({ url, originalUrl = url }: IncomingMessage & { originalUrl?: string }): unknown {
  return originalUrl
}
