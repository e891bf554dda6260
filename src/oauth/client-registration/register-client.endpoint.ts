import type { RequestContext } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { JsonBody } from '../../http/body.js'
import { ownHeader } from '../../http/cookies.js'
import { type AnswerCors, createPickedCors } from '../../http/cors.js'
import type { Endpoint } from '../../http/endpoint.js'
import { isForeignPage } from '../../http/page-origin.js'
import type { AppsKit } from '../apps-kit.js'
import { isAcceptedOrigin, readClientMetadata } from './client-metadata.js'
import type { ClientRegistration } from './client-registration.js'

/** With the option `oauth.registration`. */
interface ClientRegistrationKit extends AppsKit {
  readonly registration: ClientRegistration
}

/** The grants that every such client has. */
const grants = ['authorization_code', 'refresh_token']

/**
 * `POST /oauth/register`, [RFC 7591 §3](https://www.rfc-editor.org/rfc/rfc7591#section-3): a client
 * registers itself.
 */
export function registerClientEndpoint(kit: ClientRegistrationKit): Endpoint {
  const { registration, baseUrl, throttle, clock } = kit
  const isAccepted = acceptsOrigin(registration)
  return async function registerClient(request) {
    const { incoming, context } = request
    // 403: a page of any site would spend the limit of its visitor's network.
    if (isForeignPage(incoming, baseUrl.origin) && !isAccepted(ownHeader(incoming, 'origin') ?? ''))
      throw new AuthError('forbidden')
    // 400, 413, 415
    const metadata = readOrTell(kit, await request.readJson(), context)
    // 429, 503
    await throttle.takeClientRegistration(context)
    // 503
    const { id, redirectUris } = await registration.add(metadata, context)
    const { claimedName } = metadata
    return {
      status: 201,
      body: {
        client_id: id,
        client_id_issued_at: Math.floor(clock().getTime() / 1000),
        ...(claimedName !== null && { client_name: claimedName }),
        redirect_uris: redirectUris,
        grant_types: grants,
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        scope: registration.scopes.join(' '),
      },
    }
  }
}

/** For pages that may register a client; others are not answered. */
export function corsOfRegistration(registration: ClientRegistration): AnswerCors {
  return createPickedCors(acceptsOrigin(registration))
}

function acceptsOrigin({ hosts }: ClientRegistration): (origin: string) => boolean {
  return (origin) => isAcceptedOrigin(origin, hosts)
}

function readOrTell(
  { registration, audit }: ClientRegistrationKit,
  body: JsonBody,
  context: RequestContext,
) {
  try {
    return readClientMetadata(body, registration.hosts)
  } catch (error) {
    const { code, message: problem } = error as AuthError
    const reason = code === 'invalid_redirect_uri' ? 'redirect-uris' : 'metadata'
    audit({ type: 'client-registration.refused', reason, problem }, context)
    throw error
  }
}
