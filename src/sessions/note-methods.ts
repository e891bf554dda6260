import type { StoredMethod } from '../stores/contract.js'
import type { SessionName } from './ending.js'
import type { Sessions } from './sessions.js'

export interface NoteMethodsDeps {
  readonly sessions: Pick<Sessions, 'setMethods'>
  /** Drops a session from the cache of this process. */
  readonly forgetSession: (sessionId: string) => void
}

/**
 * Stores the methods that a session has proven. They decide whether it can be refreshed, and
 * whether it may do more than enrol. Rejects with 503.
 */
export async function noteMethods(
  { sessions, forgetSession }: NoteMethodsDeps,
  { id }: SessionName,
  methods: readonly StoredMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}
