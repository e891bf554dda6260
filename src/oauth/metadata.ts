import { assertionAlgorithms } from '../signers/client-assertion.js'
import { addressAt } from './base-url.js'
import { clientAuthMethods } from './client-credentials.js'

/** The capabilities that the metadata describes. */
export interface MetadataSettings {
  /** As in tokens, byte for byte. */
  readonly issuer: string
  /** The URL at which clients reach the router. */
  readonly baseUrl: URL
  /** All scopes that clients may request, without `*`. */
  readonly scopes: readonly string[]
  /** Claims in ID Tokens and UserInfo besides those always present. */
  readonly claims: readonly string[]
  /** The algorithms of ID Tokens. Empty: no OpenID Connect and no UserInfo. */
  readonly idTokenAlgorithms: readonly string[]
  /** The `acr` values that clients may request. */
  readonly acrValues: readonly string[]
  /** Languages of the pages. */
  readonly locales: readonly string[]
  /** Whether tokens can be introspected. */
  readonly introspection: boolean
  /** Whether everybody can make an account. */
  readonly isRegistrationOpen: boolean
  /** The grants that are on. */
  readonly grants: readonly string[]
  /** Whether devices can ask for codes. */
  readonly hasDeviceFlow: boolean
  /** Whether apps can sign users out here. */
  readonly offersLogout: boolean
  /** Whether an app may be known by its document alone. */
  readonly acceptsClientDocuments: boolean
  /** Whether apps can register themselves. */
  readonly acceptsRegistrations: boolean
}

const prompts = ['none', 'login', 'consent', 'select_account']

/** The claims of every ID Token. */
const tokenClaims = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid']

/**
 * The server's metadata: one document for [RFC 8414
 * §2](https://www.rfc-editor.org/rfc/rfc8414#section-2) and [OpenID Connect Discovery
 * §3](https://openid.net/specs/openid-connect-discovery-1_0.html). It lists only what is enabled.
 */
export function serverMetadata(settings: MetadataSettings): Readonly<Record<string, unknown>> {
  const { issuer, baseUrl } = settings
  return Object.freeze({
    issuer,
    authorization_endpoint: addressAt(baseUrl, '/oauth/authorize'),
    token_endpoint: addressAt(baseUrl, '/oauth/token'),
    jwks_uri: addressAt(baseUrl, '/auth/jwks.json'),
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: settings.grants,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: clientAuthMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint: addressAt(baseUrl, '/oauth/revoke'),
    // Without this the default would be client_secret_basic alone.
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    ...introspectionMetadata(settings),
    ...(settings.hasDeviceFlow && {
      device_authorization_endpoint: addressAt(baseUrl, '/oauth/device_authorization'),
    }),
    ...(settings.acceptsRegistrations && {
      registration_endpoint: addressAt(baseUrl, '/oauth/register'),
    }),
    scopes_supported: listOf(settings.scopes),
    prompt_values_supported: [...prompts, ...(settings.isRegistrationOpen ? ['create'] : [])],
    ...(settings.locales.length > 0 && { ui_locales_supported: listOf(settings.locales) }),
    ...openIdMetadata(settings),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_pushed_authorization_requests: false,
    client_id_metadata_document_supported: settings.acceptsClientDocuments,
  })
}

function introspectionMetadata({ introspection, baseUrl }: MetadataSettings): object {
  if (!introspection) return {}
  return {
    introspection_endpoint: addressAt(baseUrl, '/oauth/introspect'),
    introspection_endpoint_auth_methods_supported: clientAuthMethods.filter(
      (method) => method !== 'none',
    ),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  }
}

function openIdMetadata(settings: MetadataSettings): object {
  const { idTokenAlgorithms, claims, acrValues, baseUrl } = settings
  if (idTokenAlgorithms.length === 0) return {}
  return {
    userinfo_endpoint: addressAt(baseUrl, '/oauth/userinfo'),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: listOf(idTokenAlgorithms),
    claims_supported: listOf([...tokenClaims, ...claims]),
    claims_parameter_supported: false,
    // OpenID Connect RP-Initiated Logout 1.0 §2.1.
    ...(settings.offersLogout && { end_session_endpoint: addressAt(baseUrl, '/oauth/logout') }),
    // Only an ID Token tells a client the `acr` of a sign-in.
    ...(acrValues.length > 0 && { acr_values_supported: listOf(acrValues) }),
    // OpenID Connect Back-Channel Logout 1.0 §2.1.
    ...(settings.offersLogout && {
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }),
  }
}

function listOf(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
