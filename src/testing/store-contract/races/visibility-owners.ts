import { randomId } from '../../../lib/random.js'
import type { SessionStore } from '../../../stores/contract.js'
import { moments, newSession } from '../../../stores/new-records.js'
import { same } from '../harness/checks.js'

/** Sessions that one process ends together have ended for the other. */
export async function ownersOf(here: SessionStore, there: SessionStore): Promise<void> {
  // The stand-in for the other process has every method.
  if (here.endAllForClient === undefined || here.endChildren === undefined) return
  const at = moments()
  for (const [one, other] of [[here, there] as const, [there, here] as const]) {
    const [clientId, parentId] = [randomId(), randomId()]
    const own = [newSession(at, { clientId }), newSession(at, { parentId })]
    for (const session of own) await one.create(session)
    const ended = [
      await other.endAllForClient?.(clientId, {}, 'client-disabled', at(1)),
      await other.endChildren?.(parentId, 'revoked', at(1)),
    ]
    same(
      ended,
      own.map(({ id }) => [id]),
      'endAllForClient and endChildren of sessions that another process has created. Keep ' +
        'nothing in the memory of a process: no cache of rows, no index.',
    )
    for (const { id } of own)
      same(
        (await one.find(id))?.endedAt instanceof Date,
        true,
        'sessions.find of a session that another process has ended with its client or parent.',
      )
  }
}
