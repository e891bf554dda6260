import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { decodeFormText } from '../http/body.js'
import { singleHeader } from '../http/credentials.js'
import type { RequestParameters } from '../http/input.js'
import { subjectOfAssertion } from '../signers/client-assertion.js'

/**
 * How clients authenticate at the token endpoint, by the names of [RFC 8414
 * §2](https://www.rfc-editor.org/rfc/rfc8414#section-2).
 */
export const clientAuthMethods = [
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const

export type ClientAuthMethod = (typeof clientAuthMethods)[number]

/** The credentials that a client presents. */
export type PresentedClient =
  | { readonly method: 'none'; readonly id: string }
  | {
      readonly method: 'client_secret_basic' | 'client_secret_post'
      readonly id: string
      readonly secret: string
    }
  | { readonly method: 'private_key_jwt'; readonly id: string; readonly assertion: string }

const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Reads the credentials of a client. A request must use one method and name one client ([RFC 6749
 * §2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3)). Throws 400 otherwise: two parts of a
 * system could use different credentials.
 */
export function readPresentedClient(
  request: IncomingMessage,
  parameters: RequestParameters,
): PresentedClient {
  const shown = [
    basicOf(singleHeader(request, 'authorization')),
    secretOf(parameters),
    assertionOf(parameters),
  ].filter((one) => one !== null)
  if (shown.length > 1) throw refused('Authenticate the client in one way, not in several.')
  const id = parameters.one('client_id')
  const [presented = { method: 'none', id: id ?? '' } as const] = shown
  if (id !== null && id !== presented.id) throw refused('Two different client ids were sent.')
  if (presented.id === '') throw refused('client_id is missing.')
  // The characters of RFC 6749 Appendix A.1.
  if (presented.id.length > maxIdCharacters || !/^[\x20-\x7e]*$/.test(presented.id))
    throw refused('client_id is not one.')
  return presented
}

const maxIdCharacters = 200
/** The longest header: an id and a secret, both form-encoded. */
const maxBasicCharacters = 4096

// RFC 6749 §2.3.1: id and secret are form-encoded first, then combined as in RFC 7617. Our ids and
// secrets do not change by that.
function basicOf(header: string | null): PresentedClient | null {
  if (header === null) return null
  if (header.length > maxBasicCharacters) throw malformedBasic()
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  if (encoded === undefined) throw malformedBasic()
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  const id = decodeFormText(text.slice(0, colon))
  const secret = decodeFormText(text.slice(colon + 1))
  if (!isUtf8(bytes) || colon < 0 || id === null || secret === null) throw malformedBasic()
  return { method: 'client_secret_basic', id, secret }
}

function secretOf(parameters: RequestParameters): PresentedClient | null {
  const secret = parameters.one('client_secret')
  if (secret === null) return null
  return { method: 'client_secret_post', id: parameters.one('client_id') ?? '', secret }
}

// RFC 7523 §2.2. `client_id` is optional.
function assertionOf(parameters: RequestParameters): PresentedClient | null {
  const assertion = parameters.one('client_assertion')
  const type = parameters.one('client_assertion_type')
  if (assertion === null && type === null) return null
  if (assertion === null || type !== jwtBearer)
    throw refused(`client_assertion goes with client_assertion_type=${jwtBearer}.`)
  const id = subjectOfAssertion(assertion)
  if (id === null) throw refused('client_assertion is not a JWT with a sub.')
  return { method: 'private_key_jwt', id, assertion }
}

function malformedBasic(): AuthError {
  return refused('Authorization must be Basic, of a client id and a secret that are form-encoded.')
}

function refused(clientMessage: string): AuthError {
  return new AuthError('invalid-request', { clientMessage })
}
