import { sessionCookieName } from '../http/cookies.js'
import { tokenHeaders } from '../http/credentials.js'
import { headerComponents } from './headers.js'
import { type Operation, tags, type Who } from './operation.js'
import { type ResponseObject, responsesOf } from './responses.js'
import { createNamedSchemas, type NamedSchemas, propertiesOf } from './schemas.js'

/**
 * The description of the HTTP interface in
 * [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html), ready for `res.json`.
 */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.0'
  /** `version` is that of the interface, not of the package. */
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
function whoOf({ who, whoElse, whileEnrolling }: Operation): string {
  const words: Readonly<Record<Who, string>> = {
    anybody: 'anybody',
    'signed-in': 'signed in',
    'full-scope': 'signed in, full scope',
    app: 'an app',
    'app-token': 'an app with its access token',
    browser: 'a browser',
  }
  const more = whoElse === undefined ? '' : `, ${whoElse}`
  return `${words[who]}${more}${whileEnrolling === true ? '; open while enrolling' : ''}`
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
