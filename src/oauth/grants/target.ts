import { AuthError } from '../../errors.js'

/**
 * The one API that an access token is for: the one asked for, or else the first of those that were
 * granted. A token for several would be good at each of them in the hands of any
 * ([RFC 8707 §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)).
 *
 * @throws AuthError 400 `invalid_target`
 */
export function targetOf(asked: readonly string[], granted: readonly string[]): string {
  if (asked.length > 1)
    throw new AuthError('invalid_target', { clientMessage: 'Ask for one resource at a time.' })
  const [resource = granted[0]] = asked
  if (resource === undefined || !granted.includes(resource)) throw new AuthError('invalid_target')
  return resource
}
