import type { IncomingMessage } from 'node:http'
import { AuthError } from '../errors.js'
import { type JsonBody, maxBodyBytes, readOpenBody, tooLarge } from './body.js'

/**
 * The parameters of a request to an OAuth endpoint. One that is sent without a value counts as left
 * out ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)).
 */
export interface RequestParameters {
  /** A parameter that may be sent once; null where it is left out. Throws 400 for several, 413. */
  one(name: string): string | null
  /** A parameter that may be repeated, such as `resource`. Throws 400 for more than 20, 413. */
  all(name: string): readonly string[]
}

/** Values of one parameter. */
const maxValues = 20

/**
 * Reads the parameters from a form or from JSON, of whatever origin: for endpoints that take no
 * cookie. Never from the URL, which ends in logs.
 *
 * Throws 400 for a body that is neither or is not UTF-8, and for a parameter of a form that is
 * repeated, or a member of JSON that is, but for `resource` of a form ([RFC 8707
 * §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)); 413 above 8 KiB; 415 for another type.
 */
export async function readParameters(request: IncomingMessage): Promise<RequestParameters> {
  return parametersOf(await readOpenBody(request, ['resource']))
}

// Where the host's parser was first, nothing but what is asked for is looked at: it may have let a
// hundred thousand members through, nested ones among them.
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
