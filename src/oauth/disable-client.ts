import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { Sessions } from '../sessions/sessions.js'
import type { ManagedClientStore } from '../stores/client-contract.js'
import type { ForgetClient } from './client-invalidation.js'

/**
 * Disables a client and ends all its sessions, sockets included. Says whether this call disabled
 * it: false where it was disabled already, or there is no such client; whatever sessions it has
 * then end all the same, so that a call that failed can be repeated. Rejects with 503.
 */
export type DisableClient = (clientId: string, context?: RequestContext) => Promise<boolean>

export interface DisableClientDeps {
  readonly managedClients: Pick<ManagedClientStore, 'setDisabled'>
  readonly forgetClient: ForgetClient
  readonly sessions: Pick<Sessions, 'endClient'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** Makes `auth.clients.disable`. */
export function createDisableClient(deps: DisableClientDeps): DisableClient {
  const { managedClients, forgetClient, sessions, clock, audit } = deps
  return async function disableClient(clientId, context = noRequest) {
    const { outcome } = await managedClients
      .setDisabled(clientId, true, clock())
      // Also where it failed: the store may have disabled it before its answer was lost.
      .finally(() => forgetClient(clientId))
    const isDisabled = outcome === 'changed'
    if (isDisabled) audit({ type: 'client.changed', clientId, change: 'disabled' }, context)
    await sessions.endClient(clientId, null, 'client-disabled', context)
    return isDisabled
  }
}
