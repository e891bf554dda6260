import type { IncomingMessage } from 'node:http'
import { AuthConfigError, type AuthError } from '../errors.js'
import { ownHeader } from '../http/cookies.js'
import type { SignInUrl } from '../http/return-path.js'
import type { CredentialsFrom } from './credentials-from.js'

/** The sign-in page for a refused request; null if the answer is JSON. */
export type FindSignInPage = (error: AuthError, request: IncomingMessage) => string | null

/**
 * Finds the sign-in page for a refused navigation, which leads back to its own path. Nothing else
 * gets it: no script, image or form.
 *
 * @throws AuthConfigError if the guard does not read the cookie, or there is no sign-in page
 */
export function createFindSignInPage(
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

// A browser that opens a page. Those without Fetch Metadata are known by `Accept` alone.
function isNavigation(request: IncomingMessage): boolean {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') return false
  if ((ownHeader(request, 'sec-fetch-mode') ?? 'navigate') !== 'navigate') return false
  const accepted = (ownHeader(request, 'accept') ?? '').slice(0, maxAcceptChars).split(',')
  return accepted.some((range) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(range))
}

// As in the browser: a router of the host has cut its own path from `url`.
function pathOf({ url, originalUrl = url }: IncomingMessage & { originalUrl?: string }): unknown {
  return originalUrl
}
