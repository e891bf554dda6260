import { AuthError, type AuthErrorCode } from '../errors.js'
import { nameInStyle } from '../http/problem-names.js'
import { type AnswerHeaders, type AnswerKind, headersOf, pageHeaders } from './headers.js'
import type { Operation, Success } from './operation.js'
import { problemFields, problemId, statusOf } from './problems.js'
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
