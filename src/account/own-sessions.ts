import type { OwnDevices } from '../pages/ports.js'
import type { Sessions } from '../sessions/sessions.js'
import { type CountSockets, summarizeAll } from './sessions.endpoint.js'

/** What users do with their sessions: at `/auth/sessions`, and on the account page. */
export function createOwnSessions(
  sessions: Pick<Sessions, 'requireLive' | 'listForUser' | 'end' | 'endAllForUser'>,
  countSockets: CountSockets,
): OwnDevices {
  return {
    async list(current) {
      const summaries = await summarizeAll(await sessions.listForUser(current.userId), countSockets)
      return summaries.map((summary) => ({ ...summary, current: summary.id === current.id }))
    },

    async end(current, id, context) {
      await sessions.requireLive(current)
      const mine = await sessions.listForUser(current.userId)
      const chosen = mine.find((session) => session.id === id)
      if (chosen === undefined) return false
      await sessions.end(chosen, 'revoked', context)
      return true
    },

    async endOthers(current, context) {
      // A thief whose session has just ended in another process must not end the owner's sessions.
      await sessions.requireLive(current)
      return sessions.endAllForUser(current.userId, 'revoked', context, current.id)
    },
  }
}
