import type { SessionName } from '../sessions/ending.js'
import type { Sessions } from '../sessions/sessions.js'
import type { StoredMethod } from '../stores/contract.js'

/** What noting by what a session has signed in needs. */
export interface KeepSessionDeps {
  readonly sessions: Pick<Sessions, 'setMethods'>
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
}

/** Notes what a session has shown by now. Rejects with 503. */
export async function keepSession(
  { sessions, forgetSession }: KeepSessionDeps,
  { id }: SessionName,
  methods: readonly StoredMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}
