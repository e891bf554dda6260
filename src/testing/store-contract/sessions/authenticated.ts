import type { SessionStore } from '../../../stores/contract.js'
import { newSession, newWholeSession } from '../../../stores/new-records.js'
import { same } from '../harness/checks.js'
import { type Part, whereOffered } from '../harness/suite.js'

/** The user has authenticated again: methods and time change together. */
export function authenticatedContract(part: Part<SessionStore>): void {
  // Only hosts with the option `passkeys` need it.
  const { it } = whereOffered(part, 'setAuthenticated')
  it('replaces methods and time, and nothing else', async (sessions, at) => {
    for (const session of [newWholeSession(at), newSession(at)]) {
      await sessions.create(session)
      const proved = { methods: ['pwd', 'otp', 'later'], authenticatedAt: at(5.678) }
      const given = structuredClone(proved)
      await sessions.setAuthenticated(session.id, given)
      given.methods.length = 0
      given.authenticatedAt.setTime(0)
      same(
        await sessions.find(session.id),
        { ...session, ...proved },
        'sessions.setAuthenticated replaces `methods` and `authenticatedAt`, and leaves all else ' +
          'as it is: without its secret a browser would be signed out.',
      )
    }
  })
}
