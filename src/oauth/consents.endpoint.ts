import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { OwnConsents } from './own-consents.js'

/** `GET /auth/consents`: the apps I have authorised. */
export function listConsentsEndpoint(
  signedIn: SignedIn,
  ownConsents: Pick<OwnConsents, 'list'>,
): Endpoint {
  return async function listConsents(request) {
    const { session } = await ownerOf(signedIn, request)
    return ok({ status: 'success', data: { consents: await ownConsents.list(session.userId) } })
  }
}

/** `DELETE /auth/consents/:clientId`: withdraws my consent to an app. */
export function revokeConsentEndpoint(
  signedIn: SignedIn,
  ownConsents: Pick<OwnConsents, 'revoke'>,
): Endpoint {
  return async function revokeConsent(request) {
    const { session } = await ownerOf(signedIn, request)
    const clientId = request.parameters['clientId']
    const revoked = await ownConsents.revoke(session, clientId, request.context)
    return ok({ status: 'success', data: { revoked } })
  }
}
