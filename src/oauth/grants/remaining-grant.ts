import { AuthError } from '../../errors.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import { resourcesOf } from '../client-defaults.js'

/** What a user has granted a client, or what remains of it. Neither list is empty. */
export interface Grantable {
  readonly scopes: readonly string[]
  /** APIs; the one that is meant where none is named stands first. */
  readonly resources: readonly string[]
}

/** A code or a session, as it says what was granted. */
interface Granted {
  readonly scope: string
  /** Left out: the host's own API alone. */
  readonly resources?: readonly string[]
}

/**
 * What was granted and the client may still have: a client that loses a scope or an API is granted
 * it no more from the next token on, `openid` included, and is never granted more than the user
 * has seen ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)). Every scope goes with
 * every API here: each such pair was on the page of consent, and is looked for there again
 * (still-allowed.ts).
 *
 * @param ownResource - the host's own API
 * @throws AuthError 400 `invalid_grant` where nothing is left. The code or session stays as it is:
 * a mistake in a client's registration must not sign out everybody who uses it
 */
export function remainingGrant(
  { scope, resources }: Granted,
  client: OAuthClient,
  ownResource: string,
): Grantable {
  const allowed = resourcesOf(client, ownResource)
  const scopes = scope.split(' ').filter((word) => client.scopes.includes(word))
  const left = (resources ?? [ownResource]).filter((resource) => allowed.includes(resource))
  if (scopes.length === 0 || left.length === 0)
    throw new AuthError('invalid_grant', { message: 'the client may have nothing of the grant' })
  const others = left.filter((resource) => resource !== ownResource)
  return { scopes, resources: left.includes(ownResource) ? [ownResource, ...others] : others }
}

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
