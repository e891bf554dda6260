import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SessionSummary } from '../account/sessions.endpoint.js'
import type { Credentials } from '../account/sign-in-for-host.js'
import type { OpenSessionRequest } from '../host-sign-in/open-session.js'
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
export interface SignedInByCookie {
  readonly userId: string
  readonly session: SessionSummary
  /** The user as clients see it: `_id`, `name`, `username`, `status`, fields of `describeUser`. */
  readonly me: Me
  /**
   * True if the user must have a second factor but has none. Guards refuse the session until then,
   * so lead the user to the enrolment.
   */
  readonly enrolmentRequired?: true
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
   * The same for a user whom your own code has verified: see `auth.sessions.open`.
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
