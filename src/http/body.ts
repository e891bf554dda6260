import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { MIMEType } from 'node:util'
import { json } from 'express'
import { AuthError, invalidRequest } from '../errors.js'

/** No request of this interface needs more; a password hasher fed with megabytes is a cheap way to stall a server. */
const limitInBytes = 8 * 1024

/** A parsed body that inherits nothing, so that a polluted `Object.prototype` cannot supply a field. */
export type JsonBody = Readonly<Record<string, unknown>>

interface MaybeParsed {
  body?: unknown
}

const parse = json({
  limit: limitInBytes,
  inflate: false,
  // The content type has been judged before the parser runs.
  type: () => true,
  // body-parser maps bad bytes to U+FFFD and takes UTF-16 and UTF-7 by charset, so that two different byte strings
  // would be one password. Only UTF-8 is read (RFC 8259 §8.1).
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw notUnderstood('The body is not valid UTF-8.')
  },
})

/**
 * The JSON object in the body: what the host's parser left, or what ours reads. An absent body is an empty object, so that
 * the missing fields are named.
 *
 * Throws 400 for anything but a JSON object in valid UTF-8, 413 above 8 KiB, 415 for another type, charset or coding.
 */
export async function readJsonBody(request: IncomingMessage & MaybeParsed, response: ServerResponse): Promise<JsonBody> {
  if (!hasBody(request)) return asObject({})
  refuseOtherThanPlainJson(request)
  if (Number(request.headers['content-length'] ?? 0) > limitInBytes) {
    // Whoever announces too much is not read to the end first.
    throw new AuthError('payload-too-large', { headers: { Connection: 'close' } })
  }
  if (request.body === undefined) await parseBody(request, response)
  return asObject(request.body)
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

// A type that is not JSON would let a page of another origin post without a preflight (ASVS V3.5.2).
function refuseOtherThanPlainJson(request: IncomingMessage): void {
  const coding = request.headers['content-encoding'] ?? 'identity'
  const type = mediaType(request.headers['content-type'] ?? '')
  const charset = type?.params.get('charset') ?? 'utf-8'
  const acceptable = type?.essence === 'application/json' && /^utf-?8$/i.test(charset) && coding.toLowerCase() === 'identity'
  if (!acceptable) throw new AuthError('unsupported-media-type')
}

function mediaType(header: string): MIMEType | null {
  try {
    return new MIMEType(header)
  } catch {
    return null
  }
}

async function parseBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const failure = await new Promise<unknown>((resolve) => parse(request, response, resolve))
  if (failure !== undefined) throw asAuthError(failure)
}

function asAuthError(failure: unknown): unknown {
  const type = failure instanceof Error && 'type' in failure ? failure.type : null
  switch (type) {
    case 'entity.too.large':
      return new AuthError('payload-too-large')
    case 'entity.parse.failed':
      return notUnderstood('The body is not valid JSON.')
    case 'entity.verify.failed':
      return notUnderstood('The body is not valid UTF-8.')
    case 'request.aborted':
    case 'request.size.invalid':
      return notUnderstood('The body did not arrive whole.')
    default:
      return failure
  }
}

function asObject(body: unknown): JsonBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body)) {
    throw notUnderstood('The body is not a JSON object.')
  }
  return Object.assign(Object.create(null) as Record<string, unknown>, body)
}

function notUnderstood(message: string): AuthError {
  return invalidRequest([{ path: '', message }])
}
