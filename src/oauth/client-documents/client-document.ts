import { UnexpectedAnswer } from '../../lib/host-call.js'
import { sha256 } from '../../lib/secrets.js'
import { grantTypes, type OAuthClient } from '../../stores/client-contract.js'
import { clientIdPattern, isName } from '../client-schema.js'
import { redirectKind, redirectProblem } from '../redirect-uri.js'

/** The content of a client's document, as far as it is read. */
export interface ClientDocument {
  /** The name that the client gives itself; null without. Nobody has checked it. */
  readonly claimedName: string | null
  /** At least one. */
  readonly redirectUris: readonly string[]
  /** The digest of all that was read: a code belongs to one document. */
  readonly digest: string
}

/** A client whose document has been read. */
export interface DocumentClient extends OAuthClient {
  readonly document: ClientDocument
}

const maxIdChars = 200

// Compared as text, so no part of it may have a second spelling: no port, no percent, no dot
// segment.
const idPattern = /^https:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)((?:\/[A-Za-z0-9._~-]+)+)$/

/**
 * The host in the id of a client that is known by its document; null for any other id. [Client ID
 * Metadata Document
 * §3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document#section-3)
 */
export function documentHost(clientId: string): string | null {
  if (clientId.length > maxIdChars) return null
  const [, host, path] = idPattern.exec(clientId) ?? []
  if (host === undefined || path === undefined) return null
  return path.split('/').some((segment) => segment === '.' || segment === '..') ? null : host
}

/** Whether a value may be the id of a client, of whatever kind. */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && (clientIdPattern.test(value) || documentHost(value) !== null)
}

/** The document of a client that nobody registered; null for any other client. */
export function documentOf(client: OAuthClient & Partial<DocumentClient>): ClientDocument | null {
  return client.document ?? null
}

/**
 * Reads a document. Members that nobody asks for are ignored.
 *
 * @throws UnexpectedAnswer for content that no client of this kind may have
 */
export function readClientDocument(clientId: string, text: string): ClientDocument {
  const members = membersOf(text)
  const member = (name: string): unknown => (Object.hasOwn(members, name) ? members[name] : null)
  if (member('client_id') !== clientId) throw new UnexpectedAnswer('client_id is not its address.')
  // Published text is not secret.
  if (Object.keys(members).some((name) => name.startsWith('client_secret')))
    throw new UnexpectedAnswer('it has a secret.')
  const method = member('token_endpoint_auth_method') ?? 'none'
  if (method !== 'none') throw new UnexpectedAnswer('token_endpoint_auth_method is not none.')
  const grants = listOf(member('grant_types') ?? ['authorization_code'])
  if (!grants.includes('authorization_code') || !grants.every(isGrant))
    throw new UnexpectedAnswer(
      'grant_types has no authorization_code, or one that is unknown here.',
    )
  const claimedName = member('client_name')
  if (claimedName !== null && !isName(claimedName))
    throw new UnexpectedAnswer('client_name is not 1 to 60 characters on one line.')
  const redirectUris = listOf(member('redirect_uris'))
  const host = documentHost(clientId)
  const isEach = redirectUris.every(
    (uri) => typeof uri === 'string' && isRedirectOfStranger(uri, (given) => given === host),
  )
  if (redirectUris.length === 0 || redirectUris.length > 20 || !isEach)
    throw new UnexpectedAnswer(
      'redirect_uris are not 1 to 20 of this device, of an app on it, or of the same host.',
    )
  const read = { claimedName, redirectUris: redirectUris as readonly string[] }
  return { ...read, digest: sha256(JSON.stringify(read)) }
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new UnexpectedAnswer('it is not JSON.')
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return parsed as Readonly<Record<string, unknown>>
  throw new UnexpectedAnswer('it is not an object.')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isGrant(value: unknown): boolean {
  return (grantTypes as readonly unknown[]).includes(value)
}

/**
 * Whether a client whose metadata strangers wrote may have this redirect URI: a site must be of a
 * host that is known.
 *
 * @param isKnown - by the host with its port. Of a document it is its own host: another site could
 *   not be told from the host that the consent page names.
 */
export function isRedirectOfStranger(uri: string, isKnown: (host: string) => boolean): boolean {
  if (redirectProblem(uri, 'native') !== null) return false
  // Strangers wrote the document: a scheme without the maker's domain does not tell its owner.
  if (/^(?!https?:)[^.:]*:/.test(uri)) return false
  return redirectKind(uri) !== 'https' || isKnown(new URL(uri).host)
}

/** The redirect URI as a code keeps it, bound to the document that it was read from. */
export function redirectOfCode(client: OAuthClient, redirectUri: string): string {
  const document = documentOf(client)
  // No redirect URI has a fragment.
  return document === null ? redirectUri : `${redirectUri}#${document.digest}`
}
