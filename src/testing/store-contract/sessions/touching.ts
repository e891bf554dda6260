import type { SessionStore } from '../../../stores/contract.js'
import { newRefreshable, newRotation } from '../../../stores/new-records.js'
import { same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

/** `touch` writes three fields of a session. */
export function touchContract({ it }: Part<SessionStore>): void {
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
