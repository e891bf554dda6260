import type { SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newRotation, newSession } from '../../../stores/new-records.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** Touching: three fields of a living session, and no dead one is revived. */
export function touchContract(part: Part<SessionStore>): void {
  sessionTouch(part)
  sessionTouchInVain(part)
}

function sessionTouch({ it }: Part<SessionStore>): void {
  it('touch changes what was seen and nothing else', async (sessions, at) => {
    const session = newRefreshable(at, 'hash', { ip: '203.0.113.1' })
    await sessions.create(session)
    const before = await sessions.find(session.id)
    for (const ip of ['203.0.113.7', null]) {
      const seen = { lastSeenAt: at(5.678), idleExpiresAt: at(605.678), ip }
      await sessions.touch(session.id, seen)
      same(
        await sessions.find(session.id),
        { ...before, ...seen },
        'sessions.touch sets lastSeenAt, idleExpiresAt and ip.',
      )
    }
  })

  it('touch and rotateRefresh write what they name, also when they are handed more', async (sessions, at) => {
    const session = newRefreshable(at, 'token')
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const { refresh, ...seen } = newRotation(at, 'next')
    const more = {
      ...newRefreshable(at, 'stolen'),
      id: session.id,
      endedAt: at(1),
      endReason: 'logout',
      later: 'member',
    }
    const why = 'wrote members that it was not asked to write. Name the columns one by one.'
    await sessions.touch(session.id, { ...more, ...seen })
    same(await sessions.find(session.id), { ...before, ...seen }, `sessions.touch ${why}`)
    await sessions.rotateRefresh(session.id, 'token', { ...more, ...seen, refresh }, at(2))
    same(
      await sessions.find(session.id),
      { ...before, ...seen, refresh },
      `sessions.rotateRefresh ${why}`,
    )
  })
}

function sessionTouchInVain({ it, inRounds }: Part<SessionStore>): void {
  it('touch never inserts', async (sessions, at) => {
    const { id } = newSession(at)
    const touching = sessions.touch(id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: null })
    await resolves(
      touching,
      'sessions.touch of a session that is not there must do nothing, and resolve.',
    )
    same(
      await sessions.find(id),
      null,
      'sessions.touch made a session that nobody signed in to. Update; never upsert.',
    )
  })

  it('touch leaves an ended session as it ended', async (sessions, at) => {
    const session = newSession(at)
    await sessions.create(session)
    await sessions.end(session.id, 'logout', at(1))
    const ended = await sessions.find(session.id)
    const touching = sessions.touch(session.id, {
      lastSeenAt: at(5),
      idleExpiresAt: at(605),
      ip: '203.0.113.7',
    })
    await resolves(
      touching,
      'sessions.touch of a session that has ended must do nothing, and resolve.',
    )
    same(
      await sessions.find(session.id),
      ended,
      'sessions.touch changed a session that had ended. Update only where it has not.',
    )
  })

  inRounds('touch and end, at once: the session has ended', async (sessions, at, round) => {
    const session = newSession(at)
    await sessions.create(session)
    const touch = () =>
      sessions.touch(session.id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: null })
    const end = () => sessions.end(session.id, 'logout', at(6))
    await atOnce(round, touch, end, touch)
    const found = await sessions.find(session.id)
    check(
      isNone(found) || !isNone(found?.endedAt),
      'sessions.touch brought a session back that was ended meanwhile. Update the columns; do ' +
        'not write the row.',
    )
  })
}
