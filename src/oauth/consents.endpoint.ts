import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import { resourcesOf } from './client-defaults.js'
import { clientIdPattern } from './client-schema.js'
import type { Clients } from './clients.js'
import { readConsent } from './consent-words.js'

/**
 * `GET /auth/consents`: the apps I have authorised. `name` is null if the app no longer exists.
 *
 * @param ownResource - the host's own API
 */
export function listConsentsEndpoint(
  signedIn: SignedIn,
  consents: Pick<ConsentStore, 'listForUser'>,
  clients: Pick<Clients, 'find'>,
  ownResource: string,
): Endpoint {
  return async function listConsents(request) {
    const { session } = await ownerOf(signedIn, request)
    const granted = await consents.listForUser(session.userId)
    const listed = await Promise.all(
      granted.map(async ({ clientId, scopes: words, grantedAt, updatedAt }) => {
        const client = await clients.find(clientId)
        const { scopes, resources } = readConsent(
          words,
          client === null ? [] : resourcesOf(client, ownResource),
        )
        const name = client?.name ?? null
        return { clientId, name, scopes, resources, grantedAt, updatedAt }
      }),
    )
    return ok({ status: 'success', data: { consents: listed } })
  }
}

/**
 * `DELETE /auth/consents/:clientId`: withdraws my consent to an app and ends its sessions of mine,
 * even without a stored consent, as for the host's own apps.
 */
export function revokeConsentEndpoint(
  signedIn: SignedIn,
  consents: Pick<ConsentStore, 'revoke'>,
  sessions: Pick<Sessions, 'requireLive' | 'endClient'>,
  audit: Audit,
): Endpoint {
  return async function revokeConsent(request) {
    const { session } = await ownerOf(signedIn, request)
    // A thief whose session has just ended in another process must not sign the owner's apps out.
    await sessions.requireLive(session)
    const clientId = clientIdOf(request.parameters['clientId'])
    const endSessions = () =>
      sessions.endClient(clientId, session.userId, 'consent-revoked', request.context)
    // First, so that the consent is listed as long as a session may be left.
    const before = await endSessions()
    const { outcome } = await consents.revoke(session.userId, clientId)
    if (outcome === 'revoked')
      audit({ type: 'consent.revoked', userId: session.userId, clientId }, request.context)
    // Once more: until the row was gone, the app could be signed in to without a question. Sessions
    // opened later, by an earlier code, end by themselves: still-allowed.ts.
    const ended = before + (await endSessions())
    if (outcome === 'unknown' && ended === 0) throw notFound()
    return ok({ status: 'success', data: { revoked: ended } })
  }
}

function clientIdOf(given: unknown): string {
  if (typeof given === 'string' && clientIdPattern.test(given)) return given
  throw notFound()
}

function notFound(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such app.' })
}
