import { AuthConfigError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import type { Provider } from './contract.js'
import { checkOpenIdOptions, type OpenIdSettings } from './open-id-options.js'
import { createOpenIdProvider, type OpenIdExtras } from './open-id-provider.js'

/** Options of {@link googleProvider}. */
export interface GoogleProviderOptions extends OpenIdSettings {
  readonly clientSecret: string
  /** Default `google`. */
  readonly id?: string
  /** Default `Google`. */
  readonly name?: string
  /**
   * The domain of a Google Workspace, such as `example.com`: nobody else may come in. Default:
   * everybody with a Google account.
   */
  readonly hostedDomain?: string
}

/**
 * Sign-in with [Google](https://developers.google.com/identity/openid-connect/openid-connect): an
 * {@link openIdProvider} with Google's issuer. Google sends no `auth_time`, so it cannot prove the
 * age of a sign-in.
 *
 * @throws AuthConfigError at once, for an option that is unknown, missing or unsafe; at the first
 * sign-in, if `openid-client` is not installed
 *
 * @example
 * ```ts
 * import { googleProvider } from 'messaging-auth-router/providers'
 *
 * const google = googleProvider({
 *   clientId: '1234567890.apps.googleusercontent.com',
 *   clientSecret: process.env['GOOGLE_CLIENT_SECRET'] ?? '',
 * })
 * ```
 */
export function googleProvider(options: GoogleProviderOptions): Provider {
  const { hostedDomain, id = 'google', name = 'Google', ...others } = ownMembers(options)
  const settings = {
    provesAge: false,
    ...others,
    id,
    name,
    issuer: 'https://accounts.google.com',
    clientAuth: 'client_secret_post',
  }
  const checked = checkOpenIdOptions(settings, 'googleProvider')
  return createOpenIdProvider(checked, hostedDomainOnly(hostedDomain))
}

/**
 * The addition of Google to the protocol: the domain of its Workspace.
 *
 * @internal
 */
export function hostedDomainOnly(domain: string | undefined): OpenIdExtras {
  if (domain === undefined) return {}
  requireDomain(domain)
  return {
    // Only chooses the form: a user can take it out of the address.
    parameters: { hd: domain },
    objection: ({ hd }) => (hd === domain ? null : 'hosted-domain'),
  }
}

function requireDomain(domain: unknown): void {
  if (typeof domain === 'string' && /^[a-z\d-]{1,63}(\.[a-z\d-]{1,63})+$/.test(domain)) return
  throw new AuthConfigError(
    'googleProvider.hostedDomain',
    'is not a domain in lower case.',
    'pass the domain of your Google Workspace, such as example.com, or leave it out.',
  )
}
