// A device that lost the answer asks again within half a minute: what may have changed since then,
// and what may fail in between.
import { describe, expect, it } from 'vitest'
import { bearer, get, post } from '../support/client.js'
import { passwordHash, type TestHost, totpSecret } from '../support/host.js'
import { breakDown, replace } from '../support/two-factor.js'
import { approved, type NewDevice, startLinks } from './link-host.js'

const sessionsOf = (host: TestHost) => host.auth.sessions.list('u-alice')

const breakAt = (host: TestHost, store: keyof TestHost['stores'], method: string) =>
  breakDown(host.stores[store] as object as Record<string, unknown>, method)

/** A device whose answer was lost: the tokens that were in it. */
async function lost(settings: Parameters<typeof startLinks>[0] = {}) {
  const host = await startLinks(settings)
  const { device, user } = await approved(host)
  const { status, body } = await device.ask()
  expect(status).toBe(200)
  return { host, device, user, first: body.data as Tokens }
}

interface Tokens {
  readonly authToken: string
  readonly refreshToken: string
}

async function refused(device: NewDevice) {
  const { status, body } = await device.ask()
  expect([status, body.error, body.data]).toEqual([400, 'invalid_grant', undefined])
}

describe('a device that asks again', () => {
  it('gets the same session for half a minute to the second, as often as it asks', async () => {
    const { host, device, first } = await lost()
    for (let seconds = 0; seconds < 30; seconds += 2) {
      const { status, body } = await device.ask()
      expect([status, body.data.refreshToken]).toEqual([200, first.refreshToken])
    }
    expect(await sessionsOf(host)).toHaveLength(2)
  })

  it('gets nothing once its session has ended', async () => {
    const { host, device, first } = await lost()
    await post(host, '/logout', undefined, bearer(first.authToken)).expect(200)
    await refused(device)
    expect(await sessionsOf(host)).toHaveLength(1)
  })

  it('gets nothing once all sessions of the user have ended', async () => {
    const { host, device } = await lost()
    await host.auth.sessions.revokeAllForUser('u-alice')
    await refused(device)
    expect(await sessionsOf(host)).toHaveLength(0)
  })

  it('gets nothing while the user is disabled, and nobody who is gone', async () => {
    const { host, device, first } = await lost()
    host.users.change('u-alice', { disabled: true })
    await refused(device)
    await get(host, '/me', bearer(first.authToken)).expect(401)
    const findById = replace(host.users, 'findById', async () => null)
    await refused(device)
    findById()
  })

  it('gets nothing after another password, whoever changed it', async () => {
    const { host, device } = await lost({ options: { watchPasswordHash: true } })
    host.users.change('u-alice', { passwordHash: passwordHash.replace('$2b$', '$2a$') })
    await refused(device)
  })

  it('gets nothing once the host objects, and what it had once it does not', async () => {
    let says: string | undefined
    const { device, first } = await lost({
      options: { beforeLogin: ({ door }) => (door === 'device-link' ? says : undefined) },
    })
    says = 'Not any more.'
    await refused(device)
    says = undefined
    expect((await device.ask()).body.data.refreshToken).toBe(first.refreshToken)
  })

  it('gets nothing after a factor was added that its sign-in has not shown', async () => {
    const { host, device } = await lost()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    await refused(device)
  })

  it('goes on without the device that approved it', async () => {
    const { host, device, user, first } = await lost()
    await post(host, '/logout', undefined, user.headers).expect(200)
    const { status, body } = await device.ask()
    expect([status, body.data.refreshToken]).toEqual([200, first.refreshToken])
  })
})

describe('an outage while a device asks again', () => {
  it.each([
    ['deviceCodes', 'poll'],
    ['codes', 'find'],
    ['sessions', 'find'],
    ['secondFactors', 'find'],
  ] as const)('of %s.%s costs it nothing', async (store, method) => {
    const { host, device, first } = await lost()
    const mend = breakAt(host, store, method)
    const { status, body } = await device.ask()
    expect([status, body.error]).toEqual([503, 'temporarily-unavailable'])
    mend()
    expect((await device.ask()).body.data.refreshToken).toBe(first.refreshToken)
    expect(await sessionsOf(host)).toHaveLength(2)
  })

  it('of the users costs it nothing', async () => {
    const { host, device, first } = await lost()
    const mend = breakDown(host.users, 'findById')
    expect((await device.ask()).status).toBe(503)
    mend()
    expect((await device.ask()).body.data.refreshToken).toBe(first.refreshToken)
  })
})

describe('an outage while a device collects', () => {
  it.each([
    ['deviceCodes', 'poll'],
    ['codes', 'find'],
    ['codes', 'consume'],
    ['sessions', 'find'],
    ['secondFactors', 'find'],
  ] as const)('of %s.%s, before anything is written, costs it nothing', async (store, method) => {
    const host = await startLinks()
    const { device } = await approved(host)
    const mend = breakAt(host, store, method)
    expect((await device.ask()).status).toBe(503)
    mend()
    expect((await device.ask()).status).toBe(200)
    expect(await sessionsOf(host)).toHaveLength(2)
  })

  it('after the session was stored is a lost answer', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const { create } = host.stores.sessions
    const mend = replace(host.stores.sessions, 'create', async (session: never) => {
      await create(session)
      throw new Error('the database is away')
    })
    expect((await device.ask()).status).toBe(503)
    mend()
    const [again, oncemore] = [await device.ask(), await device.ask()]
    expect([again.status, oncemore.status]).toEqual([200, 200])
    expect(oncemore.body.data.refreshToken).toBe(again.body.data.refreshToken)
    expect(await sessionsOf(host)).toHaveLength(2)
  })

  it('between the code and the session signs nobody in: the device begins again', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const mend = breakDown(host.stores.sessions, 'create')
    expect((await device.ask()).status).toBe(503)
    mend()
    await refused(device)
    expect(await sessionsOf(host)).toHaveLength(1)
  })
})
