import { randomSecret } from '../../../lib/random.js'
import type { SessionStore } from '../../../stores/contract.js'
import { moments, newRotation, newSession, newWholeSession } from '../../../stores/new-records.js'
import { check, isNone, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** The secret of a browser is replaced, and the one before it is kept for a few seconds. */
export function secretsContract(part: Part<SessionStore>): void {
  replacesIt(part)
  whereItIsAnother(part)
  besideChanges(part)
}

type Replacing = SessionStore & Required<Pick<SessionStore, 'replaceSecret'>>

// A store without it is good for every host that lets no other app sign users in.
function whereOffered(
  { it }: Part<SessionStore>,
  title: string,
  body: (sessions: Replacing) => Promise<void>,
): void {
  it(`replaceSecret, where it is offered: ${title}`, async (sessions) => {
    if (typeof sessions.replaceSecret === 'function') await body(sessions as Replacing)
  })
}

function replacesIt(part: Part<SessionStore>): void {
  whereOffered(part, 'keeps the former secret with its time, and all else', async (sessions) => {
    const at = moments()
    const first = newSession(at, { secretHash: randomSecret() })
    for (const session of [first, newWholeSession(at)]) {
      await sessions.create(session)
      const from = session.secretHash ?? ''
      const to = randomSecret()
      const until = at(10.678)
      const given = new Date(until)
      same(
        await sessions.replaceSecret(session.id, { from, to, formerUntil: given }),
        true,
        'sessions.replaceSecret of the secret that is there must answer true.',
      )
      given.setTime(0)
      same(
        await sessions.find(session.id),
        { ...session, secretHash: to, formerSecret: { hash: from, until } },
        'sessions.replaceSecret changes `secretHash` and `formerSecret`, whatever that was before.',
      )
    }
  })
}

function whereItIsAnother(part: Part<SessionStore>): void {
  whereOffered(part, 'answers false and does nothing for another secret', async (sessions) => {
    const at = moments()
    const [from, to] = [randomSecret(), randomSecret()]
    const former = { formerSecret: { hash: from, until: at(10) } }
    const others = [
      newSession(at, { secretHash: from.toLowerCase().slice(1) }),
      // What was replaced can not be replaced once more, or a thief of it would win.
      newSession(at, { secretHash: randomSecret(), ...former }),
      newSession(at),
    ]
    for (const session of others) {
      await sessions.create(session)
      same(
        [
          await sessions.replaceSecret(session.id, { from, to, formerUntil: at(20) }),
          await sessions.find(session.id),
        ],
        [false, session],
        'sessions.replaceSecret: `from` must be the `secretHash` that is there, and no other.',
      )
    }
  })

  whereOffered(part, 'never inserts, and leaves an ended session as it ended', async (sessions) => {
    const at = moments()
    const from = randomSecret()
    const [unknown, over] = [newSession(at), newSession(at, { secretHash: from })]
    await sessions.create(over)
    await sessions.end(over.id, 'logout', at(1))
    for (const { id } of [unknown, over]) {
      const before = await sessions.find(id)
      const replacement = { from, to: randomSecret(), formerUntil: at(10) }
      same(
        [await sessions.replaceSecret(id, replacement), await sessions.find(id)],
        [false, before],
        'sessions.replaceSecret changed a session that had ended, or was not there. Make the end ' +
          'a condition of the same write; never upsert.',
      )
    }
  })
}

function besideChanges(part: Part<SessionStore>): void {
  whereOffered(part, 'and rotateRefresh, at once: both changes are there', async (sessions) => {
    const at = moments()
    for (let round = 0; round < part.rounds; round += 1) {
      const session = newWholeSession(at)
      const { secretHash: from } = session
      const to = randomSecret()
      const next = newRotation(at, 'next')
      await sessions.create(session)
      const replace = () => sessions.replaceSecret(session.id, { from, to, formerUntil: at(10) })
      const rotate = () =>
        sessions.rotateRefresh(session.id, session.refresh?.hash ?? '', next, at(2))
      await atOnce(round, replace, rotate)
      same(
        await sessions.find(session.id),
        { ...session, ...next, secretHash: to, formerSecret: { hash: from, until: at(10) } },
        'replaceSecret and rotateRefresh lost a change. Update the columns, not the row.',
      )
    }
  })

  whereOffered(part, 'and end, at once: the session has ended', async (sessions) => {
    const at = moments()
    for (let round = 0; round < part.rounds; round += 1) {
      const from = randomSecret()
      const session = newSession(at, { secretHash: from })
      await sessions.create(session)
      const replace = () =>
        sessions.replaceSecret(session.id, { from, to: randomSecret(), formerUntil: at(10) })
      const end = () => sessions.end(session.id, 'revoked', at(1))
      await atOnce(round, replace, end)
      const found = await sessions.find(session.id)
      check(
        isNone(found) || !isNone(found?.endedAt),
        'sessions.replaceSecret brought a session back that was ended meanwhile. Make the end a ' +
          'condition of the same write.',
      )
    }
  })
}
