import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AuthError } from '../errors.js'
import { type Answer, commonHeaders, writeAnswer } from './answer.js'

/**
 * `plain`: names as in the catalogue. `oauth`: RFC 6749 §5.2 names, and the message again as
 * `error_description`.
 */
export type ProblemStyle = 'plain' | 'oauth'

/** What another protocol calls the same refusal. */
export interface ProblemNames {
  readonly status?: number
  readonly error?: string
}

/** The only writer of error answers. */
export function writeProblem(
  response: ServerResponse,
  error: AuthError,
  style: ProblemStyle,
  { status = error.status, error: name }: ProblemNames = {},
): void {
  const answer = problemAnswer(error, style)
  const body = name === undefined ? answer.body : { ...answer.body, error: name }
  writeAnswer(response, { ...answer, status, body })
}

/**
 * Refuses an upgrade: the same answer as bytes on the bare connection, before any `101`. Then hangs
 * up.
 */
export function writeRawProblem(connection: Duplex, error: AuthError): void {
  const { status, body, headers = {} } = problemAnswer(error, 'plain')
  const text = JSON.stringify(body)
  const fixed = { ...commonHeaders, Connection: 'close', 'Content-Length': Buffer.byteLength(text) }
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
      error: style === 'oauth' && error.code === 'invalid-request' ? 'invalid_request' : error.code,
      message,
      ...(style === 'oauth' ? { error_description: message } : {}),
      ...detailsOf(error),
    },
    headers: {
      ...error.headers,
      ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
      // RFC 9110 §15.5.2 asks for a challenge on every 401; RFC 6750 §3.1 would allow a reason,
      // which would be an oracle.
      ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  }
}

function detailsOf(error: AuthError): { details?: object } {
  const retry =
    error.status === 429 && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {}
  const details = { ...error.details, ...retry }
  return Object.keys(details).length === 0 ? {} : { details }
}
