import { AuthError } from '../../errors.js'
import type { OAuthClient } from '../../stores/client-contract.js'
import { resourcesOf } from '../client-defaults.js'

/** What a user has granted to a client, or what remains of it. Neither list is empty. */
export interface Grantable {
  readonly scopes: readonly string[]
  /** APIs; the first is the default. */
  readonly resources: readonly string[]
}

/** The grant of a code or a session. */
interface Granted {
  readonly scope: string
  /** Default: only the host's own API. */
  readonly resources?: readonly string[]
}

/**
 * The part of a grant that the client may still have. A client that loses a scope or an API,
 * `openid` included, does not get it from the next token on, and never gets more than the user has
 * seen ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)). Every scope applies at
 * every API: the consent page showed each such pair, and still-allowed.ts checks each again.
 *
 * @param ownResource - the host's own API
 * @throws AuthError 400 `invalid_grant` if nothing is left. The code or session does not change: a
 * mistake in a client's registration must not sign out all its users
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
 * The API that an access token is for: the requested one, else the first one granted. A token for
 * several APIs could be used by each of them at the others ([RFC 8707
 * §2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)).
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
