import type { StoredMethod } from '../stores/contract.js'
import type { SessionName } from './ending.js'
import type { Sessions } from './sessions.js'

export interface KeepSessionDeps {
  readonly sessions: Pick<Sessions, 'setMethods'>
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
}

/**
 * Notes what a session has shown by now: by that it may be refreshed, and may do more than enrol.
 * Rejects with 503.
 */
export async function keepSession(
  { sessions, forgetSession }: KeepSessionDeps,
  { id }: SessionName,
  methods: readonly StoredMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}
