import { sessionCookieName } from '../http/cookies.js'
import { tokenHeaders } from '../http/credentials.js'
import type { Operation, Who } from './operation.js'
import { type NamedSchemas, propertiesOf } from './schemas.js'

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
export function schemesOf(operations: readonly Operation[]): Record<string, object> {
  const used = new Set(
    operations.flatMap(({ who }) => security[who].flatMap((scheme) => Object.keys(scheme))),
  )
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)))
}

/** The caller, for people. */
export function whoOf({ who, whoElse, whileEnrolling }: Operation): string {
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
export function requestOf(operation: Operation, schemas: NamedSchemas): object {
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
