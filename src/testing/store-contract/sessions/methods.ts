import type { AuthenticationMethod, SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newSession } from '../../../stores/new-records.js'
import { same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** `methods` change during a session: a second factor was shown, or removed. */
export function methodsContract(part: Part<SessionStore>): void {
  replacing(part)
  besideTouch(part)
}

const shown: readonly AuthenticationMethod[] = ['pwd', 'otp', 'recovery']

function replacing({ it }: Part<SessionStore>): void {
  it('setMethods replaces the methods of a living session, and nothing else', async (sessions, at) => {
    const session = newRefreshable(at, 'token', {
      methods: ['pwd'],
      ip: '203.0.113.1',
      userAgent: 'app',
    })
    const other = newSession(at, { userId: session.userId })
    await sessions.create(session)
    await sessions.create(other)
    const [before, others] = [await sessions.find(session.id), await sessions.find(other.id)]
    for (const methods of [shown, ['host'], []] satisfies (readonly AuthenticationMethod[])[]) {
      await sessions.setMethods(session.id, methods)
      same(
        await sessions.find(session.id),
        { ...before, methods },
        'sessions.setMethods replaces `methods` whole, in their order.',
      )
    }
    same(
      await sessions.find(other.id),
      others,
      'sessions.setMethods changed another session of the same user.',
    )
  })

  it('setMethods keeps a copy: changing the list that was given does not change the store', async (sessions, at) => {
    const session = newSession(at)
    const methods = [...shown]
    await sessions.create(session)
    await sessions.setMethods(session.id, methods)
    methods.length = 0
    same(
      (await sessions.find(session.id))?.methods,
      shown,
      'Emptying the list that was given to setMethods emptied the stored one.',
    )
  })
}

function besideTouch({ inRounds }: Part<SessionStore>): void {
  inRounds('setMethods and touch, at once: both changes are there', async (sessions, at, round) => {
    const session = newSession(at)
    const seen = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' }
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const set = () => sessions.setMethods(session.id, shown)
    const touch = () => sessions.touch(session.id, seen)
    await atOnce(round, set, touch)
    same(
      await sessions.find(session.id),
      { ...before, ...seen, methods: shown },
      'setMethods and touch lost a change: a factor that was shown would be asked for again. ' +
        'Update the columns; do not write the row.',
    )
  })
}
