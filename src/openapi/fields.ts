import { z } from 'zod'
import type { Fields, Operation } from './operation.js'

// Schemas for answers, and for requests that no schema of an endpoint reads.

/** A text. */
export function text(what = ''): z.ZodString {
  return told(z.string(), what)
}

/** A time as text: ISO 8601, UTC. */
export function time(what = ''): z.ZodString {
  return told(z.string().meta({ format: 'date-time' }), what)
}

/** A whole number. */
export function count(what = ''): z.ZodInt {
  return told(z.int(), what)
}

/** True or false. */
export function flag(what = ''): z.ZodBoolean {
  return told(z.boolean(), what)
}

/** A text, or null. */
export function textOrNull(what = ''): z.ZodNullable<z.ZodString> {
  return told(z.string().nullable(), what)
}

/** Several texts. */
export function texts(what = ''): z.ZodArray<z.ZodString> {
  return told(z.array(z.string()), what)
}

/** One of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
  what = '',
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  return told(z.enum(words), what)
}

/** Always this. */
export function always<const Value extends string | number | boolean>(
  value: Value,
  what = '',
): z.ZodLiteral<Value> {
  return told(z.literal(value), what)
}

/** An object with further members. */
export function besides<Shape extends z.ZodRawShape>(shape: Shape, what: string): Fields {
  return z.object(shape).catchall(z.unknown().describe(what))
}

/** The answer of the router's own endpoints. */
export function success(data: z.ZodRawShape | Fields): Fields {
  const inner = data instanceof z.ZodObject ? data : z.object(data)
  return z.object({ status: always('success'), data: inner })
}

/**
 * The schema of an endpoint, with a description of each field. A missing one does not compile.
 */
export function reading<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  what: Readonly<Record<keyof Shape & string, string>>,
): Fields {
  const shape = Object.entries(schema.shape).map(([name, field]) => [
    name,
    told(field as z.ZodType, what[name] ?? ''),
  ])
  return z.object(Object.fromEntries(shape))
}

function told<Schema extends z.ZodType>(schema: Schema, what: string): Schema {
  return what === '' ? schema : schema.describe(what)
}

// Options for browsers in the JSON of WebAuthn Level 3 §5.1, and the passkeys in answers.

const publicKey = always('public-key')
const challenge = text('opaque; works once, within five minutes')
const timeout = count('milliseconds, 300,000')
const credential = z.object({ type: publicKey, id: text('base64url'), transports: texts() })

/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. */
export const requestOptions: Fields = z.object({
  challenge,
  rpId: text('the domain of the passkeys'),
  timeout,
  allowCredentials: z.array(credential).describe('absent: any passkey of this site').optional(),
  userVerification: oneOf(['required', 'discouraged']),
})

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. */
export const creationOptions: Fields = z.object({
  challenge,
  rp: z.object({ id: text('the domain'), name: text('the name of the service') }),
  user: z.object({
    id: text('base64url, 32 random bytes; the same at each request of the user'),
    name: text('the user name'),
    displayName: text(),
  }),
  pubKeyCredParams: z.array(z.object({ type: publicKey, alg: count('number of COSE') })),
  timeout,
  excludeCredentials: z.array(credential),
  authenticatorSelection: z.object({
    residentKey: always('required'),
    requireResidentKey: always(true),
    userVerification: always('required'),
  }),
  attestation: always('none'),
  extensions: z.object({ credProps: always(true) }),
})

/** A passkey in answers to its user. */
export const passkeyFields: Fields = z.object({
  id: text('its credential id, base64url'),
  name: text('the name given by the user'),
  createdAt: time('ISO 8601, UTC'),
  lastUsedAt: time('null: never').nullable(),
  synced: flag('whether it can be on several devices'),
  backedUp: flag('whether it is on several devices, according to its authenticator'),
  transports: texts(),
  model: textOrNull('the AAGUID of the authenticator; null if unknown'),
  suspectedCloneAt: time('when a copy of it was last suspected; null: never').nullable(),
})

/** A schema in OpenAPI: JSON Schema 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Schemas with names. */
export interface NamedSchemas {
  /** Adds a schema under a name and returns the reference to it. */
  name(id: string, fields: Fields): { readonly $ref: string }
  /** All schemas, by name. */
  all(): Readonly<Record<string, JsonSchema>>
}

const uri = (id: string) => `#/components/schemas/${id}`

export function createNamedSchemas(): NamedSchemas {
  const registry = z.registry<{ id: string }>()
  const named = new Map<string, Fields>()
  return {
    name(id, fields) {
      if (!named.has(id)) named.set(id, fields)
      return { $ref: uri(id) }
    },
    all() {
      for (const [id, fields] of named) registry.add(fields, { id })
      const { schemas } = z.toJSONSchema(registry, { ...settings, uri })
      const sorted = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))
      return Object.fromEntries(
        sorted.map(([id, { $schema: _schema, $id: _id, ...schema }]) => [id, schema]),
      )
    },
  }
}

/** The members of a schema without a name. */
export function propertiesOf(fields: Fields): readonly (readonly [string, JsonSchema, boolean])[] {
  const { properties = {}, required = [] } = z.toJSONSchema(fields, settings)
  return Object.entries(properties).map(([name, schema]) => [
    name,
    schema as JsonSchema,
    required.includes(name),
  ])
}

// From the view of a client: members with a default are optional, and more members are allowed.
const settings = { io: 'input', override: simplify } as const

// Generators for older versions support neither `const` nor a choice between a type and null.
function simplify({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  if (jsonSchema.const !== undefined) {
    jsonSchema.enum = [jsonSchema.const as string]
    delete jsonSchema.const
  }
  // Some generators treat a member with a default as required.
  delete jsonSchema.default
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const [first, second] = jsonSchema.anyOf ?? []
  if (first?.type !== 'string' || second?.type !== 'null') return
  delete jsonSchema.anyOf
  Object.assign(jsonSchema, { type: ['string', 'null'] })
}

/** The members of a user. */
export const meFields: z.ZodRawShape = {
  _id: text("the user's id"),
  name: text('for display'),
  username: text(),
  status: oneOf(['online', 'away', 'busy', 'offline'], '`offline` if the server does not know'),
}

/** Further members of a user. */
export const moreOfMe = "fields of the host's `describeUser`"

/** The tokens that the host's own clients get for a code or a refresh token. */
export const tokenFields: z.ZodRawShape = {
  access_token: text('a JWT; treat it as opaque'),
  token_type: always('Bearer'),
  expires_in: count('seconds until the access token expires'),
  refresh_token: text('replaces the previous one; store both tokens before you use either'),
}

/** The kind of tokens that a sign-in requests. */
export const tokensAsked: string =
  '`refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; ' +
  'default: `session`'

/** The members of an answer with `refreshable` tokens. */
export const refreshableFields: z.ZodRawShape = {
  refreshToken: text('only with `refreshable`: for `POST /auth/refresh`').optional(),
  expiresIn: count('only with `refreshable`: lifetime of `authToken` in seconds').optional(),
}

/** What the user must do before the session opens anything. */
export const requiredActions: z.ZodType = z
  .array(z.enum(['change-password', 'verify-address', 'enrol', 'accept']))
  .describe('what must be done, in this order, before the token opens anything else')

/** The answer to a complete login. */
export const loginAnswer: Operation['answers'] = {
  200: {
    what: 'Signed in.',
    body: success({
      userId: text('for the header `X-User-Id`'),
      authToken: text(
        'for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ' +
          'ends, with `refreshable` for `expiresIn` seconds',
      ),
      me: besides(meFields, moreOfMe),
      enrolmentRequired: always(
        true,
        'the user must have a second factor but has none: the token only allows enrolment',
      ).optional(),
      required: requiredActions.optional(),
      ...refreshableFields,
      rememberToken: text(
        'with `remember` or `rememberToken`: keep it after the session, and send it with the ' +
          'next sign-in',
      ).optional(),
    }),
  },
}

/** Fields of a sign-in in a browser that is to be remembered, or is. */
export const remembering: Readonly<Record<'remember' | 'rememberToken', string>> = {
  remember: 'whether this browser is not asked for a second factor again for some days',
  rememberToken: 'from the answer of the last sign-in in this browser: stands for `code`, once',
}

/** Fields of a request that only names a user. */
export const nameFields: Readonly<Record<'email' | 'username' | 'user', string>> = {
  email: 'exactly one of the three',
  username: 'exactly one of the three',
  user: 'exactly one of the three: any way to name a user that the server supports',
}

/** Fields for reauthentication. */
export const proof: Readonly<Record<'password' | 'code' | 'passkey', string>> = {
  password: 'together with `code` if the user has a second factor; or send `passkey`',
  code: 'six digits, eight of a mail, or a recovery code; at most 64 characters',
  passkey:
    'the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, ' +
    'as JSON',
}
