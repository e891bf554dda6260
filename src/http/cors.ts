import type { IncomingMessage, ServerResponse } from 'node:http'
import { credentialHeaders } from './credentials.js'

/** Pages of other origins that may call the router's own endpoints. */
export interface CorsOptions {
  /** Origins as browsers write them, such as `https://app.example.com`; compared exactly. */
  readonly origins: readonly string[]
}

/**
 * Sets what a page of an allowed origin needs to read the answer (Fetch Standard, CORS protocol).
 * Answers a preflight, and then says true.
 */
export type AnswerCors = (
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
) => boolean

const exposed = [
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')
/**
 * What tells a client when to come back, what its token lacks, and what to name to the host; the
 * rest is in the body.
 */
const openlyExposed = 'Retry-After, WWW-Authenticate, X-Request-Id'
const sendable = [...credentialHeaders, 'Content-Type'].toSorted().join(', ')
/** Seconds for which a browser need not ask again. */
const preflightSeconds = '600'
/** The same, of what is the same for everybody: a day. */
const openPreflightSeconds = '86400'

const nothing = { sendable: [], readable: [] }

/**
 * Makes it. Without credentials: what a browser adds by itself, such as a cookie, never comes
 * along. Null, which sets and answers nothing, where the host allows no origin.
 */
export function createCors(
  options: CorsOptions | undefined,
  also: { readonly sendable: readonly string[]; readonly readable: readonly string[] } = nothing,
): AnswerCors | null {
  if (options === undefined) return null
  const allowed = new Set(options.origins)
  const headers = [sendable, ...also.sendable].join(', ')
  const readable = [exposed, ...also.readable].join(', ')
  return function answerCors(request, response, methods) {
    // A cache must not hand the answer for one origin to another.
    response.appendHeader('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return false
    response.setHeader('Access-Control-Allow-Origin', origin)
    if (!isPreflight(request)) {
      response.setHeader('Access-Control-Expose-Headers', readable)
      return false
    }
    answerPreflight(response, methods, headers, preflightSeconds)
    return true
  }
}

/**
 * For endpoints that take no cookie, and for documents that are public: pages of every origin may
 * call them, and nothing that was sent is reflected. `sendable` are the headers that they may send.
 */
export function createOpenCors(sendable: string): AnswerCors {
  return function answerOpenCors(request, response, methods) {
    response.setHeader('Access-Control-Allow-Origin', '*')
    // Of a middleware of the host's, which speaks for its own routes.
    response.removeHeader('Access-Control-Allow-Credentials')
    if (!isPreflight(request)) {
      response.setHeader('Access-Control-Expose-Headers', openlyExposed)
      return false
    }
    const named = methods.filter((method) => method !== 'HEAD')
    answerPreflight(response, named, sendable, openPreflightSeconds)
    return true
  }
}

function answerPreflight(
  response: ServerResponse,
  methods: readonly string[],
  sendable: string,
  seconds: string,
): void {
  response.setHeader('Access-Control-Allow-Methods', methods.join(', '))
  response.setHeader('Access-Control-Allow-Headers', sendable)
  response.setHeader('Access-Control-Max-Age', seconds)
  response.statusCode = 204
  response.removeHeader('X-Powered-By')
  response.end()
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
