import type { IncomingMessage, ServerResponse } from 'node:http'
import { credentialHeaders } from './credentials.js'

/** Pages of other origins that may call the router's own endpoints. */
export interface CorsOptions {
  /** Origins as browsers write them, such as `https://app.example.com`; compared exactly. */
  readonly origins: readonly string[]
}

/** Whether a value is an origin as browsers write it. */
export function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value
}

/** The fault of a list of origins. */
export function problemOfOrigins(given: unknown): string {
  const entry: unknown = Array.isArray(given) ? given.find((one) => !isOrigin(one)) : undefined
  const { origin = 'null' } = typeof entry === 'string' && URL.canParse(entry) ? new URL(entry) : {}
  // Of the entry the origin alone: the rest may hold a password.
  return origin === 'null'
    ? 'is no list of origins such as https://chat.example.com; * is none.'
    : `has an entry that is more than an origin: write ${origin}, without a / at the end.`
}

/**
 * Sets the CORS headers for a page of an allowed origin (Fetch Standard, CORS protocol). Returns
 * true if it has answered a preflight.
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
 * The headers that clients need: when to retry, what the token lacks, and the id for a report. The
 * rest is in the body.
 */
const openlyExposed = 'Retry-After, WWW-Authenticate, X-Request-Id'
/**
 * The origin decides, not what its page sends beside: tracing and monitoring add headers of their
 * own. `*` stands for all of them but `Authorization`, and only where no cookies go along; browsers
 * that do not know it find ours by name.
 * https://fetch.spec.whatwg.org/#http-access-control-allow-headers
 */
const anyOther = '*'
const sendable = [...credentialHeaders, 'Content-Type', anyOther].toSorted().join(', ')
/** Seconds for which browsers cache a preflight. */
const preflightSeconds = '600'
/** Seconds for routes of every origin, whose answer never changes: a day. */
const openPreflightSeconds = '86400'

/** Headers besides the router's own. */
interface AlsoAllowed {
  readonly sendable: readonly string[]
  readonly readable: readonly string[]
}

const nothing = { sendable: [], readable: [] }

/**
 * For the origins that the host allows; null without any. Browsers send no credentials of their
 * own, such as cookies.
 */
export function createCors(
  options: CorsOptions | undefined,
  also: AlsoAllowed = nothing,
): AnswerCors | null {
  if (options === undefined) return null
  const allowed = new Set(options.origins)
  return createPickedCors((origin) => allowed.has(origin), also)
}

/** For the origins that `allows` accepts. */
export function createPickedCors(
  allows: (origin: string) => boolean,
  also: AlsoAllowed = nothing,
): AnswerCors {
  const headers = [sendable, ...also.sendable].join(', ')
  const readable = [exposed, ...also.readable].join(', ')
  return function answerCors(request, response, methods) {
    // A cache must not serve the answer for one origin to another.
    response.appendHeader('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allows(origin)) return false
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
 * For endpoints without cookies and for public documents: pages of every origin may call them, and
 * the answer reflects nothing. `named`: the headers of ours that pages may send, beside any other.
 */
export function createOpenCors(named: readonly string[]): AnswerCors {
  const sendable = [...named, anyOther].join(', ')
  return function answerOpenCors(request, response, methods) {
    response.setHeader('Access-Control-Allow-Origin', '*')
    // A middleware of the host may have set it for its own routes.
    response.removeHeader('Access-Control-Allow-Credentials')
    if (!isPreflight(request)) {
      response.setHeader('Access-Control-Expose-Headers', openlyExposed)
      return false
    }
    const shown = methods.filter((method) => method !== 'HEAD')
    answerPreflight(response, shown, sendable, openPreflightSeconds)
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
