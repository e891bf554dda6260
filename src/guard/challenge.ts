import { AuthError } from '../errors.js'
import type { RequiredScope } from './scope.js'

/** Where clients read how to get a token: the metadata of the server's APIs, RFC 9728 §3.1. */
export interface MetadataUrls {
  readonly own: string
  /** Those of further APIs, by their `resource`. */
  readonly further: ReadonlyMap<string, string>
}

/** What a guard tells those whom it refuses. */
export interface Challenge {
  /** Undefined without the option `oauth`: nobody but the host gives out tokens then. */
  readonly metadataUrl: string | undefined
  readonly scope: RequiredScope
  /** Whether the request had a token. Only called for a refusal. */
  hasToken(): boolean
}

/**
 * The refusal with a challenge that leads somewhere ([RFC 9728
 * §5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)): where the metadata are, which scope
 * is needed, and whether a token was refused. All texts come from the options of the host, none
 * from the request.
 */
export function withChallenge(error: unknown, challenge: Challenge): unknown {
  const { metadataUrl } = challenge
  if (!(error instanceof AuthError) || metadataUrl === undefined) return error
  const { 'WWW-Authenticate': said = strangerIs(challenge, error), ...others } = error.headers
  if (said === null) return error
  const pointer = `${said}${said === 'Bearer' ? ' ' : ', '}resource_metadata="${metadataUrl}"`
  const { code, clientMessage, message, details, cause } = error
  return new AuthError(code, {
    clientMessage,
    message,
    ...(details !== undefined && { details }),
    headers: { ...others, 'WWW-Authenticate': pointer },
    cause,
  })
}

// RFC 6750 §3: a request without a token learns no error, and one with a token that it is not
// valid, for whatever reason.
function strangerIs({ scope = [], hasToken }: Challenge, { status }: AuthError): string | null {
  if (status !== 401) return null
  const needed = [scope].flat().join(' ')
  const words = [
    ...(hasToken() ? ['error="invalid_token"'] : []),
    ...(needed === '' ? [] : [`scope="${needed}"`]),
  ]
  return ['Bearer', words.join(', ')].filter((part) => part !== '').join(' ')
}
