import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { Revocations } from '../sessions/revocations.js'
import type { Sessions } from '../sessions/sessions.js'
import type { ManagedClientStore } from '../stores/client-contract.js'
import type { Clients } from './clients.js'

/**
 * Drops a client from the caches of this process and, with a bus, of all others. Never rejects; a
 * process that misses the message notices within 30 seconds.
 */
export type ForgetClient = (clientId: string) => Promise<void>

export interface ForgetClientDeps {
  readonly clients: Pick<Clients, 'forget'>
  readonly revocations: Pick<Revocations, 'announce' | 'onClientChanged'>
}

/** Also listens for changes announced by other processes. */
export function createForgetClient({ clients, revocations }: ForgetClientDeps): ForgetClient {
  // A forged message can only cause one more read of the store.
  revocations.onClientChanged((clientId) => clients.forget(clientId))
  return async function forgetClient(clientId) {
    // The same call informs this process, synchronously.
    await revocations.announce([{ clientId }])
  }
}

/**
 * Disables a client and ends all its sessions with their sockets. Returns whether this call
 * disabled it: false if it was already disabled or does not exist. Sessions end in any case, so a
 * failed call can be repeated. Rejects with 503.
 */
export type DisableClient = (clientId: string, context?: RequestContext) => Promise<boolean>

export interface DisableClientDeps {
  readonly managedClients: Pick<ManagedClientStore, 'setDisabled'>
  readonly forgetClient: ForgetClient
  readonly sessions: Pick<Sessions, 'endClient'>
  readonly clock: () => Date
  readonly audit: Audit
}

export function createDisableClient(deps: DisableClientDeps): DisableClient {
  const { managedClients, forgetClient, sessions, clock, audit } = deps
  return async function disableClient(clientId, context = noRequest) {
    const { outcome } = await managedClients
      .setDisabled(clientId, true, clock())
      // Also after a failure: the store may have disabled it before its answer was lost.
      .finally(() => forgetClient(clientId))
    const isDisabled = outcome === 'changed'
    if (isDisabled) audit({ type: 'client.changed', clientId, change: 'disabled' }, context)
    await sessions.endClient(clientId, null, 'client-disabled', context)
    return isDisabled
  }
}
