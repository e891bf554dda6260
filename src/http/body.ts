import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { AuthConfigError, AuthError, invalidRequest } from '../errors.js'
import { isWellFormed } from '../lib/well-formed.js'
import { hasMemberTwice } from './member-twice.js'

/**
 * Bytes of a body, and characters of the texts in one that the host has parsed. No request needs
 * more; a password hasher fed with megabytes is a cheap way to stall a server.
 */
export const maxBodyBytes: number = 8 * 1024

/**
 * A parsed body. Only own members are the client's: read it by `parseInput`, or ask
 * `Object.hasOwn` first. Nothing here looks at all of its members: a host's parser lets a
 * hundred thousand of them through, and listing those would hold the event loop.
 */
export type JsonBody = Readonly<Record<string, unknown>>

interface MaybeParsed {
  readonly body?: unknown
}

/**
 * The JSON object in the body: what the host's parser made of it, or what is read here when no
 * parser has. An absent body is an empty object, so that the missing fields are named.
 *
 * Read here and not with `express.json`: that one takes other charsets and bad bytes, drains an
 * endless body before it says 413, and in Express 4 cannot be told from a parser that looked at the
 * type and left.
 *
 * Throws 400 for anything but a JSON object in valid UTF-8, 413 above 8 KiB, 415 for another type,
 * charset or coding, and AuthConfigError for a request that the host has decoded or begun to read.
 */
export function readJsonBody(request: IncomingMessage & MaybeParsed): Promise<JsonBody> {
  return readBody(request, null)
}

/**
 * The same, and a form (`application/x-www-form-urlencoded`) as well, unless a page of another site
 * sends it: browsers ask nobody before they do. Fields are texts, each of them once.
 */
export function readJsonOrFormBody(request: IncomingMessage & MaybeParsed): Promise<JsonBody> {
  return readBody(request, { repeatable: [], areTakenFrom: ownSite })
}

/**
 * The same, and forms from pages of every site: for endpoints that take no cookie, so that a page
 * gets nothing that any program would not. Fields with a name in `repeatable` that are there more
 * than once become a list. A member of JSON that is there twice is 400, unless the host's parser
 * was first, which keeps the last.
 */
export function readOpenBody(
  request: IncomingMessage & MaybeParsed,
  repeatable: readonly string[],
): Promise<JsonBody> {
  return readBody(request, { repeatable, areTakenFrom: anywhere })
}

/**
 * A form as the text of a query, each field where it was sent and as often, from pages of every
 * site. What the host's parser has read is put together again; one that is absent is empty.
 *
 * Throws as {@link readOpenBody}, and 415 for JSON.
 */
export async function readFormAsQuery(request: IncomingMessage & MaybeParsed): Promise<string> {
  if (!hasBody(request)) return ''
  const isForm = rulesOfForm(request, { repeatable: [], areTakenFrom: anywhere }) !== null
  if (!isForm) throw notAForm()
  const bytes = await unreadBytes(request)
  return bytes === null ? queryOf(asObject(request.body)) : bytes.toString('latin1')
}

function queryOf(fields: JsonBody): string {
  const pairs: string[] = []
  let room = maxBodyBytes
  for (const [name, value] of textsIn(fields)) {
    room -= name.length + value.length + 1
    if (room < 0) throw tooLarge()
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return pairs.join('&')
}

// One by one: whoever asks stops where it is too much.
function* textsIn(fields: JsonBody): Generator<readonly [name: string, value: string]> {
  for (const name in fields) {
    const given = Object.hasOwn(fields, name) ? fields[name] : []
    for (const value of Array.isArray(given) ? given : [given]) {
      if (typeof value !== 'string' || !isWellFormed(name) || !isWellFormed(value))
        throw notUnderstood('A field of the form is no text.')
      yield [name, value]
    }
  }
}

/** Which forms are taken, and what may be in them. */
interface FormRules {
  readonly repeatable: readonly string[]
  readonly areTakenFrom: (request: IncomingMessage) => boolean
}

const anywhere = () => true

async function readBody(
  request: IncomingMessage & MaybeParsed,
  forms: FormRules | null,
): Promise<JsonBody> {
  if (!hasBody(request)) return {}
  const formRules = rulesOfForm(request, forms)
  const bytes = await unreadBytes(request)
  if (bytes === null) return asObject(request.body)
  if (formRules !== null) return parseForm(bytes, formRules)
  const body = asObject(parse(bytes))
  // As in a form: of two, a filter in front may go by the first, where `JSON.parse` takes the last.
  // RFC 6749 §3.2, https://www.rfc-editor.org/rfc/rfc6749#section-3.2
  if (forms?.areTakenFrom === anywhere && hasMemberTwice(bytes.toString('utf8')))
    throw notUnderstood('A member of the body is there twice.')
  return body
}

// Null: the host's parser was first.
async function unreadBytes(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge()
  // An untouched stream means that nobody has parsed it, whatever placeholder stands in `body`.
  const isUnread = !request.readableDidRead && !request.readableEnded && !request.destroyed
  if (!isUnread) return null
  refuseDecoded(request)
  return readBytes(request)
}

/** Whether a body comes with the request. */
export function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  )
}

// Null: the body is JSON. A type that is not would let a page of another origin post without a
// preflight (ASVS V3.5.2).
function rulesOfForm(request: IncomingMessage, forms: FormRules | null): FormRules | null {
  const coding = request.headers['content-encoding'] ?? 'identity'
  const type = mediaType(request.headers['content-type'] ?? '')
  const charset = type?.params.get('charset') ?? 'utf-8'
  const isPlain = /^utf-?8$/i.test(charset) && coding.toLowerCase() === 'identity'
  if (isPlain && type?.essence === 'application/json') return null
  const isForm = isPlain && type?.essence === 'application/x-www-form-urlencoded'
  if (isForm && forms?.areTakenFrom(request)) return forms
  throw forms?.areTakenFrom === anywhere ? notAForm() : new AuthError('unsupported-media-type')
}

function notAForm(): AuthError {
  return new AuthError('unsupported-media-type', {
    clientMessage: 'Send the body as application/x-www-form-urlencoded in UTF-8.',
  })
}

// A browser that sends no Fetch Metadata, as none does to a host in the clear, names the origin of
// whichever page posts the form. Programs name none.
function ownSite({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  return site === undefined ? origin === undefined : site === 'same-origin' || site === 'none'
}

/** As nearly every client writes them: parsing one takes longer than reading the rest of a form. */
const plainTypes: ReadonlyMap<string, MIMEType> = new Map(
  ['application/json', 'application/x-www-form-urlencoded'].map((type) => [
    type,
    new MIMEType(type),
  ]),
)

/** Characters. Every type that is accepted is shorter by far. */
const maxContentType = 256

function mediaType(header: string): MIMEType | null {
  const plain = plainTypes.get(header)
  if (plain !== undefined) return plain
  // MIMEType trims with an expression that is quadratic in the blanks inside the value: 15 KB of
  // them would hold the event loop for half a second.
  if (header.length > maxContentType) return null
  try {
    return new MIMEType(header)
  } catch {
    return null
  }
}

// Decoded bytes are gone: two passwords can have become one. And a stream that somebody else reads
// piece by piece would never flow here.
function refuseDecoded(request: IncomingMessage): void {
  if (request.readableEncoding === null && request.listenerCount('readable') === 0) return
  throw new AuthConfigError(
    'app.use',
    'something in front of the router has called setEncoding, or listens for "readable", on a ' +
      'request that it did not read.',
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
      if (length <= maxBodyBytes) return
      // Not destroyed: the answer still has to go out on this connection.
      request.pause()
      leave(() => reject(tooLarge()))
    }
    const whole = () =>
      leave(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    const broken = () => leave(() => reject(notUnderstood('The body did not arrive whole.')))

    function leave(settle: () => void): void {
      request.off('data', take).off('end', whole).off('error', broken).off('close', broken)
      settle()
    }
    request.on('data', take).on('end', whole).on('error', broken).on('close', broken)
    // Where the host has paused it, to do something else first, listening alone brings nothing.
    request.resume()
  })
}

function parse(bytes: Buffer): unknown {
  // A lenient decoder turns bad bytes into U+FFFD, so that two different byte strings would be one
  // password (RFC 8259 §8.1).
  if (!isUtf8(bytes)) throw notUnderstood('The body is not valid UTF-8.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw notUnderstood('The body is not valid JSON.')
  }
}

// Not URLSearchParams: of bytes that are no UTF-8 it makes U+FFFD, so that two passwords are one.
function parseForm(bytes: Buffer, { repeatable }: FormRules): JsonBody {
  if (!isUtf8(bytes)) throw notUnderstood('The body is not a form in UTF-8.')
  const fields = Object.create(null) as Record<string, string | string[]>
  const pairs = bytes.toString('utf8').split('&')
  for (const pair of pairs.filter((one) => one !== '')) {
    const [name = '', ...values] = pair.split('=')
    const field = formText(name)
    const value = formText(values.join('='))
    const before = fields[field]
    if (before === undefined) fields[field] = value
    else if (!repeatable.includes(field)) throw notUnderstood('A field of the form is there twice.')
    else if (typeof before === 'string') fields[field] = [before, value]
    else before.push(value)
  }
  return fields
}

function formText(encoded: string): string {
  const text = decodeFormText(encoded)
  if (text === null) throw notUnderstood('The body is not a form in UTF-8.')
  return text
}

/**
 * A name or value of a form, as [RFC 6749 Appendix B](https://www.rfc-editor.org/rfc/rfc6749) has
 * it; null where it is no UTF-8.
 */
export function decodeFormText(encoded: string): string | null {
  // Nothing is encoded in most names and values.
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function asObject(body: unknown): JsonBody {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body)) {
    throw notUnderstood('The body is not a JSON object.')
  }
  return body as JsonBody
}

/** A 413. */
export function tooLarge(): AuthError {
  return new AuthError('payload-too-large')
}

function notUnderstood(message: string): AuthError {
  return invalidRequest([{ path: '', message }])
}
