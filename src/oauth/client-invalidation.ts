import type { Revocations } from '../sessions/revocations.js'
import type { Clients } from './clients.js'

/**
 * Forgets a client here, and has every other process forget it, if there is a bus: the next look is
 * at the store. Never rejects; a process that does not hear of it notices within 30 seconds.
 */
export type ForgetClient = (clientId: string) => Promise<void>

export interface ForgetClientDeps {
  readonly clients: Pick<Clients, 'forget'>
  readonly revocations: Pick<Revocations, 'announce' | 'onClientChanged'>
}

/** Makes the one way in which clients are forgotten, and listens for those of other processes. */
export function createForgetClient({ clients, revocations }: ForgetClientDeps): ForgetClient {
  // Anybody may publish on a channel: at the worst, the store is asked once more.
  revocations.onClientChanged((clientId) => clients.forget(clientId))
  return async function forgetClient(clientId) {
    // This process is told by the same call, before anything is waited for.
    await revocations.announce([{ clientId }])
  }
}
