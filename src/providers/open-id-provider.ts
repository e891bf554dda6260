import { AuthConfigError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { requireLibrary } from '../lib/require-library.js'
import { randomSecret, sha256 } from '../lib/secrets.js'
import type { FlowToStart, Provider } from './contract.js'
import { createReadLogoutToken, readAnswer, refused } from './open-id-answer.js'
import {
  claimsOf,
  createVerifyToken,
  identityOf,
  nameInForm,
  present,
  withClaimed,
} from './open-id-identity.js'
import {
  type CheckedOpenIdOptions,
  checkOpenIdOptions,
  type OpenIdProviderOptions,
  type OpenIdSettings,
} from './open-id-options.js'
import {
  discoverServer,
  type OpenIdServer,
  openIdClient,
  rememberServer,
} from './open-id-server.js'
import { commonMembers } from './provider-options.js'

/** The additions of the shipped providers to the protocol. */
export interface OpenIdExtras {
  /** Parameters of the authorization request besides the protocol's own. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The reason why the claims of an ID token are not enough; null if they are enough. */
  readonly objection?: (claims: Readonly<Record<string, unknown>>) => string | null
}

/**
 * Sign-in with any provider of [OpenID
 * Connect](https://openid.net/specs/openid-connect-core-1_0.html) that has a discovery document:
 * Keycloak, Authentik, Entra ID, Okta, Auth0, another server with this package. It uses
 * `openid-client` 6, which you install beside this package, and which is loaded at the first
 * sign-in.
 *
 * The flow is the authorization code flow, with PKCE and a nonce. All of an ID token is verified,
 * the signature too; clocks may differ by `clockToleranceSeconds`. Discovery is remembered for an
 * hour, and read again for a token with an unknown key, at most once a minute. Requests take at
 * most five seconds and 256 KiB each, follow no redirect, and use https, but for a provider on this
 * machine.
 *
 * For Entra ID pass the issuer of your own tenant:
 * `https://login.microsoftonline.com/<id of the tenant>/v2.0`. The documents for `common` and
 * `organizations` have the placeholder `{tenantid}` in their issuer, which every tenant fits; they
 * are refused.
 *
 * The age of a sign-in there is read from `auth_time`. `maxAge` of a flow is verified by it, and
 * refused where the provider does not send it. `prompt: 'login'` is only asked for: a provider may
 * ignore it.
 *
 * @throws AuthConfigError at once, for an option that is unknown, missing or unsafe, and if
 * `openid-client` is not installed; in a bundle, at the first sign-in
 *
 * @example
 * ```ts
 * import { openIdProvider } from 'messaging-auth-router/providers'
 *
 * const work = openIdProvider({
 *   id: 'work',
 *   name: 'Example Ltd',
 *   issuer: 'https://login.example.com/realms/staff',
 *   clientId: 'chat',
 *   clientSecret: process.env['WORK_CLIENT_SECRET'] ?? '',
 * })
 * ```
 */
export function openIdProvider(options: OpenIdProviderOptions): Provider {
  return createOpenIdProvider(checkOpenIdOptions(options, 'openIdProvider'), {})
}

/**
 * {@link openIdProvider} with the additions of one provider.
 *
 * @internal
 */
export function createOpenIdProvider(
  options: CheckedOpenIdOptions,
  { parameters = {}, objection = () => null }: OpenIdExtras,
): Provider {
  requireLibrary(...openIdClient)
  const { id, name, issuer, userinfo: asksUserinfo, responseMode } = options
  const { provesAge = true } = options
  const servers = rememberServer(() => discoverServer(options))
  const verifyToken = createVerifyToken(options, servers)
  const deps = { ...options, asksUserinfo, verifyToken }

  return {
    id,
    name,
    responseMode,
    ...commonMembers(options),
    provesAge,

    async start(flow) {
      return startedFlow(await servers.current(), options, ownMembers(flow), parameters)
    },

    async finish(flow) {
      const answer = await readAnswer(deps, await servers.current(), flow)
      if (answer.outcome === 'refused') return answer
      const { subject, idToken, userinfo, tokens } = answer
      const problem = objection(idToken)
      if (problem !== null) return refused(problem)
      const read = present({
        name: nameInForm(ownMembers(flow.parameters)['user']),
        ...identityOf(issuer, subject, idToken, userinfo),
      })
      const { claims, onTokens } = options
      const identity =
        claims === undefined ? read : withClaimed(read, claims(claimsOf(idToken, userinfo)))
      await onTokens?.(identity, tokens)
      return { outcome: 'identified', identity }
    },

    readLogoutToken: createReadLogoutToken(options, servers, verifyToken),
  }
}

function startedFlow(
  { library, config }: OpenIdServer,
  options: CheckedOpenIdOptions,
  { state, callbackUrl, loginHint, prompt: asked, maxAge }: FlowToStart,
  parameters: Readonly<Record<string, string>>,
) {
  const keep = { nonce: randomSecret(), verifier: randomSecret() }
  const prompt = asked ?? options.prompt
  const url = library.buildAuthorizationUrl(config, {
    ...parameters,
    redirect_uri: new URL(callbackUrl).href,
    scope: options.scope,
    state,
    nonce: keep.nonce,
    code_challenge: sha256(keep.verifier),
    code_challenge_method: 'S256',
    ...(options.responseMode !== undefined && { response_mode: options.responseMode }),
    ...(options.loginHint && loginHint !== undefined && { login_hint: loginHint }),
    ...(prompt !== undefined && { prompt }),
    ...(maxAge !== undefined && { max_age: String(maxAge) }),
  })
  return { url: url.href, keep: { ...keep, ...(maxAge !== undefined && { maxAge }) } }
}

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
