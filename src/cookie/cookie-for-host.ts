import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionSummary } from '../account/sessions.endpoint.js'
import type { Credentials } from '../account/sign-in-for-host.js'
import type { OpenSessionRequest } from '../host-sign-in/open-session.js'
import type { Me } from '../users/me.js'

/** How long a browser stays signed in. */
export interface StayOptions {
  /**
   * True: as long as `lifetimes` of the router say, also once the browser was closed. Otherwise
   * until it is closed, for 12 hours without use and 24 hours at most, or less where `lifetimes`
   * say so. Default false.
   */
  readonly stay?: boolean
}

/** For whom a browser is to be signed in, and for how long. */
export interface OpenByCookie
  extends StayOptions,
    Pick<OpenSessionRequest, 'userId' | 'methods' | 'code'> {}

/** A browser that is signed in. What the cookie holds is for the browser alone. */
export interface SignedInByCookie {
  readonly userId: string
  readonly session: SessionSummary
  /** As clients see it: `_id`, `name`, `username`, `status`, and what `describeUser` adds. */
  readonly me: Me
  /**
   * True where the user must have a second factor and has none: no guard lets the session in, so
   * lead the user to where it can be set up.
   */
  readonly enrolmentRequired?: true
}

/**
 * Signs the browsers of your pages in and out, by a cookie. Needs `pagesOrigin` or `oauth`: without
 * them each of these rejects with `AuthConfigError`.
 *
 * All three are for requests of your own pages: any other is `forbidden` before anything is read,
 * links in a mail and redirects from elsewhere among them. Let those lead to a page with a button.
 * Call them before the answer begins.
 */
export interface CookieForHost {
  /**
   * The whole of `POST /login` for a form of yours, in which the field `code` may be left empty:
   * the same decision, limits, events and errors as `auth.signIn`. Then it ends the session that
   * the browser had, and sets the cookie of a new one.
   *
   * Rejects with `AuthError`, and sets no cookie then: see `auth.signIn`, and `forbidden`.
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
   * The same for a user whom you vouch for: see `auth.sessions.open`.
   *
   * Rejects with `AuthError`, and sets no cookie then: see `auth.sessions.open`, and `forbidden`.
   */
  open(
    request: IncomingMessage,
    response: ServerResponse,
    opening: OpenByCookie,
  ): Promise<SignedInByCookie>
  /**
   * Ends the browser's session, and has the browser forget the cookie. Says whether this call ended
   * one: a browser that was not signed in is no error.
   *
   * Rejects with `AuthError`: `forbidden`, and `temporarily-unavailable`; the cookie stays then,
   * and the user tries again.
   */
  signOut(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}
