import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AuthError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { type Answer, commonHeaders, writeAnswer } from './answer.js'
import { nameInStyle, type ProblemStyle } from './problem-names.js'
import { requestIdOf } from './request-context.js'

/** Status and name of the same refusal in another protocol. */
export interface ProblemNames {
  readonly status?: number
  readonly error?: string
}

/** The only writer of error answers. */
export function writeProblem(
  response: ServerResponse,
  error: AuthError,
  style: ProblemStyle,
  names?: ProblemNames,
): void {
  // A polluted Object.prototype must not change the status.
  const { status = error.status, error: name } = ownMembers({ ...names })
  const answer = problemAnswer(error, style)
  const body = name === undefined ? answer.body : { ...answer.body, error: name }
  writeAnswer(response, { ...answer, status, body })
}

/**
 * Refuses an upgrade: writes the same answer to the raw connection instead of `101`, then closes
 * it.
 */
export function writeRawProblem(connection: Duplex, error: AuthError): void {
  const { status, body, headers = {} } = problemAnswer(error, 'plain')
  const text = JSON.stringify(body)
  const id = requestIdOf(connection)
  const fixed = {
    ...commonHeaders,
    ...(id !== undefined && { 'X-Request-Id': id }),
    Connection: 'close',
    'Content-Length': Buffer.byteLength(text),
  }
  const lines = Object.entries({ ...fixed, ...headers }).map(([name, value]) => `${name}: ${value}`)
  connection.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'),
    () => connection.destroy(),
  )
}

function problemAnswer(error: AuthError, style: ProblemStyle): Answer {
  const message = error.clientMessage
  return {
    status: error.status,
    body: {
      success: false,
      status: 'error',
      error: nameInStyle(error.code, style),
      message,
      ...descriptionOf(message, style),
      ...detailsOf(error),
    },
    headers: {
      ...challengeOf(error),
      ...error.headers,
      ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    },
  }
}

function descriptionOf(message: string, style: ProblemStyle): { error_description?: string } {
  if (style === 'plain') return {}
  if (style === 'oauth') return { error_description: message }
  return { error_description: message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?') }
}

// RFC 9110 §15.5.2 requires a challenge on every 401. RFC 6750 §3.1 allows a reason, which would be
// an oracle. `invalid_client` sets its own challenge, only for clients that used the scheme: some
// clients do not read the body of an answer with a challenge.
function challengeOf({ status, code }: AuthError): Record<string, string> {
  return status === 401 && code !== 'invalid_client' ? { 'WWW-Authenticate': 'Bearer' } : {}
}

function detailsOf(error: AuthError): { details?: object } {
  const retry =
    error.status === 429 && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {}
  const details = { ...error.details, ...retry }
  return Object.keys(details).length === 0 ? {} : { details }
}
