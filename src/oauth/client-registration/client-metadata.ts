import { AuthError } from '../../errors.js'
import type { JsonBody } from '../../http/body.js'
import { grantTypes, type OAuthClient } from '../../stores/client-contract.js'
import { documentOf, isRedirectOfStranger } from '../client-documents/client-document.js'
import { isName } from '../client-schema.js'
import { redirectKind } from '../redirect-uri.js'

/** What a client says of itself when it registers, as far as it is read. */
export interface ClientMetadata {
  /** The name that it gives itself; null without. Nobody has checked it. */
  readonly claimedName: string | null
  /** 1 to 20. */
  readonly redirectUris: readonly string[]
}

/** A client that registered itself: `name` has the hosts to which its users return. */
export interface SelfRegisteredClient extends OAuthClient {
  readonly claimedName: string | null
}

const idPrefix = 'self-registered-'

/** The id of a client that registers itself. */
export function idOfSelfRegistered(unique: string): string {
  return idPrefix + unique
}

/** Whether only a client that registered itself can have this id. */
export function isSelfRegistered(clientId: string): boolean {
  return clientId.startsWith(idPrefix)
}

/** The name that a client gives itself, unproven; null for a client that somebody vouches for. */
export function claimedNameOf(client: OAuthClient & Partial<SelfRegisteredClient>): string | null {
  return documentOf(client)?.claimedName ?? client.claimedName ?? null
}

const maxRedirects = 20

/**
 * Reads the metadata of a client, [RFC 7591 §2](https://www.rfc-editor.org/rfc/rfc7591#section-2).
 * Members that nobody asks for are ignored. Throws 400, by the names of [RFC 7591
 * §3.2.2](https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2).
 *
 * @param body - may be of the host's parser, and so of any size: no list is read before its length
 * @param hosts - to which users may return, besides the device itself
 */
export function readClientMetadata(body: JsonBody, hosts: ReadonlySet<string>): ClientMetadata {
  const member = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : null) ?? null
  // The default of RFC 7591 is client_secret_basic. A server may choose another, and says so.
  if ((member('token_endpoint_auth_method') ?? 'none') !== 'none')
    throw unfit('token_endpoint_auth_method must be none: clients here keep no secret.')
  if (['jwks', 'jwks_uri', 'software_statement'].some((name) => member(name) !== null))
    throw unfit('jwks, jwks_uri and software_statement are not accepted.')
  if (!hasAll(member('grant_types'), ['authorization_code'], grantTypes))
    throw unfit('grant_types must have authorization_code, and none that is unknown here.')
  if (!hasAll(member('response_types'), ['code'], ['code']))
    throw unfit('response_types must be code.')
  const claimedName = member('client_name')
  if (claimedName !== null && !isReadableName(claimedName))
    throw unfit(
      'client_name must be 1 to 60 characters on one line, with a letter or digit, and none of ' +
        'them invisible.',
    )
  return { claimedName, redirectUris: redirectsOf(member('redirect_uris'), hosts) }
}

// Anybody chooses this name, and users read it. Without a letter or digit that is seen it would be
// a gap on the page, and format characters hide what it is. Some letters are blanks: the fillers of
// Hangul.
function isReadableName(value: unknown): value is string {
  return (
    isName(value) &&
    !/[\p{Cc}\p{Cf}\p{Co}]/u.test(value) &&
    /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u.test(value)
  )
}

// Absent, it has the default of RFC 7591, which is what is needed.
function hasAll(given: unknown, needed: readonly string[], known: readonly unknown[]): boolean {
  if (given === null) return true
  if (!Array.isArray(given) || given.length > maxRedirects) return false
  return needed.every((one) => given.includes(one)) && given.every((one) => known.includes(one))
}

function redirectsOf(given: unknown, hosts: ReadonlySet<string>): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  if (list.length === 0 || list.length > maxRedirects)
    throw badRedirect('redirect_uris must be 1 to 20 addresses.')
  if (new Set(list).size < list.length) throw badRedirect('redirect_uris has an address twice.')
  const uris = list.filter((uri) => isAcceptedRedirect(uri, hosts))
  if (uris.length < list.length)
    throw badRedirect(
      'redirect_uris must lead to this device, such as http://127.0.0.1/callback, or to a host ' +
        'that this server lists.',
    )
  return uris
}

/**
 * Whether a client that registered itself may have its users return there. An app's own scheme is
 * refused: any app on the device can take it.
 */
export function isAcceptedRedirect(uri: unknown, hosts: ReadonlySet<string>): uri is string {
  if (typeof uri !== 'string' || !isRedirectOfStranger(uri, (host) => hosts.has(host))) return false
  return redirectKind(uri) !== 'private'
}

/**
 * The hosts to which users return, as long as a name may be; every address of the device is
 * `localhost`.
 */
export function hostsOf(redirectUris: readonly string[]): string {
  const hosts = redirectUris.map((uri) =>
    redirectKind(uri) === 'loopback' ? 'localhost' : new URL(uri).host,
  )
  return [...new Set(hosts)].toSorted().join(', ').slice(0, 60)
}

/** A program on the person's own device, such as an inspector, or a page of a listed host. */
export function isAcceptedOrigin(origin: string, hosts: ReadonlySet<string>): boolean {
  if (/^https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/.test(origin)) return true
  return origin.startsWith('https://') && hosts.has(origin.slice('https://'.length))
}

function unfit(clientMessage: string): AuthError {
  return new AuthError('invalid_client_metadata', { clientMessage })
}

function badRedirect(clientMessage: string): AuthError {
  return new AuthError('invalid_redirect_uri', { clientMessage })
}
