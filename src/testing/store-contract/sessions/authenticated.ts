import type { SessionStore } from '../../../stores/contract.js'
import { moments, newRotation, newSession, newWholeSession } from '../../../stores/new-records.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import { atOnce, type Part } from '../harness/suite.js'

/** A user proves anew who they are: methods and time change together. */
export function authenticatedContract(part: Part<SessionStore>): void {
  changesThem(part)
  whereThereIsNone(part)
  besideChanges(part)
}

type Authenticating = SessionStore & Required<Pick<SessionStore, 'setAuthenticated'>>

// A store without it is good for every host without passkeys.
function whereOffered(
  { it }: Part<SessionStore>,
  title: string,
  body: (sessions: Authenticating) => Promise<void>,
): void {
  it(`setAuthenticated, where it is offered: ${title}`, async (sessions) => {
    if (typeof sessions.setAuthenticated === 'function') await body(sessions as Authenticating)
  })
}

function changesThem(part: Part<SessionStore>): void {
  whereOffered(part, 'replaces methods and time, and nothing else', async (sessions) => {
    const at = moments()
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

function whereThereIsNone(part: Part<SessionStore>): void {
  whereOffered(part, 'never inserts, and leaves an ended session as it ended', async (sessions) => {
    const at = moments()
    const [unknown, over] = [newSession(at), newSession(at)]
    await sessions.create(over)
    await sessions.end(over.id, 'logout', at(1))
    const proved = { methods: ['pwd'], authenticatedAt: at(2) }
    for (const { id } of [unknown, over]) {
      const before = await sessions.find(id)
      await resolves(
        sessions.setAuthenticated(id, proved),
        'setAuthenticated of a session that is not there or has ended must do nothing.',
      )
      same(
        await sessions.find(id),
        before,
        'sessions.setAuthenticated made a session, or changed one that had ended. Update where ' +
          'it has not ended; never upsert.',
      )
    }
  })
}

function besideChanges(part: Part<SessionStore>): void {
  whereOffered(part, 'and rotateRefresh, at once: both changes are there', async (sessions) => {
    const at = moments()
    for (let round = 0; round < part.rounds; round += 1) {
      const session = newWholeSession(at)
      const proved = { methods: ['pwd'], authenticatedAt: at(2) }
      const next = newRotation(at, 'next')
      await sessions.create(session)
      const set = () => sessions.setAuthenticated(session.id, proved)
      const rotate = () =>
        sessions.rotateRefresh(session.id, session.refresh?.hash ?? '', next, at(2))
      await atOnce(round, set, rotate)
      same(
        await sessions.find(session.id),
        { ...session, ...next, ...proved },
        'setAuthenticated and rotateRefresh lost a change. Update the columns, not the row.',
      )
    }
  })

  whereOffered(part, 'and end, at once: the session has ended', async (sessions) => {
    const at = moments()
    for (let round = 0; round < part.rounds; round += 1) {
      const session = newSession(at)
      await sessions.create(session)
      const set = () =>
        sessions.setAuthenticated(session.id, { methods: ['pwd'], authenticatedAt: at(2) })
      const end = () => sessions.end(session.id, 'revoked', at(1))
      await atOnce(round, set, end, set)
      const found = await sessions.find(session.id)
      check(
        isNone(found) || !isNone(found?.endedAt),
        'sessions.setAuthenticated brought a session back that was ended meanwhile. Make the ' +
          'end a condition of the same write.',
      )
    }
  })
}
