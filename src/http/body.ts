import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { AuthConfigError, AuthError, invalidRequest } from '../errors.js'

/** No request of this interface needs more; a password hasher fed with megabytes is a cheap way to stall a server. */
const limitInBytes = 8 * 1024

/** A parsed body that inherits nothing, so that a polluted `Object.prototype` cannot supply a field. */
export type JsonBody = Readonly<Record<string, unknown>>

interface MaybeParsed {
  readonly body?: unknown
}

/**
 * The JSON object in the body: what the host's parser made of it, or what is read here when no parser has. An absent body is an
 * empty object, so that the missing fields are named.
 *
 * Read here and not with `express.json`: that one takes other charsets and bad bytes, drains an endless body before it says 413, and
 * in Express 4 cannot be told from a parser that looked at the type and left.
 *
 * Throws 400 for anything but a JSON object in valid UTF-8, 413 above 8 KiB, 415 for another type, charset or coding, and AuthConfigError
 * for a request that the host has decoded or begun to read.
 */
export async function readJsonBody(request: IncomingMessage & MaybeParsed): Promise<JsonBody> {
  if (!hasBody(request)) return asObject({})
  refuseOtherThanPlainJson(request)
  if (Number(request.headers['content-length'] ?? 0) > limitInBytes) throw tooLarge()
  // An untouched stream means that nobody has parsed it, whatever placeholder stands in `body`.
  const isUnread = !request.readableDidRead && !request.readableEnded && !request.destroyed
  if (!isUnread) return asObject(request.body)
  refuseDecoded(request)
  return asObject(parse(await readBytes(request)))
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

const plainJson = new MIMEType('application/json')

function mediaType(header: string): MIMEType | null {
  if (header === 'application/json') return plainJson
  try {
    return new MIMEType(header)
  } catch {
    return null
  }
}

// Decoded bytes are gone: two passwords can have become one. And a stream that somebody else reads piece by piece would never flow here.
function refuseDecoded(request: IncomingMessage): void {
  if (request.readableEncoding === null && request.listenerCount('readable') === 0) return
  throw new AuthConfigError(
    'app.use',
    'something in front of the router has called setEncoding, or listens for "readable", on a request that it did not read.',
    'read the body there and put it into request.body, or leave the request alone.',
  )
}

// By events: iterating over a stream costs more than reading a small body does.
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const take = (bytes: Buffer) => {
      length += bytes.length
      chunks.push(bytes)
      if (length <= limitInBytes) return
      // Not destroyed: the answer still has to go out on this connection.
      request.pause()
      leave(() => reject(tooLarge()))
    }
    const whole = () => leave(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const broken = () => leave(() => reject(notUnderstood('The body did not arrive whole.')))
    const listeners = { data: take, end: whole, error: broken, close: broken }

    function leave(settle: () => void): void {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener)
      settle()
    }
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener)
    // Where the host has paused it, to do something else first, listening alone brings nothing.
    request.resume()
  })
}

function parse(bytes: Buffer): unknown {
  // A lenient decoder turns bad bytes into U+FFFD, so that two different byte strings would be one password (RFC 8259 §8.1).
  if (!isUtf8(bytes)) throw notUnderstood('The body is not valid UTF-8.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw notUnderstood('The body is not valid JSON.')
  }
}

function asObject(body: unknown): JsonBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body)) {
    throw notUnderstood('The body is not a JSON object.')
  }
  return Object.assign(Object.create(null) as Record<string, unknown>, body)
}

// The rest of the body is not read first, so the connection cannot be used again.
function tooLarge(): AuthError {
  return new AuthError('payload-too-large', { headers: { Connection: 'close' } })
}

function notUnderstood(message: string): AuthError {
  return invalidRequest([{ path: '', message }])
}
