import type { StoredMethod } from '../stores/contract.js'
import type { SessionName } from './ending.js'
import type { UserSessionsKit } from './sessions-kit.js'
/**
 * Stores the methods that a session has proven. They decide whether it can be refreshed, and
 * whether it may do more than enrol. Rejects with 503.
 */
export async function noteMethods(
  { sessions, forgetSession }: Pick<UserSessionsKit, 'sessions' | 'forgetSession'>,
  { id }: SessionName,
  methods: readonly StoredMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}
