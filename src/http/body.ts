import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { AuthConfigError, AuthError, invalidRequest } from '../errors.js'
import { isWellFormed } from '../lib/texts.js'

/**
 * Maximum bytes of a body, and maximum characters of all texts in a body that the host has parsed.
 * No request needs more, and hashing a password of megabytes would stall the server.
 */
export const maxBodyBytes: number = 8 * 1024

/**
 * A parsed body. Only own members come from the client: read it with `parseInput`, or check
 * `Object.hasOwn` first. Nothing here lists all members: a host's parser may accept a hundred
 * thousand, and listing them would block the event loop.
 */
export type JsonBody = Readonly<Record<string, unknown>>

interface MaybeParsed {
  readonly body?: unknown
}

/**
 * The JSON object in the body, from the host's parser or, without one, read here. An absent body is
 * an empty object, so that the error names the missing fields.
 *
 * It does not use `express.json`, which accepts other charsets and invalid bytes, and drains an
 * endless body before it answers 413. In Express 4, the `{}` of a skipped body looks like a parsed
 * one.
 *
 * Throws 400 for anything but a JSON object in valid UTF-8, 413 above 8 KiB, 415 for another type,
 * charset or coding, and AuthConfigError if the host has decoded the stream or begun to read it.
 */
export function readJsonBody(request: IncomingMessage & MaybeParsed): Promise<JsonBody> {
  return readBody(request)
}

/**
 * JSON, or a form (`application/x-www-form-urlencoded`) unless a page of another site sends it:
 * browsers send such forms without a preflight. Fields are texts; each may occur once.
 */
export function readJsonOrFormBody(request: IncomingMessage & MaybeParsed): Promise<JsonBody> {
  return readBody(request, { repeatable: [], areTakenFrom: ownSite })
}

/**
 * JSON, or a form from a page of any site: for endpoints without cookies, where a page can do no
 * more than any program. A repeated field becomes a list if its name is in `repeatable`. A repeated
 * member of JSON is 400, unless the host has parsed the body: its parser kept the last one.
 */
export function readOpenBody(
  request: IncomingMessage & MaybeParsed,
  repeatable: readonly string[],
): Promise<JsonBody> {
  return readBody(request, { repeatable, areTakenFrom: anywhere })
}

/**
 * A form from a page of any site as a query string, with the order and repetitions of its fields.
 * Rebuilds it if the host's parser has read the body. An absent body is empty.
 *
 * Throws as {@link readOpenBody}, and 415 for JSON.
 *
 * @param maxBytes - Default 8 KiB
 */
export async function readFormAsQuery(
  request: IncomingMessage & MaybeParsed,
  maxBytes: number = maxBodyBytes,
): Promise<string> {
  if (!hasBody(request)) return ''
  const rules = rulesOfForm(request, { repeatable: [], areTakenFrom: anywhere })
  if (rules === undefined) throw notAForm()
  if (!isUnread(request, maxBytes)) return queryOf(asObject(request.body), maxBytes)
  return new Promise((resolve, reject) => {
    readBytes(request, maxBytes, (bytes) => resolve(bytes.toString('latin1')), reject)
  })
}

function queryOf(fields: JsonBody, maxBytes: number): string {
  const pairs: string[] = []
  let room = maxBytes
  for (const [name, value] of textsIn(fields)) {
    room -= name.length + value.length + 1
    if (room < 0) throw tooLarge()
    pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return pairs.join('&')
}

// A generator, so that the caller can stop at its bound.
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

/** Which forms are accepted. */
interface FormRules {
  readonly repeatable: readonly string[]
  readonly areTakenFrom: (request: IncomingMessage) => boolean
}

const anywhere = () => true

// One promise, which the last bytes settle: every request with a body comes through here.
function readBody(request: IncomingMessage & MaybeParsed, forms?: FormRules): Promise<JsonBody> {
  return new Promise((resolve, reject) => {
    if (!hasBody(request)) return resolve({})
    const formRules = rulesOfForm(request, forms)
    const isToRead = isUnread(request, maxBodyBytes)
    if (!isToRead) return resolve(asObject(parsedBody(request)))
    readBytes(request, maxBodyBytes, (bytes) => resolve(bodyIn(bytes, formRules, forms)), reject)
  })
}

function bodyIn(bytes: Buffer, formRules?: FormRules, forms?: FormRules): JsonBody {
  if (formRules !== undefined) return parseForm(bytes, formRules)
  const body = asObject(parse(bytes))
  // The rule is the rule for forms: a filter in front may use the first of two members, and
  // `JSON.parse` uses the last. RFC 6749 §3.2, https://www.rfc-editor.org/rfc/rfc6749#section-3.2
  if (forms?.areTakenFrom === anywhere && hasMemberTwice(bytes.toString('utf8')))
    throw notUnderstood('A member of the body is there twice.')
  return body
}

/** Whether nobody has read the body yet; false: the host has parsed it. */
function isUnread(request: IncomingMessage, maxBytes: number): boolean {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  // If the stream is untouched, nobody has parsed it, even if `body` has a placeholder.
  if (request.readableDidRead || request.readableEnded || request.destroyed) return false
  refuseDecoded(request)
  return true
}

/** Whether the request has a body. */
export function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0
  )
}

// Undefined: the body is JSON. Other types would let a page of another origin post without a
// preflight (ASVS V3.5.2).
function rulesOfForm(request: IncomingMessage, forms?: FormRules): FormRules | undefined {
  const coding = request.headers['content-encoding'] ?? 'identity'
  const type = mediaType(request.headers['content-type'] ?? '')
  const charset = type?.params.get('charset') ?? 'utf-8'
  const isPlain = /^utf-?8$/i.test(charset) && coding.toLowerCase() === 'identity'
  if (isPlain && type?.essence === 'application/json') return undefined
  const isForm = isPlain && type?.essence === 'application/x-www-form-urlencoded'
  if (isForm && forms?.areTakenFrom(request)) return forms
  throw forms?.areTakenFrom === anywhere ? notAForm() : new AuthError('unsupported-media-type')
}

function notAForm(): AuthError {
  return new AuthError('unsupported-media-type', {
    clientMessage: 'Send the body as application/x-www-form-urlencoded in UTF-8.',
  })
}

// Browsers send no Fetch Metadata over plain HTTP, but then send the origin of the page that posts
// the form. Programs send no origin.
function ownSite({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin } = headers
  return site === undefined ? origin === undefined : site === 'same-origin' || site === 'none'
}

/** The usual spellings, parsed once: parsing one takes longer than reading a small form. */
const plainTypes: ReadonlyMap<string, MIMEType> = new Map(
  ['application/json', 'application/x-www-form-urlencoded'].map((type) => [
    type,
    new MIMEType(type),
  ]),
)

/** Characters. Every accepted type is much shorter. */
const maxContentType = 256

function mediaType(header: string): MIMEType | undefined {
  const plain = plainTypes.get(header)
  if (plain !== undefined) return plain
  // MIMEType takes quadratic time for blanks inside the value: 15 KB of them would block the event
  // loop for half a second.
  if (header.length > maxContentType) return undefined
  try {
    return new MIMEType(header)
  } catch {
    return undefined
  }
}

// Decoding may have turned two passwords into one, and a stream with a `readable` listener emits no
// `data` here.
function refuseDecoded(request: IncomingMessage): void {
  if (request.readableEncoding === null && request.listenerCount('readable') === 0) return
  throw new AuthConfigError(
    'app.use',
    'something in front of the router has called setEncoding, or listens for "readable", on a ' +
      'request that it did not read.',
    'read the body there and put it into request.body, or leave the request alone.',
  )
}

// The client is not at fault where another parser has read the body and kept no fields.
function parsedBody({ body, readableEnded }: IncomingMessage & MaybeParsed): unknown {
  if (!readableEnded || (body !== undefined && !Buffer.isBuffer(body))) return body
  throw new AuthConfigError(
    'app.use',
    'something in front of the router has read the body of a request, and has left no fields in ' +
      'request.body.',
    'mount the router before it, or put express.json() in its place.',
  )
}

// With events: `for await` costs more than reading a small body.
function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  use: (bytes: Buffer) => void,
  reject: (error: unknown) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  const take = (bytes: Buffer) => {
    length += bytes.length
    chunks.push(bytes)
    if (length <= maxBytes) return
    // Not destroyed: the answer uses this connection.
    request.pause()
    leave()
    reject(tooLarge())
  }
  const whole = () => {
    leave()
    try {
      use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    } catch (error) {
      reject(error)
    }
  }
  const broken = () => {
    leave()
    reject(notUnderstood('The body did not arrive whole.'))
  }

  function leave(): void {
    request.off('data', take).off('end', whole).off('error', broken).off('close', broken)
  }
  request.on('data', take).on('end', whole).on('error', broken).on('close', broken)
  // The host may have paused the stream; a listener alone does not resume it.
  request.resume()
}

function parse(bytes: Buffer): unknown {
  // A lenient decoder turns invalid bytes into U+FFFD, so different byte strings would be one
  // password (RFC 8259 §8.1).
  if (!isUtf8(bytes)) throw notUnderstood('The body is not valid UTF-8.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw notUnderstood('The body is not valid JSON.')
  }
}

// Not URLSearchParams, which turns invalid UTF-8 into U+FFFD: two passwords would be one.
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
 * Decodes a name or value of a form ([RFC 6749 Appendix
 * B](https://www.rfc-editor.org/rfc/rfc6749)); null if it is not UTF-8.
 */
export function decodeFormText(encoded: string): string | null {
  // Most names and values need no decoding.
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

const steps: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/**
 * Whether a JSON object has a member twice at its top level. Takes time linear in the text.
 *
 * @param json - of an object that `JSON.parse` has accepted
 */
function hasMemberTwice(json: string): boolean {
  const names = new Set<string>()
  let depth = 0
  let text = ''
  // The end of a text is optional, so that no character is read twice, whatever the JSON.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[{}[\]:]/g)) {
    depth += steps[token] ?? 0
    if (token.startsWith('"')) text = token
    if (token !== ':' || depth !== 1) continue
    // Parsed, since escapes give one name several spellings.
    const name = JSON.parse(text) as string
    if (names.has(name)) return true
    names.add(name)
  }
  return false
}

/** A 413. */
export function tooLarge(): AuthError {
  return new AuthError('payload-too-large')
}

function notUnderstood(message: string): AuthError {
  return invalidRequest([{ path: '', message }])
}
