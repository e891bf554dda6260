import type {
  RefreshRotation,
  SessionRecord,
  SessionSeen,
  SessionStore,
} from '../../stores/contract.js'
import { newRefreshable, newRotation, newSession } from '../../stores/new-records.js'
import { answers, atOnce, check, isNone, otherCase, type Part, same, told } from './harness.js'

/** A refresh token has one successor, and none after the end of its session. */
export function rotationContract(part: Part<SessionStore>): void {
  rotationResults(part)
  rotationInVain(part)
  usedPairs(part)
  rotationAfterExpiry(part)
  rotationAgainstTouch(part)
  rotationAgainstEnd(part)
}

function rotationResults({ it }: Part<SessionStore>): void {
  it('rotation replaces the refresh state and what was seen, and nothing else, time after time', async (sessions, at) => {
    const session = newRefreshable(at, 'token 0', { ip: '203.0.113.1', userAgent: 'app' })
    await sessions.create(session)
    const before = await sessions.find(session.id)
    const { id } = session
    for (let turn = 0; turn < 5; turn += 1) {
      const next = newRotation(at, `token ${turn + 1}`)
      const rotate = () => sessions.rotateRefresh(id, `token ${turn}`, next, at(2))
      await answers([
        [rotate, told('rotated'), 'sessions.rotateRefresh with the current hash.'],
        [() => sessions.find(id), { ...before, ...next }, 'A rotation replaces `refresh` whole.'],
      ])
    }
    const spent = await sessions.rotateRefresh(id, 'token 3', newRotation(at, 'stolen'), at(3))
    same(spent, told('superseded'), 'rotateRefresh with the hash of a token rotated before.')
  })

  it('rotation with another hash is superseded and changes nothing', async (sessions, at) => {
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
    for (const [{ id }, hash] of tries) {
      const before = await sessions.find(id)
      const rotate = () => sessions.rotateRefresh(id, hash, newRotation(at, 'next'), at(2))
      await answers([
        [
          rotate,
          told('superseded'),
          `rotateRefresh with '${hash}', which is not the current hash.`,
        ],
        [() => sessions.find(id), before, 'A superseded rotation must change nothing.'],
      ])
    }
  })
}

function rotationInVain({ it }: Part<SessionStore>): void {
  it('rotation of a session that has ended or was never there is answered ended', async (sessions, at) => {
    const session = newRefreshable(at, 'token')
    const unknown = newSession(at)
    await sessions.create(session)
    await sessions.end(session.id, 'revoked', at(1))
    const ended = await sessions.find(session.id)
    const find = (id: string) => () => sessions.find(id)
    const rotate = (id: string) => () =>
      sessions.rotateRefresh(id, 'token', newRotation(at, 'next'), at(2))
    const revoked = 'rotateRefresh after the end: a revoked session must not be refreshed.'
    await answers([
      [rotate(session.id), told('ended'), revoked],
      [find(session.id), ended, 'sessions.rotateRefresh changed a session that had ended.'],
      [rotate(unknown.id), told('ended'), 'rotateRefresh of a session that is not there.'],
      [find(unknown.id), null, 'sessions.rotateRefresh made a session. Update; never upsert.'],
    ])
  })
}

function usedPairs({ it }: Part<SessionStore>): void {
  it('rotation to the same hash notes that a pair was used, and the next rotation begins anew', async (sessions, at) => {
    const session = newRefreshable(at, 'token')
    const next = newRotation(at, 'token')
    const successor = newRotation(at, 'successor')
    const to = (pairUsed: boolean, lastSeenAt = next.lastSeenAt) => ({
      ...next,
      lastSeenAt,
      refresh: { ...next.refresh, pairUsed },
    })
    const [first, second] = [to(false, at(3)), to(true, at(4))]
    const find = () => sessions.find(session.id)
    const rotate = (rotation: RefreshRotation, seconds: number) => () =>
      sessions.rotateRefresh(session.id, 'token', rotation, at(seconds))
    const inTurn =
      'Without `refresh.pairUsed`, a thief and the owner of a refresh token can go on in turn ' +
      'for ever.'
    await sessions.create(session)
    await answers([
      [rotate(first, 3), told('rotated'), 'To the same hash.'],
      [find, { ...session, ...first }, inTurn],
      [rotate(second, 4), told('rotated'), 'To the same hash.'],
      [find, { ...session, ...second }, inTurn],
      [rotate(successor, 5), told('rotated'), 'After the pair was used.'],
      [find, { ...session, ...successor }, 'A rotation replaces `refresh` whole.'],
      [rotate(to(true), 6), told('superseded'), 'To the hash of a token that was rotated before.'],
      [find, { ...session, ...successor }, 'A superseded rotation must change nothing.'],
    ])
  })
}

function rotationAfterExpiry({ it }: Part<SessionStore>): void {
  it(
    'rotateRefresh, touch, setMethods and end go by whether a session has ended, not by its ' +
      'times',
    async (sessions, at) => {
      const session = newRefreshable(at, 'token', { idleExpiresAt: at(300), expiresAt: at(300) })
      const seen = { lastSeenAt: at(400), idleExpiresAt: at(300), ip: '203.0.113.9' }
      const next = { ...newRotation(at, 'next'), ...seen }
      await sessions.create(session)
      const before = await sessions.find(session.id)
      const why =
        'judged the times of the session. The caller has done that, by the clock that counts; go ' +
        'by `endedAt` alone.'
      await sessions.touch(session.id, seen)
      same(await sessions.find(session.id), { ...before, ...seen }, `sessions.touch ${why}`)
      await sessions.setMethods(session.id, ['host'])
      same((await sessions.find(session.id))?.methods, ['host'], `sessions.setMethods ${why}`)
      same(
        await sessions.rotateRefresh(session.id, 'token', next, at(400)),
        { outcome: 'rotated' },
        `sessions.rotateRefresh ${why}`,
      )
      same(await sessions.end(session.id, 'logout', at(401)), true, `sessions.end ${why}`)
    },
  )
}

function rotationAgainstTouch({ inRounds }: Part<SessionStore>): void {
  inRounds(
    'rotateRefresh and touch, at once: the new refresh token is there, and what was seen by one ' +
      'of them',
    async (sessions, at, round) => {
      const session = newRefreshable(at, 'token')
      const { refresh, ...rotated } = newRotation(at, 'next')
      const touched = { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.9' }
      await sessions.create(session)
      const rotate = async () =>
        void (await sessions.rotateRefresh(session.id, 'token', { ...rotated, refresh }, at(2)))
      const touch = () => sessions.touch(session.id, touched)
      await atOnce(round, touch, rotate)
      const found = await sessions.find(session.id)
      check(
        found?.refresh?.hash === refresh.hash &&
          found.refresh.spent.length === refresh.spent.length,
        'rotateRefresh and touch at once lost the rotation: the client is locked out with a ' +
          'token that the store has taken back. ' +
          'Update the columns that touch names; do not write the row, nor any other ' +
          'column of it.',
      )
      check(
        [rotated, touched].some((seen) => isSeen(found, seen)),
        'rotateRefresh and touch at once left lastSeenAt, idleExpiresAt and ip of neither of ' +
          'them. Write the three in one statement.',
      )
    },
  )
}

// To the second: other tests compare milliseconds.
function isSeen({ lastSeenAt, idleExpiresAt, ip }: SessionSeen, seen: SessionSeen): boolean {
  const isNear = (one: Date, other: Date) => Math.abs(one.getTime() - other.getTime()) < 1000
  return (
    isNear(lastSeenAt, seen.lastSeenAt) &&
    isNear(idleExpiresAt, seen.idleExpiresAt) &&
    ip === seen.ip
  )
}

function rotationAgainstEnd({ inRounds }: Part<SessionStore>): void {
  const revocations = {
    end: (sessions: SessionStore, { id }: SessionRecord, now: Date) =>
      sessions.end(id, 'revoked', now),
    endAllForUser: (sessions: SessionStore, { userId }: SessionRecord, now: Date) =>
      sessions.endAllForUser(userId, 'revoked', now),
  }
  for (const [name, revoke] of Object.entries(revocations)) {
    inRounds(
      `rotateRefresh and ${name}, at once: the session has ended, whatever the rotation was ` +
        'told',
      async (sessions, at, round) => {
        const session = newRefreshable(at, 'token')
        await sessions.create(session)
        const rotate = () =>
          sessions.rotateRefresh(session.id, 'token', newRotation(at, 'next'), at(2))
        const end = () => revoke(sessions, session, at(2))
        await atOnce(round, rotate, end)
        const found = await sessions.find(session.id)
        check(
          isNone(found) || !isNone(found?.endedAt),
          `A rotation revived a session that ${name} was ending. Make the end a condition of ` +
            'the same write.',
        )
        const later = await sessions.rotateRefresh(
          session.id,
          'next',
          newRotation(at, 'third'),
          at(4),
        )
        same(later, { outcome: 'ended' }, `sessions.rotateRefresh after ${name} had resolved.`)
      },
    )
  }
}
