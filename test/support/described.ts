// Every answer of a router is held against openapi.json, whichever test asked for it: a path, a
// status, a header or a field that is not described fails that test.
import { appendFileSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Router } from 'express'

interface Referring {
  readonly $ref?: string
}
/** As much of a schema as is looked at. */
export interface Schema extends Referring {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly Schema[]
}
interface HeaderObject extends Referring {
  readonly required?: boolean
  readonly schema?: Schema
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>
interface ResponseObject extends Referring {
  readonly headers?: Readonly<Record<string, HeaderObject>>
  readonly content?: Content
}
/** As much of a request as is looked at. */
export interface RequestObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly 'x-who': string
  readonly 'x-there-with'?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RequestObject>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** What was answered to what. */
export interface Answered {
  readonly method: string
  /** As it is mounted; null where no route was found. */
  readonly route: string | null
  readonly status: number
  /** Those that the router has set, names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The same, with what a failing test calls it. */
export interface Noted extends Answered {
  readonly name: string
}

/** The description that is shipped. */
const described: Document = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
)

/** Every request of it, such as `DELETE /auth/sessions/:id`. */
export const requests: readonly { readonly route: string; readonly request: RequestObject }[] =
  Object.entries(described.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, request]) => ({
      route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      request,
    })),
  )
/** Every path of it, as it is mounted. */
export const describedPaths: ReadonlySet<string> = new Set(
  requests.map(({ route }) => route.split(' ')[1] ?? ''),
)
const byRoute = new Map(requests.map(({ route, request }) => [route, request]))

/** Pages for people, and what they load: no client asks them, so none of it is described. */
const forPeople: ReadonlySet<string> = new Set([
  '/oauth/sign-in',
  '/oauth/code',
  '/oauth/providers/:id',
  '/oauth/provider',
  '/oauth/connect',
  '/oauth/second-factor',
  '/oauth/recovery-code',
  '/oauth/new-password',
  '/oauth/address',
  '/oauth/enrolment',
  '/oauth/acceptance',
  '/oauth/passkey',
  '/oauth/consent',
  '/oauth/continue',
  '/oauth/sign-out',
  '/oauth/device',
  '/account',
  '/account/second-factor',
  '/account/passkeys',
  '/account/identities',
  '/account/password',
  '/account/email',
  '/account/phone',
  '/account/confirm',
  '/account/forgot',
  '/account/reset',
  '/account/undo',
  '/account/delete',
  '/account/link',
  '/account/register',
  '/account/register/confirm',
  '/account/invitation',
  '/oauth/assets/:file',
  '/auth/providers/:id/open',
  '/auth/providers/:id/callback',
])

/** Whether a path is one that clients ask. */
export function isForClients(path: string): boolean {
  return !forPeople.has(path)
}

/** What a reference leads to; anything else is what it is. */
export function resolve<Shape extends Referring>(object: Shape): Shape {
  const [, , kind = '', id = ''] = object.$ref?.split('/') ?? []
  return object.$ref === undefined ? object : (described.components[kind]?.[id] as Shape)
}

// Clients are to ignore what they do not know, so the description lets it pass. Here it is a fault.
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const { discriminator: _discriminator, ...rest } = schema as Readonly<Record<string, unknown>>
  const inner = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, closed(one)]))
  const isOpen = rest['properties'] === undefined || rest['additionalProperties'] !== undefined
  return isOpen ? inner : { ...inner, additionalProperties: false }
}

/** References, as they lead to what the validator has been given. */
function moved(schema: unknown): object {
  const text = JSON.stringify(closed(schema))
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"described#/$defs/'))
}

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  allowUnionTypes: true,
  formats: { 'date-time': isTime },
})
ajv.addSchema({ $id: 'described', $defs: moved(described.components['schemas']) })
const validators = new Map<string, ValidateFunction>()

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text
}

function faultsOfBody(schema: Schema, text: string): string[] {
  const key = JSON.stringify(schema)
  const validate = validators.get(key) ?? ajv.compile(moved(schema))
  validators.set(key, validate)
  if (validate(JSON.parse(text))) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `body${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** What Node adds to an answer, or what is said of its body. */
const ofTransport = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive'])

function faultsOfHeaders(told: ResponseObject['headers'] = {}, sent: Answered['headers']) {
  const known = new Map(
    Object.entries(told).map(([name, header]) => [name.toLowerCase(), resolve(header)]),
  )
  const unknown = Object.keys(sent)
    .filter((name) => !known.has(name) && !ofTransport.has(name))
    .map((name) => `header ${name} is not described`)
  const wrong = [...known].flatMap(([name, { required, schema }]) => {
    const value = sent[name]
    if (value === undefined) return required === true ? [`header ${name} is missing`] : []
    const allowed = schema?.enum
    const isWhole = schema?.type !== 'integer' || /^\d+$/.test(value)
    return isWhole && allowed?.includes(value) !== false ? [] : [`header ${name}: ${value}`]
  })
  return [...unknown, ...wrong]
}

function faultsOfContent({ content }: ResponseObject, { headers, text, method }: Answered) {
  const type = headers['content-type']
  if (content === undefined) return text === '' ? [] : [`a body that is not described: ${text}`]
  const schema = content[type ?? '']?.schema
  if (schema === undefined) return [`type ${type} is not described`]
  return method === 'HEAD' || type !== 'application/json' ? [] : faultsOfBody(schema, text)
}

/** The methods of a path, as `Allow` names them. */
function methodsOf(route: string): string[] {
  const named = requests
    .filter((one) => one.route.split(' ')[1] === route)
    .map((one) => one.route.split(' ')[0] ?? '')
  return named.toSorted()
}

const listed = (header: string) =>
  header
    .split(', ')
    .filter((method) => method !== 'HEAD')
    .toSorted()

// Of what belongs to no request: a method that there is not, a preflight, a host whose options
// cannot be right, a path that cannot be decoded.
function faultsBeside(answered: Answered): string[] | null {
  const { method, route, status, headers } = answered
  if (route === null) return isUndecodable(answered) ? [] : null
  if (status === 500)
    return ['configuration', 'server_error'].includes(errorOf(answered)) ? [] : null
  if (byRoute.has(`${method} ${route}`)) return null
  const told: Readonly<Record<string, string | undefined>> = {
    405: headers['allow'],
    204: method === 'OPTIONS' ? headers['access-control-allow-methods'] : undefined,
  }
  const methods = told[status]
  if (methods === undefined) return null
  return `${listed(methods)}` === `${methodsOf(route)}` ? [] : [`methods: ${methods}`]
}

// Which path was meant nobody knows, so neither does the answer.
function isUndecodable(answered: Answered): boolean {
  const { method, status } = answered
  if (method === 'OPTIONS' && status === 204) return true
  return status === 404 && errorOf(answered) === 'not-found'
}

function errorOf({ headers, text }: Answered): string {
  return headers['content-type'] === 'application/json' ? JSON.parse(text).error : ''
}

/** In what an answer differs from its description. */
export function faultsOf(answered: Answered): readonly string[] {
  const { method, route, status, headers } = answered
  if (route !== null && !isForClients(route)) return []
  const beside = faultsBeside(answered)
  if (beside !== null) return beside
  const request = byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${route}`)
  if (request === undefined) return ['the request is not described']
  const response = request.responses[status]
  if (response === undefined) return ['the status is not described']
  note(answered)
  const told = resolve(response)
  return [...faultsOfHeaders(told.headers, headers), ...faultsOfContent(told, answered)]
}

const noted = new Set<string>()

// For test/rules/check-answers.mjs, which looks for what is described and never answered.
function note(answered: Answered): void {
  const { method, route, status } = answered
  const folder = process.env['ANSWERS_SEEN']
  if (folder === undefined || method === 'HEAD') return
  const seen = `${method} ${route} ${status} ${status < 400 ? '' : errorOf(answered)}`.trim()
  if (noted.has(seen)) return
  noted.add(seen)
  appendFileSync(join(folder, `${process.pid}.txt`), `${seen}\n`)
}

type Next = (error?: unknown) => void
type Handler = (request: IncomingMessage, response: ServerResponse, next: Next) => void

/**
 * The router; each of its answers goes to `answers`, where {@link faultsIn} looks for faults when
 * the test is over. What the router hands on is the host's.
 */
export function watched(router: Router, answers: Noted[]): Handler {
  const handle = router as unknown as Handler
  return function answerWatched(request, response, next) {
    const { end } = response
    const before = new Set(response.getHeaderNames())
    response.end = function noteAndEnd(this: ServerResponse, ...given: unknown[]) {
      response.end = end
      answers.push(answeredBy(request, response, before, given[0]))
      return end.apply(this, given as Parameters<typeof end>)
    } as typeof end
    handle(request, response, (error) => {
      response.end = end
      next(error)
    })
  }
}

/**
 * In what the answers of a test differ from their descriptions. Ask at the end of the test: while
 * a test pollutes Object.prototype, the validator would take what is there for its own.
 */
export function faultsIn(answers: readonly Noted[]): readonly string[] {
  return answers.flatMap((answered) =>
    faultsOf(answered).map((fault) => `${answered.name}: ${fault}`),
  )
}

function answeredBy(
  request: IncomingMessage & { readonly route?: { readonly path: string } },
  response: ServerResponse,
  before: ReadonlySet<string>,
  text: unknown,
): Noted {
  const { method = '' } = request
  const route = request.route?.path ?? null
  const headers = Object.entries(response.getHeaders())
    .filter(([name]) => !before.has(name) || name === 'content-type')
    .map(([name, value]) => [name, String(value)])
  return {
    name: `${method} ${route ?? request.url} ${response.statusCode}`,
    method,
    route,
    status: response.statusCode,
    headers: Object.fromEntries(headers),
    text: typeof text === 'string' || Buffer.isBuffer(text) ? text.toString() : '',
  }
}
