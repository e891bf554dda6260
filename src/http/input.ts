import type { IncomingMessage } from 'node:http'
import type { ZodObject, ZodRawShape, z } from 'zod'
import { noRequest, type RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { isHostId, isOneLine } from '../lib/texts.js'
import { type JsonBody, maxBodyBytes, readOpenBody, tooLarge } from './body.js'

/**
 * Reads a body by its schema. One 400 names every wrong field, without its value. Fields outside of
 * the schema are never read, however many or deep. `instead` has defaults for missing fields.
 *
 * Throws 413 if the texts together are longer than any body may be.
 */
export function parseInput<Shape extends ZodRawShape>(
  schema: ZodObject<Shape>,
  body: JsonBody,
  instead: JsonBody = {},
): z.output<ZodObject<Shape>> {
  const result = schema.safeParse(fieldsOf(schema, body, instead))
  // A polluted Object.prototype must not add a field.
  if (result.success) return Object.assign(Object.create(null), result.data)
  throw unfit(result.error)
}

/** Reads what a host passes on, by its schema. One 400 names each member at fault. */
export function parseOptions<Output>(schema: z.ZodType<Output>, given: unknown): Output {
  const result = schema.safeParse(requireOptions(given))
  if (result.success) return result.data
  throw unfit(result.error)
}

function unfit({ issues }: z.ZodError): AuthError {
  return invalidRequest(issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}

function fieldsOf({ shape }: ZodObject, body: JsonBody, instead: JsonBody): JsonBody {
  const fields = Object.create(null) as Record<string, unknown>
  let length = 0
  for (const name of Object.keys(shape)) {
    const from = Object.hasOwn(body, name) ? body : instead
    if (!Object.hasOwn(from, name)) continue
    const value = from[name]
    fields[name] = value
    length += typeof value === 'string' ? value.length : 0
  }
  // A chunked body has no Content-Length, so the host's parser may have accepted a longer one.
  if (length > maxBodyBytes) throw tooLarge()
  return fields
}

/**
 * The parameters of a request to an OAuth endpoint. A parameter without a value counts as absent
 * ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)).
 */
export interface RequestParameters {
  /** A parameter that may be sent once; null if absent. Throws 400 for several, and 413. */
  one(name: string): string | null
  /** A parameter that may repeat, such as `resource`. Throws 400 for more than 20, and 413. */
  all(name: string): readonly string[]
}

/** Maximum number of values of one parameter. */
const maxValues = 20

/**
 * Reads the parameters from a form or from JSON, of any origin: for endpoints without cookies.
 * Never from the URL, which is written to logs.
 *
 * Throws 400 for a malformed body, and for a repeated parameter except `resource` of a form
 * ([RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)); 413 above 8 KiB; 415 for
 * another type.
 */
export async function readParameters(request: IncomingMessage): Promise<RequestParameters> {
  return parametersOf(await readOpenBody(request, ['resource']))
}

// Reads only the requested members: a host's parser may have accepted a hundred thousand, and
// nested ones.
function parametersOf(body: JsonBody): RequestParameters {
  let characters = 0

  function text(name: string, value: unknown): string {
    if (typeof value !== 'string') throw notOneText(name)
    characters += value.length
    if (characters > maxBodyBytes) throw tooLarge()
    return value
  }

  const given = (name: string) => (Object.hasOwn(body, name) ? body[name] : undefined)

  return {
    one(name) {
      const value = given(name)
      return value === undefined ? null : text(name, value) || null
    },
    all(name) {
      const value = given(name) ?? []
      const values = Array.isArray(value) ? value : [value]
      if (values.length > maxValues) throw refused(`${name} is sent too often.`)
      return Array.from(values, (one) => text(name, one)).filter((one) => one !== '')
    },
  }
}

function notOneText(name: string): AuthError {
  return refused(`${name} must be one text.`)
}

function refused(clientMessage: string): AuthError {
  return new AuthError('invalid-request', { clientMessage })
}

/**
 * The request that a host passes on: Express's or Node's.
 *
 * Throws 400 for anything else: limits need its address.
 */
export function requireRequest(given: unknown): IncomingMessage {
  const { headers, socket } = (given ?? {}) as Partial<IncomingMessage>
  const isRequest = [headers, socket].every((part) => typeof part === 'object' && part !== null)
  if (isRequest) return given as IncomingMessage
  throw invalidRequest([{ path: 'request', message: 'Invalid input: expected a request' }])
}

/** The form that a host passes on, as a body. Throws 400 for any other value than an object. */
export function bodyOf(given: unknown): JsonBody {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as JsonBody
  throw invalidRequest([{ path: '', message: 'Invalid input: expected an object' }])
}

/** The own members of options from a host; undefined counts as no options. */
export function requireOptions<Options>(given: Options): Options {
  return ownMembers(given)
}

/** Options of every action of the host on an account or a client. */
export interface HostAction {
  /**
   * The member of your staff who acts, such as `support:ada`; `actor` of the events. 1 to 200
   * characters without control characters, else 400. Default: none.
   */
  readonly by?: string
}

/** Checked options, and the context of the events. */
export interface ReadAction<Options> {
  readonly options: Options
  readonly context: RequestContext
}

/**
 * Reads the options of an action of the host. Throws 400 for invalid options, and for a `by` that
 * could forge a line of a log.
 */
export function readAction<Options extends HostAction>(
  given: Options | undefined,
): ReadAction<Partial<Options>> {
  // The copy has no prototype: a polluted prototype could add an option.
  if (given === undefined) return { options: requireOptions({}), context: noRequest }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidRequest([{ path: 'options', message: 'Invalid input: expected an object' }])
  const options = requireOptions(given)
  const { by } = options
  if (by === undefined) return { options, context: noRequest }
  if (!isActor(by))
    throw invalidRequest([
      { path: 'by', message: 'Invalid input: expected 1 to 200 characters in one line' },
    ])
  return { options, context: { ...noRequest, actor: by } }
}

/** The context of an action without further options. Throws 400. */
export function contextOfAction(given: HostAction | undefined): RequestContext {
  return readAction(given).context
}

/**
 * Throws 400 for a value that is no id: a numeric id matches nothing in a store, and "0 sessions
 * ended" would look like a valid answer.
 */
export function requireIds(ids: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(ids).filter(([, id]) => !isHostId(id))
  if (wrong.length === 0) return
  throw invalidRequest(wrong.map(([path]) => ({ path, message: 'Invalid input: expected an id' })))
}

function isActor(by: unknown): boolean {
  if (typeof by !== 'string' || by.trim() === '' || by.length > 200) return false
  return isOneLine(by)
}
