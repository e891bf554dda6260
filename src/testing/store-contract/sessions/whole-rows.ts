import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import {
  type Moment,
  newRotation,
  newSession,
  newWholeSession,
} from '../../../stores/new-records.js'
import { checkGone } from '../every-store/purge-contract.js'
import { comesBack } from '../every-store/rows.js'
import { isNone, same, sessionsOf } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { sessionRows } from './sessions.js'

/** The optional members of a session are kept, whatever else changes. */
export function wholeRowsContract(part: Part<SessionStore>): void {
  wholeRows(part)
  partOfThem(part)
  ownLifetimes(part)
}

const dropped =
  'A member that is dropped fails nothing: a secret is never compared, a session outlives its ' +
  'password. Keep every member of SessionRecord, each in a column of its own.'

function wholeRows({ it }: Part<SessionStore>): void {
  it('a session with every member comes back as it was created, from find and listForUser', async (sessions, at) => {
    await comesBack(sessions, newWholeSession(at), sessionRows, dropped)
  })

  it('touch, rotateRefresh, setMethods and end leave every other member as it was', async (sessions, at) => {
    const session = newWholeSession(at)
    await sessions.create(session)
    const { refresh: _refresh, ...seen } = newRotation(at, 'next')
    const changes = {
      touch: () => sessions.touch(session.id, seen),
      rotateRefresh: () =>
        sessions.rotateRefresh(
          session.id,
          session.refresh?.hash ?? '',
          newRotation(at, 'next'),
          at(2),
        ),
      setMethods: () => sessions.setMethods(session.id, ['host']),
      end: () => sessions.end(session.id, 'logout', at(3)),
    }
    for (const [name, change] of Object.entries(changes)) {
      await change()
      const found = await sessions.find(session.id)
      // Another test detects a store that deletes a session when it ends.
      if (name === 'end' && isNone(found)) return
      same(laterOf(found), laterOf(session), `sessions.find after sessions.${name}. ${dropped}`)
    }
  })
}

function partOfThem({ it }: Part<SessionStore>): void {
  it('what a session was created without is left out, whichever else it has', async (sessions, at) => {
    const { secretHash, formerSecret, passwordMark, lifetime, parentId, resources } =
      newWholeSession(at)
    const { openedBySessionId, upstream } = newWholeSession(at)
    const secrets = [{ secretHash }, { formerSecret }]
    const owned = [{ parentId }, { openedBySessionId }]
    const others = [{ passwordMark }, { lifetime }, { resources }, { upstream }]
    for (const later of [...secrets, ...others, ...owned]) {
      const session = newSession(at, { kind: 'token', ...later })
      await comesBack(
        sessions,
        session,
        sessionRows,
        'What was left out is left out, or undefined, and never null or empty.',
      )
    }
  })

  it('the resources of a session come back as they were: none, one, or some odd texts', async (sessions, at) => {
    const lists = [
      [],
      ['urn:a b'],
      ['', '["x"]', "it's \\ \u{1f4d6}", 'https://api.example/?a=1,2'],
    ]
    for (const resources of lists) {
      await comesBack(
        sessions,
        newSession(at, { kind: 'oauth', resources }),
        sessionRows,
        '`resources` is a list of texts in its order, and an empty one stays one. ' +
          'Otherwise an app gets tokens for an API that it was not granted.',
      )
    }
  })

  it('the longest ids and hashes come back whole in every member', async (sessions, at) => {
    const longest = (name: string) => `${name}${'\u00e9'.repeat(490)}`
    const session = newSession(at, {
      secretHash: longest('secret'),
      formerSecret: { hash: longest('former'), until: at(10) },
      passwordMark: longest('mark'),
      passwordMarkNext: longest('next'),
      clientId: longest('client'),
      parentId: longest('parent'),
      openedBySessionId: longest('opener'),
      upstream: 'work '.padEnd(160, '\u00e9'),
    })
    await comesBack(
      sessions,
      session,
      sessionRows,
      'Ids have up to 1024 bytes, and `upstream` up to 160 characters.',
    )
  })
}

function ownLifetimes({ it, expires }: Part<SessionStore>): void {
  it('a session with times of its own is over by those: a year without idle end, or a minute', async (sessions, at) => {
    const year = 365 * 86_400
    const { userId } = newSession(at)
    const long = withLifetime(at, userId, { idle: year, absolute: year })
    const short = withLifetime(at, userId, { idle: 30, absolute: 60 })
    await sessions.create(long)
    await sessions.create(short)
    const why =
      'goes by times of its own. What counts are idleExpiresAt and expiresAt of each session, ' +
      'which the router has made from its `lifetime`.'
    const live = async (now: Date) =>
      [...(await sessions.liveAmong([long.id, short.id], now))].sort()
    const listed = async (now: Date) =>
      (await sessionsOf(sessions, userId, now)).map(({ id }) => id).sort()
    const both = [long.id, short.id].sort()
    same([await live(at(29)), await listed(at(29))], [both, both], `sessions.liveAmong ${why}`)
    for (const seconds of [30, year - 1])
      same(
        [await live(at(seconds)), await listed(at(seconds))],
        [[long.id], [long.id]],
        `sessions.liveAmong or listForUser ${why}`,
      )
    await checkGone(
      expires,
      'sessions.purge',
      sessions.purge(at(30)),
      async () => !isNone(await sessions.find(short.id)),
    )
    same(await sessions.find(long.id), long, `sessions.purge ${why}`)
  })
}

function withLifetime(at: Moment, userId: string, lifetime: { idle: number; absolute: number }) {
  const ends = { idleExpiresAt: at(lifetime.idle), expiresAt: at(lifetime.absolute) }
  return newSession(at, { userId, kind: 'token', lifetime, ...ends })
}

// Other tests compare the other members.
function laterOf(session: Partial<SessionRecord> | null): unknown {
  const { secretHash, formerSecret, passwordMark, passwordMarkNext, lifetime } = session ?? {}
  const { clientId, parentId, resources, openedBySessionId, upstream } = session ?? {}
  const kept = { secretHash, formerSecret, passwordMark, passwordMarkNext }
  return { ...kept, lifetime, clientId, parentId, resources, openedBySessionId, upstream }
}
