import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import { check, rejects, same, spoil } from './checks.js'
import { type Moment, moments, newRefresh, newRefreshable, newRotation, newSession } from './records.js'
import type { Part } from './suite.js'
import { awkwardPairs, awkwardText } from './texts.js'

/** What a session row is: that it comes back as it was, is one row for one id, and is touched without being revived. */
export function sessionsContract(part: Part<SessionStore>): void {
  sessionShapes(part)
  sessionIdentity(part)
  sessionCopies(part)
  sessionTouch(part)
}

function sessionShapes({ it, store }: Part<SessionStore>): void {
  const records: Readonly<Record<string, (at: Moment) => SessionRecord>> = {
    'without refresh tokens': (at) => newSession(at),
    'with a refresh token': (at) => newRefreshable(at, 'hash', { ip: '2001:db8::1', userAgent: awkwardText, methods: ['host'] }),
    'with 20 spent refresh tokens': (at) =>
      newSession(at, { kind: 'pkce', refresh: newRefresh(at, 'hash', 20), scope: '', userAgent: 'long '.repeat(102) }),
  }
  for (const [what, make] of Object.entries(records)) {
    it(`a session ${what} comes back as it was created`, async () => {
      const at = moments()
      const sessions = await store()
      const session = make(at)
      await sessions.create(session)
      same(await sessions.find(session.id), session, 'sessions.find must answer the record as it was created.')
      const listed = await sessions.listForUser(session.userId, at(1))
      same(listed, [session], 'sessions.listForUser must answer the records as they were created.')
    })
  }

  it('an unknown session is null, not undefined', async () => {
    same(await (await store()).find(newSession(moments()).id), null, 'sessions.find must answer null when there is no record.')
  })
}

function sessionIdentity({ it, store }: Part<SessionStore>): void {
  it('creating an id again rejects and changes nothing, while it lives and after it has ended', async () => {
    const at = moments()
    const sessions = await store()
    const session = newSession(at)
    await sessions.create(session)
    const again = () => sessions.create(newSession(at, { id: session.id }))
    await rejects(again(), 'sessions.create took an id that is already there: an upsert hands a session to somebody else.')
    same(await sessions.find(session.id), session, 'A rejected sessions.create must leave the first record.')
    await sessions.end(session.id, 'logout', at(1))
    await rejects(again(), 'sessions.create took the id of an ended session: an upsert brings a dead session back.')
    const ended = { ...session, endedAt: at(1), endReason: 'logout' }
    same(await sessions.find(session.id), ended, 'A rejected sessions.create must leave an ended session ended.')
  })

  it('ids that differ in one byte are different sessions', async () => {
    const at = moments()
    const sessions = await store()
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const one = newSession(at, { id: first })
      const other = newSession(at, { id: second })
      await sessions.create(one)
      same(await sessions.find(second), null, `sessions.find confuses ids that differ by ${what}. Compare ids bytewise.`)
      await sessions.create(other)
      await sessions.setMethods(first, ['host'])
      same(await sessions.find(second), other, `sessions.setMethods changed another session, too: ids differ by ${what}.`)
      await sessions.end(first, 'logout', at(1))
      same(await sessions.find(second), other, `sessions.end ended another session, too: ids differ by ${what}.`)
      same(await sessions.liveAmong([first, second], at(2)), [second], `sessions.liveAmong confuses ids that differ by ${what}.`)
    }
  })

  it('user ids that differ in one byte are different users', async () => {
    const at = moments()
    const sessions = await store()
    for (const [what, first, second] of awkwardPairs(newSession(at).id)) {
      const one = newSession(at, { userId: first })
      const other = newSession(at, { userId: second })
      await sessions.create(one)
      await sessions.create(other)
      const confuses = `confuses user ids that differ by ${what}: one user would see and end another’s sessions.`
      same(await sessions.listForUser(first, at(1)), [one], `sessions.listForUser ${confuses}`)
      same(await sessions.endAllForUser(second, 'revoked', at(1)), [other.id], `sessions.endAllForUser ${confuses}`)
      same(await sessions.listForUser(first, at(1)), [one], `sessions.endAllForUser ${confuses}`)
    }
  })
}

function sessionCopies({ it, store }: Part<SessionStore>): void {
  it('records are copies: changing one does not change the store', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'hash', { refresh: newRefresh(at, 'hash', 2) })
    const given = structuredClone(session)
    await sessions.create(given)
    spoil(given)
    same(await sessions.find(session.id), session, 'Changing the record that was given to sessions.create changed the stored one.')
    spoil(await sessions.find(session.id))
    same(await sessions.find(session.id), session, 'Changing the record that sessions.find answered changed the stored one.')
    spoil(await sessions.listForUser(session.userId, at(1)))
    same(await sessions.find(session.id), session, 'Changing what sessions.listForUser answered changed the stored record.')
    const rotation = newRotation(at, 'next')
    const kept = structuredClone(rotation)
    await sessions.rotateRefresh(session.id, 'hash', rotation, at(2))
    spoil(rotation)
    same(await sessions.find(session.id), { ...session, ...kept }, 'Changing what was given to rotateRefresh changed the record.')
  })
}

function sessionTouch({ it, store, rounds }: Part<SessionStore>): void {
  it('touch changes what was seen and nothing else', async () => {
    const at = moments()
    const sessions = await store()
    const session = newRefreshable(at, 'hash', { ip: '203.0.113.1' })
    await sessions.create(session)
    for (const ip of ['203.0.113.7', null]) {
      const seen = { lastSeenAt: at(5.678), idleExpiresAt: at(605.678), ip }
      await sessions.touch(session.id, seen)
      same(await sessions.find(session.id), { ...session, ...seen }, 'sessions.touch sets lastSeenAt, idleExpiresAt and ip.')
    }
  })

  it('touch never inserts', async () => {
    const at = moments()
    const sessions = await store()
    const { id } = newSession(at)
    await sessions.touch(id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: null })
    same(await sessions.find(id), null, 'sessions.touch made a session that nobody signed in to. Update; never upsert.')
  })

  it('touch leaves an ended session as it ended', async () => {
    const at = moments()
    const sessions = await store()
    const session = newSession(at)
    await sessions.create(session)
    await sessions.end(session.id, 'logout', at(1))
    await sessions.touch(session.id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' })
    const ended = { ...session, endedAt: at(1), endReason: 'logout' }
    same(await sessions.find(session.id), ended, 'sessions.touch changed a session that had ended. Update only where it has not.')
  })

  it('touch and end, at once: the session has ended', async () => {
    const at = moments()
    const sessions = await store()
    for (let round = 0; round < rounds; round += 1) {
      const session = newSession(at)
      await sessions.create(session)
      const touch = () => sessions.touch(session.id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: null })
      const end = () => sessions.end(session.id, 'logout', at(6))
      await Promise.all(round % 2 === 0 ? [touch(), end(), touch()] : [end(), touch(), touch()])
      const live = await sessions.liveAmong([session.id], at(7))
      check(
        live.length === 0,
        'sessions.touch brought a session back that was ended meanwhile. Update the columns; do not write the row.',
      )
    }
  })
}
