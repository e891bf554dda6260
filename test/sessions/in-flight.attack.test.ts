import { describe, expect, it, vi } from 'vitest'
import type { BusMessage, EndReason, SessionEnded, StoredReason } from '../../src/index.js'
import { createEndedAmong } from '../../src/sessions/sessions.js'
import { messageText, tellListener } from '../../src/stores/bus-message.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher, password, startHost } from '../support/host.js'
import { at, sessionRecord } from '../support/records.js'

// The compiler misses a reason here as soon as there is a new one. The last is one of a newer
// release.
const known: Record<EndReason, true> = {
  logout: true,
  revoked: true,
  evicted: true,
  'code-replayed': true,
  'refresh-reused': true,
  'factor-changed': true,
  'password-changed': true,
  'consent-revoked': true,
  'client-disabled': true,
  'address-undone': true,
  'account-deleted': true,
  'upstream-logout': true,
  'identity-unlinked': true,
  'directory-left': true,
}
const reasons: StoredReason[] = [...(Object.keys(known) as EndReason[]), 'device-lost']

describe('a login that is under way', () => {
  const held = async () => {
    const door = gate()
    const host = await startHost({
      options: { describeUser: async () => void (await door.pass()) },
    })
    const arrived = door.shut()
    const login = post(host, '/login', { username: 'alice', password }).then((response) => response)
    await arrived
    return { door, host, login }
  }

  it('when the password is reset and all sessions are ended comes to nothing', async () => {
    const { door, host, login } = await held()
    host.users.change('u-alice', { passwordHash: await cheapHasher.hash('another passphrase') })
    await host.auth.sessions.revokeAllForUser('u-alice')
    door.open()
    expect(await login).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    expect(host.events.slice(-2)).toMatchObject([
      { type: 'session.ended', userId: 'u-alice', reason: 'revoked' },
      { type: 'request.refused', reason: expect.stringMatching(/\w/) },
    ])
  })

  it('when the user is disabled comes to nothing', async () => {
    const { door, host, login } = await held()
    host.users.change('u-alice', { disabled: true })
    door.open()
    expect((await login).status).toBe(401)
  })

  it('when the account is deleted comes to nothing', async () => {
    const { door, host, login } = await held()
    host.users.rows.delete('u-alice')
    door.open()
    expect(await login).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
  })

  it('when the name and the password become another’s comes to nothing', async () => {
    const { door, host, login } = await held()
    const { passwordHash = null } = host.users.rows.get('u-alice') ?? {}
    host.users.change('u-alice', { username: 'alice-2', passwordHash: null })
    host.users.add({ id: 'u-other', username: 'alice', passwordHash })
    door.open()
    expect(await login).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('when another login brings the hash up to a dearer setting goes on', async () => {
    const { door, host, login } = await held()
    host.users.change('u-alice', { passwordHash: await cheapHasher.hash(password) })
    door.open()
    expect((await login).status).toBe(200)
  })
})

describe('a code exchange that is under way', () => {
  it.each(['the device that asked signs out', 'all devices are signed out'])(
    'comes to nothing when %s',
    async (how) => {
      const door = gate()
      const host = await startHost({
        options: { beforeLogin: async () => void (await door.pass()) },
      })
      const { authToken } = await logIn(host)
      const code = await obtainCode(host, authToken)
      const arrived = door.shut()
      const exchange = post(host, '/auth/pkce/token', code).then((response) => response)
      await arrived
      if (how.startsWith('the device')) await post(host, '/logout', undefined, bearer(authToken))
      else await host.auth.sessions.revokeAllForUser('u-alice')
      door.open()
      expect(await exchange).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
      expect(host.events.slice(-2)).toMatchObject([
        { type: 'session.ended', userId: 'u-alice', reason: 'revoked' },
        { type: 'code.refused', userId: 'u-alice', reason: 'issuing-session-ended' },
      ])
    },
  )

  it('is not passed by when all sessions are ended while its session is stored', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { endAllForUser } = host.stores.sessions
    const child = sessionRecord({ userId: 'u-alice' })
    // As a database that ends what was there when its statement began.
    host.stores.sessions.endAllForUser = async (...given) => {
      const ended = await endAllForUser(...given)
      await host.stores.sessions.create(child).catch(() => {})
      return ended
    }
    expect(await host.auth.sessions.revokeAllForUser('u-alice')).toBe(2)
    expect((await host.stores.sessions.find(child.id))?.endedAt).not.toBeNull()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })
})

describe('an outage while all sessions are ended', () => {
  it('is a 503 and no logout: sockets stay open and tokens good', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const other = await logIn(host)
    const request = {
      headersDistinct: { authorization: [`Bearer ${other.authToken}`] },
      headers: {},
      socket: {},
    }
    const close = vi.fn()
    const principal = await host.auth.authenticate(request as never)
    host.auth.sockets.track({ close, terminate() {}, once() {}, on() {} }, principal)
    host.stores.sessions.endAllForUser = () => Promise.reject(new Error('down'))
    await expect(host.auth.sessions.revokeAllForUser('u-alice')).rejects.toMatchObject({
      status: 503,
    })
    expect(close).not.toHaveBeenCalled()
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('messages of the buses', () => {
  it.each(reasons.map((reason) => [reason]))('arrive with the reason %s', (reason) => {
    const event: SessionEnded = { sessionId: 's', userId: 'u', reason, at: at(1) }
    const listener = vi.fn()
    tellListener(listener, messageText(event))
    expect(listener).toHaveBeenCalledExactlyOnceWith(event)
  })
})

describe('whoever has far too many sessions', () => {
  it('loses some with each sign-in, and does not wait for all of them to go', async () => {
    const stores = memoryStores()
    for (let i = 0; i < 100; i += 1)
      await stores.sessions.create(sessionRecord({ userId: 'u-alice' }))
    const host = await startHost({ options: { ...stores, maxSessionsPerUser: 10 } })
    await logIn(host)
    expect(await stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(81)
  })
})

describe('the question which sessions are over', () => {
  it('is not asked for a turn that still waits: nothing piles up on a slow store', async () => {
    let answer = (_ids: string[]) => {}
    const liveAmong = vi.fn(() => new Promise<string[]>((resolve) => (answer = resolve)))
    const endedAmong = createEndedAmong({ liveAmong })
    const first = endedAmong(0, ['a', 'b'])
    expect(await endedAmong(0, ['a', 'b'])).toEqual([])
    expect(liveAmong).toHaveBeenCalledTimes(1)
    answer(['a'])
    expect(await first).toEqual(['b'])
    const second = endedAmong(0, ['a'])
    answer([])
    expect(await second).toEqual(['a'])
  })

  it('is asked of 500 at a time, one query after the other, and leaves none out', async () => {
    const ids = Array.from({ length: 1001 }, (_, i) => `s${i}`)
    let underWay = 0
    const liveAmong = vi.fn(async (asked: readonly string[]) => {
      underWay += 1
      expect(underWay).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      underWay -= 1
      return asked.filter((id) => !['s0', 's499', 's500', 's1000'].includes(id))
    })
    expect(await createEndedAmong({ liveAmong })(0, ids)).toEqual(['s0', 's499', 's500', 's1000'])
    expect(liveAmong.mock.calls.map(([asked]) => asked.length)).toEqual([500, 500, 1])
  })
})

describe('a bus that does not answer', () => {
  it(
    'holds the end of many sessions up once, and not for each of them; and is told of all that ' +
      'ended',
    async () => {
      const told: string[] = []
      const bus = {
        publish: (message: BusMessage) => {
          told.push('sessionId' in message ? message.sessionId : '')
          return new Promise<void>(() => {})
        },
        subscribe: async () => async () => {},
      }
      const host = await startHost({
        options: { bus, storeTimeout: 500, maxSessionsPerUser: 1000 },
      })
      for (let i = 0; i < 120; i += 1)
        await host.stores.sessions.create(
          sessionRecord({ idleExpiresAt: at(6000), expiresAt: at(6000) }),
        )
      const failures = () =>
        host.events.filter(
          (event) => event.type === 'host.failed' && event.operation === 'bus.publish',
        ).length
      expect(await host.auth.sessions.revokeAllForUser('u-alice')).toBe(120)
      // Of six rounds of twenty, of which each fails after half a second, one or two are over.
      expect(failures()).toBeLessThanOrEqual(40)
      await vi.waitFor(() => expect(new Set(told).size).toBe(120))
    },
  )
})

describe('an id that is none', () => {
  it.each([7, null, undefined, '', ['u-alice'], { $ne: '' }, true])(
    '%j is refused by name, and ends nothing',
    async (id) => {
      const host = await startHost()
      const { authToken } = await logIn(host)
      const { sessions } = host.auth
      const wrong = id as string
      const named = (path: string) => ({
        code: 'invalid-request',
        details: { issues: [expect.objectContaining({ path })] },
      })
      await expect(sessions.list(wrong)).rejects.toMatchObject(named('userId'))
      await expect(sessions.revoke(wrong)).rejects.toMatchObject(named('sessionId'))
      await expect(sessions.revokeAllForUser(wrong)).rejects.toMatchObject(named('userId'))
      if (id !== undefined)
        await expect(sessions.revokeAllForUser('u-alice', { except: wrong })).rejects.toMatchObject(
          named('except'),
        )
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    },
  )
})

describe('closing the router', () => {
  it('does not wait for a bus that does not let go', async () => {
    const bus = {
      publish: async () => {},
      subscribe: async () => () => new Promise<void>(() => {}),
    }
    const host = await startHost({ options: { bus, storeTimeout: 50 } })
    await new Promise((resolve) => setImmediate(resolve))
    await host.auth.close()
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'bus.unsubscribe' }),
    )
  })
})

describe('a list of sessions', () => {
  it('with a row that has no id is no answer', async () => {
    const host = await startHost()
    await logIn(host)
    const { listForUser } = host.stores.sessions
    host.stores.sessions.listForUser = async (...given) =>
      (await listForUser(...given)).map(({ id: _id, ...row }) => row) as never
    await expect(host.auth.sessions.list('u-alice')).rejects.toMatchObject({ status: 503 })
  })
})
