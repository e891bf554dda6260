import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { type JsonBody, maxBodyBytes, readOpenBody, tooLarge } from './body.js'

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
