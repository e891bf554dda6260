import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { type SessionSummary, summarizeAll } from '../account/own-sessions.js'
import type { Credentials } from '../account/sign-in-for-host.js'
import type { RequestContext } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import { requirePages } from '../guard/token-from.js'
import type { OpenSession, OpenSessionRequest } from '../host-sign-in/open-session.js'
import { watchRequest } from '../http/client-abort.js'
import { keepPrivate } from '../http/cookies.js'
import type { Capability } from '../http/endpoint.js'
import { parseOptions, requireRequest } from '../http/input.js'
import type { Pages } from '../http/page-origin.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { LogIn } from '../login/log-in.js'
import { parseFormCredentials } from '../login/login-request.js'
import { type RequiredInAnswer, requiredIn } from '../principal/required-actions.js'
import { browserLifetime, endUnlessKept, findSessionOfCookie } from '../sessions/browser-session.js'
import type { OpenedSession } from '../sessions/issuing.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Me } from '../users/me.js'

/** How long a browser stays signed in. */
export interface StayOptions {
  /**
   * True: for the `lifetimes` of the router, even after the browser is closed. False: until the
   * browser is closed, at most 12 hours without use and 24 hours in all, or less if `lifetimes` are
   * shorter. Default false.
   */
  readonly stay?: boolean
}

/** Options of {@link CookieForHost.open}. */
export interface OpenByCookie
  extends StayOptions,
    Pick<OpenSessionRequest, 'userId' | 'methods' | 'code'> {}

/** The sign-in of a browser. Never contains the value of the cookie. */
export interface SignedInByCookie extends RequiredInAnswer {
  readonly userId: string
  readonly session: SessionSummary
  /** The user as clients see it: `_id`, `name`, `username`, `status`, fields of `describeUser`. */
  readonly me: Me
}

/**
 * Signs the browsers of your pages in and out, with a cookie. Needs `pagesOrigin` or `oauth`:
 * otherwise every method rejects with `AuthConfigError`.
 *
 * All three are for requests of your own pages. Any other request is `forbidden`, including links
 * in mails and redirects from other sites: let those lead to a page with a button. Call the methods
 * before you send headers.
 */
export interface CookieForHost {
  /**
   * `POST /login` for your own form, in which the field `code` may be empty: the same decision,
   * limits, events and errors as `auth.signIn`. Then ends the browser's former session and sets the
   * cookie of the new one.
   *
   * Rejects with `AuthError` and sets no cookie: the errors of `auth.signIn`, and `forbidden`.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const form = express.urlencoded({ extended: false, limit: '8kb' })
   * express().post('/sign-in', form, (req, res, next) => {
   *   auth.cookie
   *     .signIn(req, res, req.body, { stay: req.body?.stay === 'on' })
   *     .then(() => res.redirect(303, '/'), next)
   * })
   * ```
   */
  signIn(
    request: IncomingMessage,
    response: ServerResponse,
    credentials: Credentials,
    options?: StayOptions,
  ): Promise<SignedInByCookie>
  /**
   * Signs in a user whom your own code has verified: see `auth.sessions.open`.
   *
   * Rejects with `AuthError` and sets no cookie: the errors of `auth.sessions.open`, and
   * `forbidden`.
   */
  open(
    request: IncomingMessage,
    response: ServerResponse,
    opening: OpenByCookie,
  ): Promise<SignedInByCookie>
  /**
   * Ends the browser's session and deletes the cookie. Resolves with false if the browser was not
   * signed in.
   *
   * Rejects with `AuthError`: `forbidden`, or `temporarily-unavailable`; the cookie then stays, so
   * that the user can try again.
   */
  signOut(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

/** Signs browsers of the host's pages in by a cookie. */
export interface Cookie extends Capability {
  readonly cookie: CookieForHost
}

export interface CookieKit extends SignInKit {
  readonly logIn: LogIn
  readonly openSession: OpenSession
}

/** Has no routes: the host's own forms call it. */
export function createCookie(kit: CookieKit): Cookie {
  const { logIn, openSession, sessions } = kit

  async function signIn(visit: Visit, given: unknown, stay: boolean): Promise<SignedInByCookie> {
    const request = parseFormCredentials(given)
    const { context } = visit
    // If the client disconnects before its turn, no password is hashed.
    const watched = watchRequest(visit.request)
    try {
      const aborted = () => watched.signal
      const how = { lifetime: browserLifetime(stay), tokens: 'cookie' } as const
      const asked = { request, ...how, context, aborted, setHeaders: () => {} }
      return await settle(kit, visit, await logIn(asked), stay)
    } finally {
      watched.end()
    }
  }

  return {
    routes: [],
    cookie: {
      async signIn(request, response, credentials, options = {}) {
        const visit = await beginVisit(kit, 'signIn', request, response)
        return signIn(visit, credentials, parseOptions(stayOptions, options).stay)
      },

      async open(request, response, opening) {
        const visit = await beginVisit(kit, 'open', request, response)
        const { stay, ...vouched } = parseOptions(openOptions, opening)
        const asked = { ...vouched, lifetime: browserLifetime(stay), request } as OpenSessionRequest
        return settle(kit, visit, await openSession(asked, 'cookie'), stay)
      },

      async signOut(request, response) {
        const { session, cookie, context } = await beginVisit(kit, 'signOut', request, response)
        // The end is stored before the browser deletes the cookie, so that a failure can be
        // repeated.
        const ended = session !== null && (await sessions.end(session, 'logout', context))
        cookie.forget(response)
        return ended
      },
    },
  }
}

/** A request of one of the host's pages. */
interface Visit extends Pick<Pages, 'cookie'> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly context: RequestContext
  /** The browser's live session; null if it has none. */
  readonly session: SessionRecord | null
}

// 400, 403, 503
async function beginVisit(
  { pages: given, sessions, contexts, audit }: CookieKit,
  called: keyof CookieForHost,
  asking: unknown,
  response: ServerResponse,
): Promise<Visit> {
  const pages = requirePages(given, `auth.cookie.${called}()`)
  const request = requireRequest(asking)
  requireResponse(response, called)
  keepPrivate(response)
  const context = contexts.of(request)
  await reportRefusal(audit, context, async () => pages.requireOwnPage(request))
  const session = await findSessionOfCookie(pages, sessions, request)
  return { request, response, context, cookie: pages.cookie, session }
}

function requireResponse(response: Partial<ServerResponse> | null | undefined, called: string) {
  const isOpen = typeof response?.setHeader === 'function' && response.headersSent === false
  if (isOpen) return
  throw new AuthConfigError(
    `cookie.${called}()`,
    'was given no response, or one whose headers are sent: no cookie can be set in it.',
    'pass the request and the response of Express, before anything is answered.',
  )
}

async function settle(
  { sessions, countSockets }: CookieKit,
  { cookie, response, context, session: earlier }: Visit,
  { session, token, expiresIn, me, required }: OpenedSession,
  stay: boolean,
): Promise<SignedInByCookie> {
  await endUnlessKept(sessions, session, context, async () => {
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
    cookie.keep(response, token, stay ? expiresIn : null)
  })
  const [summary] = await summarizeAll([session], countSockets)
  const { userId } = session
  return { userId, session: summary as SessionSummary, me, ...requiredIn(required) }
}

const stayOptions = z.strictObject({ stay: z.boolean().default(false) })
// The other members are checked where they are used.
const openOptions = stayOptions.extend({
  userId: z.unknown(),
  methods: z.unknown().optional(),
  // Forms also send empty fields.
  code: z.preprocess((code) => (code === '' ? undefined : code), z.unknown().optional()),
})
