// A device that nobody is signed in on is signed in by another one.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { bearer, get, post, remove } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import { linkPage } from '../support/mounted-device-links.js'
import { breakDown } from '../support/two-factor.js'
import { approved, begin, checkCodeOn, phone, signedIn, startLinks, tv } from './link-host.js'

describe('a link to another device', () => {
  it('signs the device in whose picture was scanned and whose code was typed', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    expect(device.qr.startsWith(`${linkPage}#mar_dl_`)).toBe(true)
    expect((await device.ask()).body.error).toBe('authorization_pending')

    const { body: opened } = await alice.open(device.link).expect(200)
    expect(opened.data).toEqual({
      linkId: device.linkId,
      name: 'Living room TV',
      network: '198.51.100.7',
      sameNetwork: false,
      agent: 'Firefox on Linux',
      at: expect.any(String),
    })
    const told = await device.ask()
    expect(told.status).toBe(400)
    const { error, details } = told.body
    expect([error, details]).toEqual(['opened', { checkCode: expect.stringMatching(/^\d{4}$/) }])

    await alice.approve(device.linkId, details.checkCode).expect(200)
    // Its user is asked before it collects.
    host.clock.advance(2)
    const { linkId, codeVerifier } = device
    const asked = await post(host, '/auth/device-links/collect', { linkId, codeVerifier }).expect(
      400,
    )
    expect(asked.body).toMatchObject({
      error: 'approved',
      details: { account: { name: 'Alice A.', username: 'alice' } },
    })
    const collected = await device.ask()
    expect(collected.status).toBe(200)
    const { authToken, refreshToken, expiresIn, userId, me } = collected.body.data
    expect({ userId, expiresIn }).toEqual({ userId: 'u-alice', expiresIn: 600 })
    expect(me).toMatchObject({ username: 'alice' })
    await get(host, '/me', bearer(authToken)).expect(200)
    await post(host, '/auth/refresh', { refreshToken }).expect(200)
  })

  it('is a session of its own, listed with the name and the address of the new device', async () => {
    const host = await startLinks()
    const { device, user } = await approved(host)
    const { body } = await device.ask()
    const { body: listed } = await get(host, '/auth/sessions', user.headers).expect(200)
    const linked = listed.data.sessions.find((one: { current: boolean }) => !one.current)
    expect(linked).toMatchObject({
      kind: 'login',
      name: 'Living room TV',
      ip: '198.51.100.7',
      openedBy: expect.any(String),
    })
    await remove(host, `/auth/sessions/${linked.id}`, user.headers).expect(200)
    host.clock.advance(6)
    await get(host, '/me', bearer(body.data.authToken)).expect(401)
  })

  it('closes its sockets with 4401 when it is ended on the other device', async () => {
    const host = await startLinks()
    const { device, user } = await approved(host)
    const { body } = await device.ask()
    const sockets = new WebSocketServer({ noServer: true })
    host.server.on('upgrade', async (request, connection, head) => {
      const principal = await host.auth.sockets.authenticate(request)
      sockets.handleUpgrade(request, connection, head, (socket) => {
        host.auth.sockets.track(socket, principal)
        socket.send('open')
      })
    })
    const { authToken } = body.data
    const socket = new WebSocket(host.url.replace('http', 'ws'), { headers: bearer(authToken) })
    await once(socket, 'message')
    const closed = once(socket, 'close')
    const { body: listed } = await get(host, '/auth/sessions', user.headers).expect(200)
    const { id } = listed.data.sessions.find(({ current }: { current: boolean }) => !current)
    await remove(host, `/auth/sessions/${id}`, user.headers).expect(200)
    expect((await closed)[0]).toBe(4401)
  })

  it('is listed by what the device is if it has no name, and outlives the device that opened it', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host, {})
    await alice.open(device.link).expect(200)
    await alice.approve(device.linkId, await checkCodeOn(device)).expect(200)
    const { body } = await device.ask()
    await post(host, '/logout', undefined, alice.headers).expect(200)
    host.clock.advance(6)
    const { body: listed } = await get(host, '/auth/sessions', bearer(body.data.authToken)).expect(
      200,
    )
    expect(listed.data.sessions).toMatchObject([{ name: 'Firefox on Linux', current: true }])
  })

  it('has the methods and the time of the sign-in that approved it', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    host.clock.advance(500)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    await alice.approve(device.linkId, await checkCodeOn(device)).expect(200)
    await device.ask()
    const [first, second] = await host.auth.sessions.list('u-alice')
    expect(second?.createdAt).not.toEqual(first?.createdAt)
    const rows = await host.stores.sessions.listForUser('u-alice', host.clock())
    const [old, linked] = rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
    expect(linked).toMatchObject({ methods: ['pwd'], authenticatedAt: old?.authenticatedAt })
  })

  it('has those of what was shown when it was approved', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    host.clock.advance(3600)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    await alice.approve(device.linkId, await checkCodeOn(device), { password }).expect(200)
    const shownAt = host.clock()
    await device.ask()
    const rows = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(rows.map(({ authenticatedAt }) => authenticatedAt)).toContainEqual(shownAt)
  })

  it('is told of a no', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    await alice.deny(device.linkId).expect(200)
    expect((await device.ask()).body.error).toBe('access_denied')
  })

  it('is over after three minutes', async () => {
    const host = await startLinks()
    const device = await begin(host)
    host.clock.advance(180)
    expect((await device.ask()).body.error).toBe('expired_token')
  })

  it('asks a device that asks too often to slow down, and keeps that', async () => {
    const host = await startLinks()
    const device = await begin(host)
    await device.collect().expect(400)
    const { body } = await device.collect().expect(400)
    expect(body.error).toBe('slow_down')
    host.clock.advance(2)
    expect((await device.collect()).body.error).toBe('slow_down')
    host.clock.advance(12)
    expect((await device.collect()).body.error).toBe('authorization_pending')
  })

  it('gives a device that lost the answer the tokens of the same session again', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const first = await device.ask()
    const again = await device.ask()
    expect(again.status).toBe(200)
    expect(again.body.data.refreshToken).toBe(first.body.data.refreshToken)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
    await get(host, '/me', bearer(again.body.data.authToken)).expect(200)
  })

  it('does not give a used refresh token again, and leaves its session alone', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const { body } = await device.ask()
    const refreshed = await post(host, '/auth/refresh', {
      refreshToken: body.data.refreshToken,
    }).expect(200)
    expect((await device.ask()).body.error).toBe('invalid_grant')
    await get(host, '/me', bearer(refreshed.body.access_token)).expect(200)
  })

  it('can be typed: eight letters in the place of the picture', async () => {
    const host = await startLinks({ deviceLinks: { shortCode: true } })
    const alice = await signedIn(host)
    const device = await begin(host)
    expect(device.link).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    await alice.open(device.link.toLowerCase().replace('-', ' ')).expect(200)
    await alice.approve(device.linkId, await checkCodeOn(device)).expect(200)
    expect((await device.ask()).status).toBe(200)
  })

  it('is refused for a moment where a store fails, also to a device that asks again', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const first = await device.ask()
    const mend = breakDown(host.stores.sessions, 'find')
    expect((await device.ask()).status).toBe(503)
    mend()
    const again = await device.ask()
    expect(again.body.data.refreshToken).toBe(first.body.data.refreshToken)
  })

  it('tells its story in events', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    await device.ask()
    const types = host.events.map(({ type }) => type).filter((type) => /link|code\./.test(type))
    expect(types).toEqual([
      'device-link.requested',
      'device-link.opened',
      'device-link.approved',
      'code.redeemed',
    ])
  })

  it('says whether both devices are in one network', async () => {
    const host = await startLinks()
    const alice = await signedIn(host, undefined, phone)
    const device = await begin(host, {}, { ...tv, ...phone })
    const { body } = await alice.open(device.link).expect(200)
    expect(body.data).toMatchObject({ name: null, sameNetwork: true })
  })

  it('does not exist without the option', async () => {
    const host = await startHost()
    await post(host, '/auth/device-links', {}).expect(404)
  })
})

describe('two servers whose keys are being changed', () => {
  it.each(['former', 'next'])(
    'agree on the check code that the one with the %s key first has shown',
    async (first) => {
      const [former, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
      const keys = [former, next] as string[]
      const one = await startLinks({ options: { encryptionKeys: keys } })
      const { users, clock, stores } = one
      const shared = { ...stores, users, clock }
      const other = await startLinks({ options: { ...shared, encryptionKeys: keys.toReversed() } })
      const [showing, asking] = first === 'former' ? [one, other] : [other, one]
      const device = await begin({ ...showing, clock })
      const user = await signedIn(asking)
      await user.open(device.link).expect(200)
      await user.approve(device.linkId, await checkCodeOn(device)).expect(200)
    },
  )
})
