import type { Revocations } from '../sessions/revocations.js'
import type { Clients } from './clients.js'

/**
 * Forgets a client here, and has every other process forget it, if there is a bus: the next look is
 * at the store. Never rejects; a process that does not hear of it notices within 30 seconds.
 */
export type ForgetClient = (clientId: string) => Promise<void>

/** What {@link createForgetClient} needs. */
export interface ForgetClientDeps {
  readonly clients: Pick<Clients, 'forget'>
  readonly revocations: Pick<Revocations, 'announce' | 'onEnded'>
  readonly clock: () => Date
}

// The bus carries ends of sessions and nothing else, and its contract is implemented by hosts. A
// client goes over it as the end of a session that there cannot be: ids of sessions have no dot but
// in `code.`. Processes of an earlier release look for that session, and have none.
const prefix = 'client.'

/** Makes the one way in which clients are forgotten, and listens for those of other processes. */
export function createForgetClient({
  clients,
  revocations,
  clock,
}: ForgetClientDeps): ForgetClient {
  revocations.onEnded(({ sessionId }) => {
    // Anybody may publish on a channel: at the worst, the store is asked once more.
    if (sessionId.startsWith(prefix)) clients.forget(sessionId.slice(prefix.length))
  })
  return async function forgetClient(clientId) {
    const reason = 'client-changed'
    // This process is told by the same call, before anything is waited for.
    await revocations.announce([
      { sessionId: `${prefix}${clientId}`, userId: '', reason, at: clock() },
    ])
  }
}
