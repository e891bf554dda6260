import type { CryptoKey, JWK } from 'jose'
import { createRemoteJWKSet, customFetch, type RemoteJWKSet } from 'jose/jwks/remote'
import { importJWK } from 'jose/key/import'
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { isSafeUrl } from '../lib/addresses.js'
import { ownMembers } from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { outgoing } from '../lib/outgoing.js'
import { noLibrary } from '../lib/require-library.js'
import { algorithms, type CheckedOpenIdOptions } from './open-id-options.js'

type Library = typeof import('openid-client')

/** The published data of a provider: its discovery document, and its keys. */
export interface OpenIdServer {
  readonly library: Library
  readonly config: Configuration
  readonly keys: RemoteJWKSet
  /** The algorithms of its tokens: announced by the provider, and accepted here. */
  readonly algorithms: string[]
  /** `iss` is in its answers: RFC 9207. */
  readonly sendsIssuer: boolean
}

/** Discovery, remembered. */
export interface OpenIdServers {
  /** At most an hour old. Rejects if the provider cannot be asked, or says something else. */
  current(): Promise<OpenIdServer>
  /**
   * For a token with an unknown key: newer data of the provider, or the known data if they are not
   * a minute old.
   */
  newer(known: OpenIdServer): Promise<OpenIdServer>
}

const maxAgeMs = 3_600_000
const minAgeMs = 60_000
/** A key that the provider has withdrawn is trusted for so long. */
const maxKeyAgeMs = 600_000

/** Asks once at a time, however many sign-ins wait for it. */
export function rememberServer(discover: () => Promise<OpenIdServer>): OpenIdServers {
  let known: { readonly server: OpenIdServer; readonly at: number } | undefined
  let asking: Promise<OpenIdServer> | undefined
  let askedAt = Number.NaN

  async function ask(): Promise<OpenIdServer> {
    try {
      const server = await discover()
      known = { server, at: Date.now() }
      return server
    } finally {
      asking = undefined
    }
  }

  function askOnce(): Promise<OpenIdServer> {
    if (asking !== undefined) return asking
    askedAt = Date.now()
    asking = ask()
    return asking
  }

  return {
    async current() {
      return known !== undefined && isYounger(known.at, maxAgeMs) ? known.server : askOnce()
    },

    // Anybody can send a token with an unknown key, even while the provider is down.
    async newer(server) {
      if (known !== undefined && known.server !== server) return known.server
      return asking === undefined && isYounger(askedAt, minAgeMs) ? server : askOnce()
    },
  }
}

// A negative age means that the clock was set back, so the true age is unknown.
function isYounger(at: number, than: number): boolean {
  const age = Date.now() - at
  return age >= 0 && age < than
}

/** How this server asks a provider, and how browsers do. */
interface Ways {
  /** Asks at the inner origin, if there is one. */
  readonly ask: typeof outgoing
  /** An address of the document as browsers have it. */
  outside(address: string): string
}

function waysOf({ issuer, innerOrigin }: CheckedOpenIdOptions): Ways {
  if (innerOrigin === undefined) return { ask: outgoing, outside: (address) => address }
  const { origin } = new URL(issuer)
  const moved = (address: string, from: string, to: string) =>
    address.startsWith(`${from}/`) ? to + address.slice(from.length) : address
  return {
    ask(address, asked) {
      const inner = moved(String(address), origin, innerOrigin)
      // The option says whether http is allowed there, and nowhere else.
      const allowsHttp = inner.startsWith(`${innerOrigin}/`)
      return outgoing(inner, { ...asked, allowsHttp })
    },
    outside: (address) => moved(address, innerOrigin, origin),
  }
}

/** Reads the discovery document of a provider. */
export async function discoverServer(options: CheckedOpenIdOptions): Promise<OpenIdServer> {
  const { issuer, clientId } = options
  const { ask, outside } = waysOf(options)
  const library = await loadLibrary()
  const isLocal = new URL(issuer).protocol === 'http:'
  const execute = isLocal ? [library.allowInsecureRequests] : []
  const ways = { execute, [library.customFetch]: ask as CustomFetch }
  const found = await library
    .discovery(new URL(issuer), clientId, {}, library.None(), ways)
    .catch((error: unknown) => Promise.reject(outageOf(error)))
  const said = ownMembers(found.serverMetadata())
  // OpenID Connect Discovery §4.3. The library compares after it has normalised both, and takes
  // the placeholder of Entra for every tenant.
  if (said.issuer !== issuer) throw new UnexpectedAnswer(`discovery of ${issuer} names another.`)
  const used = algorithmsOf(said.id_token_signing_alg_values_supported ?? ['RS256'], issuer)
  const sendsIssuer = said.authorization_response_iss_parameter_supported === true
  const endpoint = (value: unknown) =>
    endpointOf(typeof value === 'string' ? outside(value) : value, isLocal, issuer)
  const metadata = {
    issuer,
    authorization_endpoint: endpoint(said.authorization_endpoint),
    token_endpoint: endpoint(said.token_endpoint),
    id_token_signing_alg_values_supported: used,
    authorization_response_iss_parameter_supported: sendsIssuer,
    ...(options.userinfo && {
      userinfo_endpoint: endpoint(said.userinfo_endpoint),
    }),
  }
  const takesPost = announces(said.token_endpoint_auth_methods_supported, 'client_secret_post')
  const authentication = await clientAuthOf(library, options, takesPost)
  const client = { [library.clockTolerance]: options.clockToleranceSeconds }
  const config = new library.Configuration(metadata, clientId, client, authentication)
  config[library.customFetch] = ask as CustomFetch
  if (isLocal) library.allowInsecureRequests(config)
  const keys = createRemoteJWKSet(new URL(endpoint(said.jwks_uri)), {
    [customFetch]: ask,
    cacheMaxAge: maxKeyAgeMs,
    // For an unknown key the document is read anew, with the keys.
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  return { library, config, keys, algorithms: used, sendsIssuer }
}

/** The library that the providers need. */
export const openIdClient = ['openIdProvider()', 'openid-client', 6] as const

async function loadLibrary(): Promise<Library> {
  try {
    return await import('openid-client')
  } catch {
    throw noLibrary(...openIdClient)
  }
}

function algorithmsOf(announced: unknown, issuer: string): string[] {
  const used = algorithms.filter((one) => announces(announced, one))
  if (used.length > 0) return used
  throw new UnexpectedAnswer(`${issuer} signs with none of ${algorithms.join(', ')}.`)
}

function announces(list: unknown, one: string): boolean {
  return Array.isArray(list) && list.includes(one)
}

// A document over https must not send a browser or a secret over http, be it to this machine.
function endpointOf(value: unknown, isLocal: boolean, issuer: string): string {
  if (typeof value === 'string' && URL.canParse(value)) {
    const url = new URL(value)
    if (url.protocol === 'https:' || (isLocal && isSafeUrl(url))) return value
  }
  throw new UnexpectedAnswer(`discovery of ${issuer} has no safe address of an endpoint.`)
}

async function clientAuthOf(
  library: Library,
  { clientSecret, clientKey, clientAuth }: CheckedOpenIdOptions,
  takesPost: boolean,
): Promise<ClientAuth> {
  if (clientKey !== undefined) {
    const { kid, alg } = clientKey
    const key = (await importJWK(clientKey as JWK, alg)) as CryptoKey
    return library.PrivateKeyJwt(kid === undefined ? { key } : { key, kid })
  }
  if (clientSecret === undefined) return library.None()
  // Basic needs each side to encode the secret alike, which not every provider does.
  const method = clientAuth ?? (takesPost ? 'client_secret_post' : 'client_secret_basic')
  return method === 'client_secret_post'
    ? library.ClientSecretPost(clientSecret)
    : library.ClientSecretBasic(clientSecret)
}

/** A word for the log from an error code of RFC 6749 §4.1.2.1, which a stranger can write. */
export function errorReason(error: unknown): string {
  if (error === 'access_denied') return 'access-denied'
  return codeOf(error) ?? 'unknown-error'
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : undefined
}

/**
 * The error that is logged for an outage. The libraries wrap unknown errors, and quote the data
 * they have received.
 */
export function outageOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, error: answered, cause } = error as Error & { code?: string; error?: string }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR')
    return new UnexpectedAnswer(
      `the token endpoint answers ${codeOf(answered) ?? 'an error'}: are clientId, clientSecret ` +
        'and clientAuth right, and the address of the callback registered?',
    )
  if (!/^(OAUTH|ERR_JOSE|ERR_JWKS)_/.test(code ?? '') && error.name !== 'ClientError') return error
  // If the request has failed, the cause is the error: our own, or the system's.
  if ((code === undefined || code === 'ERR_JWKS_TIMEOUT') && cause instanceof Error) return cause
  return new UnexpectedAnswer(`the provider answers what cannot be read: ${code ?? 'unknown'}.`)
}
