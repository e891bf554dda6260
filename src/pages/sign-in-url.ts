import { AuthConfigError, invalidRequest } from '../errors.js'
import { returnPathOf, type SignInUrl } from '../http/page-origin.js'
import { ownMembers } from '../lib/check-options.js'
import { addressAt, maxQueryChars } from '../oauth/base-url.js'

/** The sign-in pages, for the host's own code. */
export interface PagesForHost {
  /**
   * The address of the sign-in page for a page of yours. It goes through all steps (password,
   * second factor, enrolment, passkey), sets the browser's cookie, and then leads to `returnTo`. A
   * browser that is signed in goes there at once. No app and no code are involved.
   *
   * @param options - `returnTo`: a path of the origin of `oauth.baseUrl`, with query and fragment;
   * at most 2,000 characters
   * @throws AuthError `invalid-request` for anything that is no path, or that a browser would
   * resolve to another origin
   * @throws AuthConfigError without the option `oauth`
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().get('/', (_req, res) => {
   *   res.send(`<a href="${auth.pages.signInUrl({ returnTo: '/rooms' })}">Sign in</a>`)
   * })
   * ```
   */
  signInUrl(options: SignInUrlOptions): string
}

/** The target of the browser after the sign-in. */
export interface SignInUrlOptions {
  /** A path of the origin of `oauth.baseUrl`, such as `/rooms?sort=new`. */
  readonly returnTo: string
}

/** The query of the sign-in page that leads to a path of {@link returnPathOf}. */
export function returnQuery(path: string): string {
  // A slash need not be encoded, and an address can be read.
  return `return_to=${encodeURIComponent(path).replaceAll('%2F', '/')}`
}

/** `baseUrl`: the address of the router for browsers. */
export function createSignInUrl(baseUrl: URL): SignInUrl {
  return function signInUrl(returnTo) {
    const path = returnPathOf(returnTo)
    const raw = path === null ? null : returnQuery(path)
    if (raw === null || raw.length > maxQueryChars) return null
    return addressAt(baseUrl, `/oauth/sign-in?${raw}`)
  }
}

/** `auth.pages`; undefined: the host has no pages of ours. */
export function createPagesForHost(signInUrl: SignInUrl | undefined): PagesForHost {
  return {
    signInUrl(options) {
      if (signInUrl === undefined) throw withoutPages('auth.pages.signInUrl')
      const { returnTo } = ownMembers({ ...options })
      const url = signInUrl(returnTo)
      if (url !== null) return url
      const message = 'Invalid input: expected a path of your own origin'
      throw invalidRequest([{ path: 'returnTo', message }])
    },
  }
}

function withoutPages(caller: string): AuthConfigError {
  return new AuthConfigError(
    'oauth',
    `is not configured, and ${caller} needs it.`,
    'pass oauth to createAuthRouter, as docs/pages.md says.',
  )
}
