import { describe, it } from 'vitest'
import { password } from '../support/host.js'
import { expectSameTime, expectToldApart } from './measure.js'
import { about, endedSession, startTimedOAuth, unknownRefreshToken } from './oauth-host.js'
import { startTimedHost, timedUsers } from './timed-host.js'

// What the other tests of this suite are worth on the machine that they run on.
const logIn = (username: string) => ({ path: '/login', body: { username, password } })
const status = 401

describe('the measurement', () => {
  it('finds 0.2 ms that the host takes longer for one name', async () => {
    const users = timedUsers()
    const { url } = await startTimedHost({
      options: {
        users: {
          ...users,
          async findByIdentifier(identifier) {
            if (identifier.value === 'nadia') keepBusy(0.2)
            return users.findByIdentifier(identifier)
          },
        },
      },
    })
    await expectToldApart({
      name: 'control: a leak of 0.2 ms',
      url,
      one: logIn('niemo'),
      other: logIn('nadia'),
      hashes: true,
      status,
      // On a machine whose pace changes, 400 pairs find 0.4 ms and not 0.2.
      pairs: 1600,
    })
  })

  it('finds 0.1 ms that a store takes longer for the session of one token', async () => {
    const ids = new Set<string>()
    const on = await startTimedOAuth((sessions) => ({
      ...sessions,
      async find(id) {
        if (ids.has(id)) keepBusy(0.1)
        return sessions.find(id)
      },
    }))
    const { session, refreshToken } = await endedSession(on)
    ids.add(session.id)
    await expectToldApart({
      name: 'control: a leak of 0.1 ms in an introspection',
      url: on.host.url,
      one: about('introspect', unknownRefreshToken),
      other: about('introspect', refreshToken),
      hashes: false,
      status: 200,
    })
  })

  it('finds nothing between two names that nobody has', async () => {
    const { url } = await startTimedHost()
    await expectSameTime({
      name: 'control: nothing',
      url,
      one: logIn('niemo'),
      other: logIn('nadia'),
      hashes: true,
      status,
    })
  })
})

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
