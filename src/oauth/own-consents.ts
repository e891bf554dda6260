import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { ownerOf } from '../principal/principal.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AppsKit } from './apps-kit.js'
import { isClientId } from './client-documents/client-document.js'
import { resourcesOf } from './client-schema.js'
import { readConsent } from './consent-words.js'

/** An app that a user has authorised. */
export interface ListedConsent {
  readonly clientId: string
  /** Null if the app no longer exists. */
  readonly name: string | null
  /** At the host's own API. */
  readonly scopes: readonly string[]
  /** At other APIs. */
  readonly resources: readonly { readonly resource: string; readonly scopes: readonly string[] }[]
  readonly grantedAt: Date
  readonly updatedAt: Date
}

/** The actions of users on their consents, at `/auth/consents`, and on the account page. */
export interface OwnConsents {
  /** Rejects with 503. */
  list(userId: string): Promise<readonly ListedConsent[]>
  /**
   * Withdraws the consent to an app and ends its sessions of the user, even without a stored
   * consent, as for the host's own apps. Resolves with the number of ended sessions. Rejects with
   * 401, 404 and 503.
   */
  revoke(session: SessionRecord, clientId: unknown, context: RequestContext): Promise<number>
}

/** The only place in which users withdraw a consent. */
export function createOwnConsents(kit: AppsKit): OwnConsents {
  const { consents, clients, sessions, ownResource, audit } = kit
  return {
    async list(userId) {
      const granted = await consents.listForUser(userId)
      return Promise.all(
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
    },

    async revoke(session, given, context) {
      const { userId } = session
      // A thief whose session has just ended in another process must not sign the owner's apps out.
      await sessions.requireLive(session)
      const clientId = clientIdOf(given)
      const endSessions = () => sessions.endClient(clientId, userId, 'consent-revoked', context)
      // This comes first, so that the consent is listed as long as a session may be left.
      const before = await endSessions()
      const { outcome } = await consents.revoke(userId, clientId)
      if (outcome === 'revoked') audit({ type: 'consent.revoked', userId, clientId }, context)
      // The sessions end once more: until the row was gone, the user could sign in to the app
      // without a question. Sessions opened later, by an earlier code, end by themselves:
      // `requireStillAllowed`.
      const ended = before + (await endSessions())
      if (outcome === 'unknown' && ended === 0) throw notFound()
      return ended
    },
  }
}

function clientIdOf(given: unknown): string {
  if (isClientId(given)) return given
  throw notFound()
}

function notFound(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such app.' })
}

/** `GET /auth/consents`: the apps I have authorised. */
export function listConsentsEndpoint(kit: AppsKit): Endpoint {
  const ownConsents = createOwnConsents(kit)
  return async function listConsents(request) {
    const { session } = await ownerOf(kit.signedIn, request)
    return ok({ status: 'success', data: { consents: await ownConsents.list(session.userId) } })
  }
}

/** `DELETE /auth/consents/:clientId`: withdraws my consent to an app. */
export function revokeConsentEndpoint(kit: AppsKit): Endpoint {
  const ownConsents = createOwnConsents(kit)
  return async function revokeConsent(request) {
    const { session } = await ownerOf(kit.signedIn, request)
    const clientId = request.parameters['clientId']
    const revoked = await ownConsents.revoke(session, clientId, request.context)
    return ok({ status: 'success', data: { revoked } })
  }
}
