import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import { check, same } from './checks.js'
import { moments, newRefreshable, newRotation, newSession } from './records.js'
import type { Part } from './suite.js'
import { otherCase } from './texts.js'

/** Refresh tokens: one successor for each, and none for a session that has ended. */
export function rotationContract(part: Part<SessionStore>): void {
  rotationResults(part)
  rotationAfterExpiry(part)
  rotationAgainstEnd(part)
}

function rotationResults({ it, store }: Part<SessionStore>): void {
  it('rotation replaces the refresh state and what was seen, and nothing else, time after time', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'token 0', { ip: '203.0.113.1', userAgent: 'app' })
    await sessions.create(session)
    for (let turn = 0; turn < 5; turn += 1) {
      const next = newRotation(at, `token ${turn + 1}`)
      const answer = await sessions.rotateRefresh(session.id, `token ${turn}`, next, at(2))
      same(answer, { outcome: 'rotated' }, 'sessions.rotateRefresh with the current hash.')
      same(await sessions.find(session.id), { ...session, ...next }, 'A rotation replaces `refresh` whole.')
    }
    const spent = await sessions.rotateRefresh(session.id, 'token 3', newRotation(at, 'stolen'), at(3))
    same(spent, { outcome: 'superseded' }, 'sessions.rotateRefresh with the hash of a token that was rotated before.')
  })

  it('rotation with another hash is superseded and changes nothing', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'Current')
    const withoutRefresh = newSession(at)
    await sessions.create(session)
    await sessions.create(withoutRefresh)
    const tries: readonly (readonly [SessionRecord, string])[] = [
      [session, 'invented'],
      [session, otherCase('Current')],
      [session, 'Current '],
      [session, ''],
      [withoutRefresh, 'invented'],
      [withoutRefresh, ''],
    ]
    for (const [before, hash] of tries) {
      const answer = await sessions.rotateRefresh(before.id, hash, newRotation(at, 'next'), at(2))
      same(answer, { outcome: 'superseded' }, `sessions.rotateRefresh with '${hash}', which is not the current hash.`)
      same(await sessions.find(before.id), before, 'A superseded rotation must change nothing.')
    }
  })

  it('rotation of a session that has ended or was never there is answered ended', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'token')
    await sessions.create(session)
    await sessions.end(session.id, 'revoked', at(1))
    const after = await sessions.rotateRefresh(session.id, 'token', newRotation(at, 'next'), at(2))
    same(after, { outcome: 'ended' }, 'sessions.rotateRefresh after the end: a revoked session must not be refreshed.')
    const ended = { ...session, endedAt: at(1), endReason: 'revoked' }
    same(await sessions.find(session.id), ended, 'sessions.rotateRefresh changed a session that had ended.')
    const { id } = newSession(at)
    const unknown = await sessions.rotateRefresh(id, 'token', newRotation(at, 'next'), at(2))
    same(unknown, { outcome: 'ended' }, 'sessions.rotateRefresh of a session that is not there.')
    same(await sessions.find(id), null, 'sessions.rotateRefresh made a session. Update; never upsert.')
  })
}

function rotationAfterExpiry({ it, store }: Part<SessionStore>): void {
  it('rotateRefresh, touch, setMethods and end go by whether a session has ended, not by its times', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'token', { idleExpiresAt: at(300), expiresAt: at(300) })
    const seen = { lastSeenAt: at(400), idleExpiresAt: at(300), ip: '203.0.113.9' }
    const next = { ...newRotation(at, 'next'), ...seen }
    await sessions.create(session)
    const why = 'judged the times of the session. The caller has done that, by the clock that counts; go by `endedAt` alone.'
    await sessions.touch(session.id, seen)
    same(await sessions.find(session.id), { ...session, ...seen }, `sessions.touch ${why}`)
    await sessions.setMethods(session.id, ['host'])
    same((await sessions.find(session.id))?.methods, ['host'], `sessions.setMethods ${why}`)
    same(await sessions.rotateRefresh(session.id, 'token', next, at(400)), { outcome: 'rotated' }, `sessions.rotateRefresh ${why}`)
    same(await sessions.end(session.id, 'logout', at(401)), true, `sessions.end ${why}`)
  })
}

function rotationAgainstEnd({ it, store, rounds }: Part<SessionStore>): void {
  const revocations = {
    end: (sessions: SessionStore, { id }: SessionRecord, now: Date) => sessions.end(id, 'revoked', now),
    endAllForUser: (sessions: SessionStore, { userId }: SessionRecord, now: Date) => sessions.endAllForUser(userId, 'revoked', now),
  }
  for (const [name, revoke] of Object.entries(revocations)) {
    it(`rotateRefresh and ${name}, at once: the session has ended, whatever the rotation was told`, async () => {
      const at = moments()
      const sessions = await store()
      for (let round = 0; round < rounds; round += 1) {
        const session = newRefreshable(at, 'token')
        await sessions.create(session)
        const rotate = () => sessions.rotateRefresh(session.id, 'token', newRotation(at, 'next'), at(2))
        const end = () => revoke(sessions, session, at(2))
        await Promise.all(round % 2 === 0 ? [rotate(), end()] : [end(), rotate()])
        const live = await sessions.liveAmong([session.id], at(3))
        check(
          live.length === 0,
          `A rotation revived a session that ${name} was ending. Make the end a condition of the same write.`,
        )
        const later = await sessions.rotateRefresh(session.id, 'next', newRotation(at, 'third'), at(4))
        same(later, { outcome: 'ended' }, `sessions.rotateRefresh after ${name} had resolved.`)
      }
    })
  }
}
