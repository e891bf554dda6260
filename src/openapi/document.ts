import { z } from 'zod'
import { AuthError, type AuthErrorCode } from '../errors.js'
import { sessionCookieName } from '../http/cookies.js'
import { tokenHeaders } from '../http/credentials.js'
import { nameInStyle, type ProblemStyle } from '../http/problem-names.js'
import {
  always,
  count,
  createNamedSchemas,
  flag,
  type NamedSchemas,
  oneOf,
  propertiesOf,
  requestOptions,
  requiredActions,
  text,
  textOrNull,
  texts,
} from './fields.js'
import {
  type AnswerHeaders,
  type AnswerKind,
  headerComponents,
  headersOf,
  pageHeaders,
} from './headers.js'
import { type Fields, type Operation, type Success, tags, type Who } from './operation.js'

/**
 * The description of the HTTP interface in
 * [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html), ready for `res.json`.
 */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.0'
  /** `version` is the version of the interface, not of the package. */
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  /** The address of the router; one entry. */
  readonly servers: readonly { readonly url: string }[]
  /** The chapters, in reading order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** By path, such as `/auth/sessions/{id}`, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  /** Shared parts, by kind and then by name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

const info = {
  title: 'messaging-auth-router',
  version: '1',
  summary: 'The sign-in of a messaging server.',
  license: { name: 'MIT', identifier: 'MIT' },
  description: [
    'Bodies are JSON in UTF-8, at most 8 KiB. The server ignores fields that are not listed.',
    'Within a version there are only additions: ignore unknown fields, and handle an unknown ' +
      '`error` by its status.',
    '`GET` also answers `HEAD`. Any other method of a path is 405 `method-not-allowed`, with ' +
      '`Allow`.',
    'If a part of the server fails, the answer is 503, never 401: keep the token and try again.',
  ].join('\n\n'),
}

/** Describes requests and all their answers. */
export function describeOperations(operations: readonly Operation[]): OpenApiDocument {
  const schemas = createNamedSchemas()
  const responses = new Map<string, ResponseObject>()
  const described = operations.map((operation) => [
    operation,
    {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...descriptionOf(operation),
      'x-who': whoOf(operation),
      ...(operation.thereWith === undefined ? {} : { 'x-there-with': operation.thereWith }),
      ...requestOf(operation, schemas),
      responses: responsesOf(operation, schemas, responses),
    },
  ]) as (readonly [Operation, object])[]
  const paths = pathsOf(described)
  const used = namesIn(JSON.stringify([paths, ...responses.values()]))
  const listed = new Set(operations.map(({ tag }) => tag))
  return frozen({
    openapi: '3.1.0',
    info,
    servers: [{ url: '/api/v1' }],
    tags: Object.entries(tags)
      .filter(([name]) => listed.has(name as keyof typeof tags))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.all(),
      responses: sorted(responses),
      headers: headerComponents(used) as Readonly<Record<string, object>>,
      securitySchemes: schemesOf(operations),
    },
  })
}

// All callers share one object.
function frozen<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) frozen(inner)
  return Object.freeze(value)
}

function descriptionOf({ notes = [] }: Operation): object {
  return notes.length === 0 ? {} : { description: notes.map((note) => `- ${note}`).join('\n') }
}

function pathsOf(described: readonly (readonly [Operation, object])[]): OpenApiDocument['paths'] {
  const paths: Record<string, Readonly<Record<string, object>>> = {}
  for (const [operation, object] of described) {
    const [method = '', path = ''] = operation.route.split(' ')
    const name = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[name] = { ...paths[name], [method.toLowerCase()]: object }
  }
  return paths
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/#\/components\/headers\/([\w-]+)/g)].map(([, id]) => id ?? ''))
}

function sorted(responses: ReadonlyMap<string, ResponseObject>): Record<string, object> {
  return Object.fromEntries([...responses].sort(([one], [other]) => (one < other ? -1 : 1)))
}

const token = [
  { bearer: [] },
  Object.fromEntries(Object.keys(tokenHeaders).map((scheme) => [scheme, []])),
]

/** Accepted credentials by caller; `{}` means none. */
const security: Readonly<Record<Who, readonly object[]>> = {
  anybody: [],
  'signed-in': token,
  'full-scope': token,
  app: [{ app: [] }, {}],
  'app-token': [{ bearer: [] }],
  browser: [{ cookie: [] }, {}],
}

/** Kinds of credentials. */
const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An `authToken` or an `access_token` (RFC 6750 §2.1).',
  },
  ...Object.fromEntries(
    Object.entries(tokenHeaders).map(([scheme, header]) => [
      scheme,
      { type: 'apiKey', in: 'header', ...header },
    ]),
  ),
  app: {
    type: 'http',
    scheme: 'basic',
    description: 'Id and secret of a confidential app (RFC 6749 §2.3.1).',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description: "The session of a browser at the server's own pages.",
  },
}

/** The schemes that these operations use. */
function schemesOf(operations: readonly Operation[]): Record<string, object> {
  const used = new Set(
    operations.flatMap(({ who }) => security[who].flatMap((scheme) => Object.keys(scheme))),
  )
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)))
}

/** The caller, for people. */
function whoOf({ who, whoElse, whileEnrolling, whileActing }: Operation): string {
  const words: Readonly<Record<Who, string>> = {
    anybody: 'anybody',
    'signed-in': 'signed in',
    'full-scope': 'signed in, full scope',
    app: 'an app',
    'app-token': 'an app with its access token',
    browser: 'a browser',
  }
  const more = whoElse === undefined ? '' : `, ${whoElse}`
  const enrolling = whileEnrolling === true ? '; open while enrolling' : ''
  const acting = whileActing === true ? '; open while acting for a user' : ''
  return `${words[who]}${more}${enrolling}${acting}`
}

/** Parameters, body and credentials of a request. */
function requestOf(operation: Operation, schemas: NamedSchemas): object {
  const parameters = [
    ...Object.entries(operation.inPath ?? {}).map(([name, what]) => ({
      name,
      in: 'path',
      description: what,
      required: true,
      schema: { type: 'string' },
    })),
    ...(operation.query === undefined ? [] : inPlace('query', operation.query)),
    ...(operation.sends === undefined ? [] : inPlace('header', operation.sends)),
  ]
  return {
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation, schemas),
    security: security[operation.who],
  }
}

function inPlace(place: 'query' | 'header', fields: NonNullable<Operation['query']>): object[] {
  return propertiesOf(fields).map(([name, { description, ...schema }, required]) => ({
    name,
    in: place,
    ...(description === undefined ? {} : { description }),
    ...(required ? { required } : {}),
    schema,
  }))
}

function bodyOf({ id, body }: Operation, schemas: NamedSchemas): object {
  if (body === undefined) return {}
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`
  const schema = schemas.name(name, body.fields)
  const form = body.form === undefined ? {} : { 'application/x-www-form-urlencoded': { schema } }
  const json = body.form === 'only' ? {} : { 'application/json': { schema } }
  return { requestBody: { required: true, content: { ...form, ...json } } }
}

/** An answer in OpenAPI. */
export interface ResponseObject {
  readonly description: string
  readonly headers: AnswerHeaders
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

/** Errors that several requests share. */
export type SharedResponses = Map<string, ResponseObject>

type Origin = Pick<Operation, 'style' | 'openTo' | 'limited'>

/** All answers to a request, by status. */
function responsesOf(
  operation: Operation,
  schemas: NamedSchemas,
  shared: SharedResponses,
): Readonly<Record<string, object>> {
  const { answers, refusals, pages = {} } = operation
  const successes = Object.entries(answers).map(([status, answer]) => [
    status,
    successOf(operation, Number(status), answer, schemas),
  ])
  const told = Object.entries(pages).map(([status, what]) => [
    status,
    successOf(operation, Number(status), { what, body: 'html' }, schemas),
  ])
  const codes = [...new Set(refusals)]
  const refused = codes.map(statusOf).map((status) => [
    status,
    refusalOf(
      operation,
      codes.filter((code) => statusOf(code) === status),
      schemas,
      shared,
    ),
  ])
  return Object.fromEntries([...successes, ...told, ...refused])
}

function successOf(
  operation: Operation,
  status: number,
  { what, body, headers = [] }: Success,
  schemas: NamedSchemas,
): ResponseObject {
  const isPage = operation.pages !== undefined
  const also = isPage ? [...headers, ...pageHeaders] : headers
  const answer = { description: what, headers: headersOf(kindOf(operation, status), also) }
  if (body === null) return answer
  if (body === 'html')
    return { ...answer, content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } } }
  const { id } = operation
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`
  return { ...answer, content: { 'application/json': { schema: schemas.name(name, body) } } }
}

function kindOf({ style, openTo, limited = false }: Origin, status: number): AnswerKind {
  return { status, ofApps: style === 'oauth-endpoint', openTo, limited }
}

/** An error of one status, with one of several names. */
function refusalOf(
  origin: Origin,
  codes: readonly AuthErrorCode[],
  schemas: NamedSchemas,
  shared: SharedResponses,
): { readonly $ref: string } {
  const { style = 'plain', openTo, limited } = origin
  const named = codes.map((code) => ({
    id: problemId(code, style),
    error: nameInStyle(code, style),
    schema: schemas.name(problemId(code, style), problemFields(code, style)),
  }))
  const id = [
    named.map((one) => one.id).join('Or'),
    limited === true ? 'Limited' : '',
    openTo === undefined ? '' : { 'every-origin': 'Open', 'own-origin': 'Own' }[openTo],
  ].join('')
  const mapping = Object.fromEntries(named.map(({ error, schema }) => [error, schema.$ref]))
  const [first] = named
  const schema =
    named.length === 1 && first !== undefined
      ? first.schema
      : {
          oneOf: named.map((one) => one.schema),
          discriminator: { propertyName: 'error', mapping },
        }
  shared.set(id, {
    description: codes.map((code) => new AuthError(code).clientMessage).join(' '),
    headers: headersOf(kindOf(origin, statusOf(codes[0] as AuthErrorCode))),
    content: { 'application/json': { schema } },
  })
  return { $ref: `#/components/responses/${id}` }
}

const issue = z.object({ path: text('the field'), message: text('what was expected there') })
const secondFactor = z.object({
  method: text('the method to ask for first'),
  codeGenerated: flag('whether the server has sent a code'),
  availableMethods: texts('such as `totp`, `passkey` and `recovery`'),
  passkeyOptions: requestOptions
    .describe('if `passkey` is available: for `navigator.credentials.get`')
    .optional(),
})

/** `details` of errors. */
const details: Readonly<Partial<Record<AuthErrorCode, z.ZodType>>> = {
  'invalid-request': z.object({ issues: z.array(issue) }).optional(),
  Unauthorized: z
    .object({
      wrong: oneOf(['password', 'passkey'], 'what was wrong; a session continues'),
      signal: always(
        'unknown-credential',
        'the passkey does not exist: call `PublicKeyCredential.signalUnknownCredential`',
      ).optional(),
    })
    .optional(),
  'password-refused': z.object({
    reasons: z
      .array(z.enum(['too-short', 'too-long', 'common', 'context', 'breached', 'known']))
      .describe('`context`: it is made of a name or the address'),
    minLength: count('the least number of characters for this user'),
  }),
  'proof-refused': z
    .object({
      reason: oneOf(['used', 'expired'], 'only for a token that was real').optional(),
      triesLeft: count('after a wrong check code of a linked device').optional(),
    })
    .optional(),
  'totp-required': secondFactor,
  'totp-invalid': secondFactor,
  'provider-refused': z
    .object({
      reason: always('not-connected', 'no user here is connected with this account'),
      canConnect: flag('whether the pages connect it, if the user signs in there once'),
    })
    .optional(),
  opened: z.object({
    checkCode: text('four digits, for the user to type into the other device'),
  }),
  approved: z.object({
    account: z
      .object({ name: text(), username: text() })
      .describe('whom the device will be signed in as'),
  }),
  'username-taken': z.object({ suggestion: textOrNull('the name at the provider') }).optional(),
  'reauthentication-required': z
    .object({ maxAge: count('maximum age of the sign-in, in seconds') })
    .optional(),
  'phone-in-use': z
    .object({ until: text('from then on another code takes the number over; ISO 8601') })
    .optional(),
  'action-required': z.object({ required: requiredActions }),
  interaction_required: z.object({ required: requiredActions }),
  'password-expired': z.object({ url: textOrNull('where the password is changed') }),
  'password-elsewhere': z.object({
    name: text('the directory that has the password, for people'),
    url: textOrNull('where the password is changed'),
  }),
  'too-many-requests': z.object({ retryAfter: count('seconds') }),
}

const prefixes: Readonly<Record<ProblemStyle, string>> = {
  plain: '',
  oauth: 'OAuth',
  'oauth-endpoint': 'App',
}

/** The name of the schema of an error. */
function problemId(code: AuthErrorCode, style: ProblemStyle): string {
  const words = code.split(/[-_]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${prefixes[style]}${words.join('')}`
}

/** The body of an error. */
function problemFields(code: AuthErrorCode, style: ProblemStyle): Fields {
  const inner = Object.hasOwn(details, code) ? details[code] : undefined
  return z.object({
    success: always(false),
    status: always('error'),
    error: always(nameInStyle(code, style)),
    message: text('for people'),
    ...(style === 'plain' ? {} : { error_description: text('the same') }),
    ...(inner === undefined ? {} : { details: inner }),
  })
}

/** The status of an error. */
function statusOf(code: AuthErrorCode): number {
  return new AuthError(code).status
}
