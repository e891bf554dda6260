import { AuthConfigError } from '../errors.js'
import type { Endpoint } from '../http/endpoint.js'
import { isPagesOrigin } from '../http/page-origin.js'
import type { WarnOnce } from '../lib/logger.js'

/**
 * The issuer as a URL that every client compares equally ([RFC 8414
 * §2](https://www.rfc-editor.org/rfc/rfc8414#section-2)).
 *
 * @throws AuthConfigError unless it is an https URL (or http on the local machine) in normal form,
 * without a query, fragment, user or trailing slash
 */
export function checkIssuer(issuer: string): URL {
  return checkUrl(
    'joseSigner.issuer',
    issuer,
    'set it to the URL of your server, such as https://chat.example.com.',
  )
}

/**
 * The URL at which browsers and clients reach the router.
 *
 * @throws AuthConfigError like {@link checkIssuer}, and if its origin is not the issuer's
 */
export function checkBaseUrl(baseUrl: string, issuer: URL): URL {
  const option = 'oauth.baseUrl'
  const remedy = `set it to the URL that the router is mounted at, such as ${issuer.origin}/api/v1.`
  const url = checkUrl(option, baseUrl, remedy)
  if (url.origin === issuer.origin) return url
  throw new AuthConfigError(option, `is of another origin than the issuer.`, remedy)
}

/** The longest query of a page, in characters. */
export const maxQueryChars = 4096

/** The address of a path of the router. */
export function addressAt({ href }: URL, path: string): string {
  return `${href.replace(/\/$/, '')}${path}`
}

/**
 * Warns the host if the router seems to be mounted elsewhere than at `oauth.baseUrl`. This is no
 * error, since a proxy may strip part of the path.
 */
export function noticingMount(endpoint: Endpoint, baseUrl: URL, warnOnce: WarnOnce): Endpoint {
  const path = baseUrl.pathname.replace(/\/$/, '')
  return function answerNoticing(request) {
    const { baseUrl: mounted } = request.incoming as { readonly baseUrl?: string }
    if (mounted !== undefined && mounted !== path)
      warnOnce({
        code: 'MAR_BASE_URL_MISMATCH',
        level: 'warn',
        message:
          'A request came to the router at another path than that of oauth.baseUrl, to which ' +
          'apps are sent. Remedy: set oauth.baseUrl to where the router is mounted; nothing, if ' +
          'a proxy changes the path on the way.',
      })
    return endpoint(request)
  }
}

function checkUrl(option: string, text: string, remedy: string): URL {
  const problem = problemOf(text)
  if (problem === null) return new URL(text)
  throw new AuthConfigError(option, problem, remedy)
}

function problemOf(text: string): string | null {
  if (!URL.canParse(text)) return 'is not an absolute URL.'
  const url = new URL(text)
  if (!isPagesOrigin(url.origin)) return 'is neither https nor http on the machine itself.'
  if (/[?#]/.test(text)) return 'has a query or a fragment.'
  if (url.username !== '' || url.password !== '') return 'holds credentials.'
  if (text.endsWith('/')) return 'has a slash at its end.'
  // Clients compare it with the issuer they know, some as text and some after parsing.
  const written = `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
  return text === written ? null : `is not written as URLs are, which is ${written}.`
}
