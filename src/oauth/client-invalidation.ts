import type { Revocations } from '../sessions/revocations.js'
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
