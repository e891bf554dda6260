import type { AuthenticationMethod, SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newRotation, newSession } from '../../../stores/new-records.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** How a session was opened changes while it lives: a second factor was shown, or taken away. */
export function methodsContract(part: Part<SessionStore>): void {
  replacing(part)
  whereThereIsNone(part)
  besideChanges(part)
  methodsAgainstEnd(part)
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

function whereThereIsNone({ it }: Part<SessionStore>): void {
  it('setMethods never inserts', async (sessions, at) => {
    const { id } = newSession(at)
    await resolves(
      sessions.setMethods(id, shown),
      'setMethods of a session that is not there must do nothing, and resolve.',
    )
    same(
      await sessions.find(id),
      null,
      'sessions.setMethods made a session that nobody signed in to. Update; never upsert.',
    )
  })

  it('setMethods leaves an ended session as it ended', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    await sessions.end(session.id, 'logout', at(1))
    const ended = await sessions.find(session.id)
    await resolves(
      sessions.setMethods(session.id, shown),
      'setMethods of a session that has ended must do nothing, and resolve.',
    )
    same(
      await sessions.find(session.id),
      ended,
      'sessions.setMethods changed a session that had ended. Update only where it has not.',
    )
  })
}

function besideChanges({ inRounds }: Part<SessionStore>): void {
  inRounds(
    'setMethods and rotateRefresh, at once: both changes are there',
    async (sessions, at, round) => {
      const session = newRefreshable(at, 'token')
      const next = newRotation(at, 'next')
      await sessions.create(session)
      const before = await sessions.find(session.id)
      const set = () => sessions.setMethods(session.id, shown)
      const rotate = () => sessions.rotateRefresh(session.id, 'token', next, at(2))
      await atOnce(round, set, rotate)
      same(
        await sessions.find(session.id),
        { ...before, ...next, methods: shown },
        'setMethods and rotateRefresh lost a change: a refresh token that is brought back locks ' +
          'the client out. Update the columns; do not write the row.',
      )
    },
  )

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

function methodsAgainstEnd({ inRounds }: Part<SessionStore>): void {
  inRounds('setMethods and end, at once: the session has ended', async (sessions, at, round) => {
    const session = newSession(at)
    await sessions.create(session)
    const set = () => sessions.setMethods(session.id, shown)
    const end = () => sessions.end(session.id, 'factor-changed', at(6))
    await atOnce(round, set, end, set)
    const found = await sessions.find(session.id)
    check(
      isNone(found) || (!isNone(found?.endedAt) && found?.endReason === 'factor-changed'),
      'sessions.setMethods brought a session back that was ended meanwhile. Make the end a ' +
        'condition of the same write.',
    )
  })
}
