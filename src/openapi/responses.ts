import { z } from 'zod'
import { AuthError, type AuthErrorCode } from '../errors.js'
import { nameInStyle, type ProblemStyle } from '../http/problem-names.js'
import { always, count, flag, oneOf, text, textOrNull, texts } from './fields.js'
import { type AnswerHeaders, type AnswerKind, headersOf, pageHeaders } from './headers.js'
import type { Fields, Operation, Success } from './operation.js'
import { requestOptions } from './passkey-fields.js'
import type { NamedSchemas } from './schemas.js'

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
export function responsesOf(
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
      .array(z.enum(['too-short', 'too-long', 'common', 'context', 'breached']))
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
