// A program in a terminal signs its user in by a code that the user types into a browser: RFC 8628.
import { expect, it } from 'vitest'
import { ownResource, partOf, search } from '../relying-party.js'
import { type Asked, cli, deviceGrant, page, startDevices, television } from './device-host.js'

it('a device gets a code of eight letters, a secret, and the pace of its questions', async () => {
  const { begin, eventsOf } = await startDevices()
  const asked = await begin()
  expect(asked).toEqual({
    device_code: expect.stringMatching(/^mar_dc_[\w-]{86}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: page,
    expires_in: 600,
    interval: 5,
  })
  expect(eventsOf('device.requested')).toMatchObject([{ clientId: 'cli', ip: '192.0.2.1' }])
})

it('it waits until its user approves, and then has the tokens of any app', async () => {
  const { host, begin, poll, approve, verifiedIdToken, userinfo, eventsOf } = await startDevices()
  const asked = await begin(cli, { scope: 'openid profile messages:read' }, '192.0.2.7')
  for (let i = 0; i < 3; i += 1)
    expect((await poll(asked)).body).toMatchObject({ error: 'authorization_pending' })
  await approve(asked.user_code)
  const { status, body } = await poll(asked, cli, {}, '192.0.2.7')
  expect([status, body]).toEqual([
    200,
    {
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'openid profile messages:read',
      refresh_token: expect.stringMatching(/^mar_rt_/),
      id_token: expect.any(String),
    },
  ])
  const { payload } = await verifiedIdToken(body['id_token'], cli)
  expect(payload).toMatchObject({ sub: 'u-alice', acr: 'urn:mar:1fa', amr: ['pwd'] })
  expect((await userinfo(body['access_token'])).body).toMatchObject({ sub: 'u-alice' })
  const [approved] = eventsOf('device.approved')
  expect(approved).toMatchObject({ userId: 'u-alice', clientId: 'cli', isSameNetwork: false })
  const { sid, auth_time: authTime } = partOf(body['access_token'], 1)
  expect(approved).toMatchObject({ sessionId: sid })
  const session = await host.stores.sessions.find(String(sid))
  expect(session).toMatchObject({
    kind: 'oauth',
    clientId: 'cli',
    userAgent: 'Chat CLI',
    ip: '192.0.2.7',
    methods: ['pwd'],
    scope: 'openid profile messages:read',
  })
  expect(session?.authenticatedAt.getTime()).toBe(Number(authTime) * 1000)
})

it('its refresh token works as any other, and stays when the browser signs out', async () => {
  const { begin, poll, approve, post, openBrowser, host } = await startDevices()
  const asked = await begin()
  const [browser] = await approve(asked.user_code)
  const { body } = await poll(asked)
  const signOut = await browser.open(page.replace('device', 'sign-out'))
  await browser.send(signOut, {})
  const refreshed = await post('/oauth/token', cli, {
    grant_type: 'refresh_token',
    refresh_token: String(body['refresh_token']),
  })
  expect([refreshed.status, refreshed.body['scope']]).toEqual([200, 'openid messages:read'])
  expect(openBrowser).toBeDefined()
  expect(host.unforeseen).toEqual([])
})

it('the user says no, and the device is told so', async () => {
  const { begin, poll, typeCode, eventsOf } = await startDevices()
  const asked = await begin()
  const [browser, rest] = await typeCode(asked.user_code)
  const done = await browser.send(rest, { choice: 'deny' })
  expect(done.page?.text).toContain('The device is not signed in')
  expect((await poll(asked)).body).toMatchObject({ error: 'access_denied' })
  expect(eventsOf('device.denied')).toMatchObject([{ userId: 'u-alice', clientId: 'cli' }])
})

it('after ten minutes a code is over, whether or not it was opened or approved', async () => {
  const { begin, poll, pollNow, typeCode, approve, browserOf, clock } = await startDevices()
  const [unopened, opened, approved] = [await begin(), await begin(), await begin()]
  await typeCode(opened.user_code)
  await approve(approved.user_code)
  clock.advance(600)
  for (const asked of [unopened, opened, approved])
    expect((await pollNow(asked)).body).toMatchObject({ error: 'expired_token' })
  const [browser, rest] = await browserOf()
  const wrong = await browser.send(rest, { user_code: unopened.user_code })
  expect([wrong.page?.status, wrong.page?.text]).toEqual([
    422,
    expect.stringContaining('That code is not valid'),
  ])
  expect((await poll(unopened)).status).toBe(400)
})

it('a device that asks too soon is slowed down, for good', async () => {
  const { begin, pollNow, clock } = await startDevices()
  const asked = await begin()
  const errorAfter = async (seconds: number) => {
    clock.advance(seconds)
    return (await pollNow(asked)).body['error']
  }
  expect(await errorAfter(0)).toBe('authorization_pending')
  // A second less than it was told: the network may have been faster.
  expect(await errorAfter(4)).toBe('authorization_pending')
  expect(await errorAfter(3)).toBe('slow_down')
  expect(await errorAfter(5)).toBe('slow_down')
  expect(await errorAfter(14)).toBe('authorization_pending')
  expect(await errorAfter(13)).toBe('slow_down')
})

it('a code is read in any case, with or without hyphens and blanks', async () => {
  const { begin, typeCode } = await startDevices()
  const spellings = [
    (code: string) => code.toLowerCase(),
    (code: string) => code.replace('-', ''),
    (code: string) => ` ${code.replace('-', ' ')} `,
    (code: string) => code.replace('-', '–').toLowerCase(),
  ]
  for (const spell of spellings) {
    const { user_code: code } = await begin()
    const [, asked] = await typeCode(spell(code))
    expect(asked.page?.text).toContain(code)
  }
})

it("an app of somebody else's needs a consent, which the approval gives", async () => {
  const { begin, poll, typeCode, consents, send, eventsOf } = await startDevices()
  const asked = await begin(television, { scope: 'openid messages:read' })
  const [browser, rest] = await typeCode(asked.user_code)
  expect(rest.page?.text).toContain('It is not made by')
  expect(rest.page?.text).toContain('Read your messages')
  await browser.send(rest, { seen: 'yes' })
  expect((await consents.find('u-alice', 'television'))?.scopes).toEqual([
    'openid',
    'messages:read',
  ])
  expect(eventsOf('consent.granted')).toMatchObject([{ clientId: 'television' }])
  const { status, body } = await poll(asked, television)
  expect([status, Object.keys(body).sort()]).toEqual([
    200,
    ['access_token', 'expires_in', 'id_token', 'scope', 'token_type'],
  ])
  expect((await send('/oauth/token', television, { grant_type: 'refresh_token' })).body).toEqual(
    expect.objectContaining({ error: 'unauthorized_client' }),
  )
})

it('scopes and APIs are judged as at the authorization endpoint', async () => {
  const { begin, send, approve, poll } = await startDevices()
  const errorOf = async (form: Record<string, string>, client = cli) =>
    (await send('/oauth/device_authorization', client, form)).body['error']
  expect(await errorOf({ scope: '*' }, television)).toBe('invalid_scope')
  expect(await errorOf({ scope: 'email' })).toBe('invalid_scope')
  expect(await errorOf({ scope: 'nothing' })).toBe('invalid_scope')
  expect(await errorOf({ scope: 'openid "profile' })).toBe('invalid_scope')
  expect(await errorOf({ resource: 'https://elsewhere.example.com/' })).toBe('invalid_target')
  // No default, so it must say.
  expect(await errorOf({}, television)).toBe('invalid_scope')
  const asked = await begin(cli, { scope: '* unknown', resource: search })
  await approve(asked.user_code)
  expect((await poll(asked, cli, { resource: ownResource })).body['error']).toBe('invalid_target')
  const { body } = await poll(asked, cli, { resource: search })
  expect([body['scope'], partOf(body['access_token'], 1)['aud']]).toEqual(['*', search])
})

it('the request may be JSON', async () => {
  const { host, pollNow } = await startDevices()
  const answer = await fetch(`${host.url}/oauth/device_authorization`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_id: 'cli', scope: 'openid' }),
  })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const body = (await answer.json()) as Asked
  host.issued.add(body.device_code)
  expect((await pollNow(body)).body['error']).toBe('authorization_pending')
})

it('a client without the grant, and one without its secret, get no code', async () => {
  const { send, host } = await startDevices()
  const desktop = { ...cli, id: 'desktop' }
  const refused = await send('/oauth/device_authorization', desktop, { scope: 'openid' })
  expect([refused.status, refused.body['error']]).toEqual([400, 'unauthorized_client'])
  const open = { ...television, secretHashes: undefined } as unknown as typeof cli
  const unproven = await send('/oauth/device_authorization', open, { scope: 'openid' })
  expect([unproven.status, unproven.body['error']]).toEqual([401, 'invalid_client'])
  expect(await host.stores.deviceCodes.purge(new Date(8.64e15))).toBe(0)
})

it('the metadata tells of it', async () => {
  const { metadata } = await startDevices()
  const told = await metadata()
  expect(told['device_authorization_endpoint']).toBe(page.replace('device', 'device_authorization'))
  expect(told['grant_types_supported']).toContain(deviceGrant)
})

it('without the option there is neither route, metadata nor grant', async () => {
  const { metadata, host, send } = await startDevices({
    oauth: {
      deviceFlow: false,
      clients: [
        { ...cli, grants: ['authorization_code'], redirectUris: ['https://cli.example.com/'] },
      ],
    },
  })
  const told = await metadata()
  expect(told).not.toHaveProperty('device_authorization_endpoint')
  expect(told['grant_types_supported']).not.toContain(deviceGrant)
  for (const path of ['/oauth/device', '/oauth/device_authorization'])
    expect((await fetch(`${host.url}${path}`, { method: 'POST' })).status).toBe(404)
  const { body } = await send('/oauth/token', cli, { grant_type: deviceGrant, device_code: 'x' })
  expect(body['error']).toBe('unsupported_grant_type')
})

it('completeUri gives an address with the code, which fills the field in and submits nothing', async () => {
  const { begin, browserOf, host, poll } = await startDevices({
    oauth: { deviceFlow: { completeUri: true } },
  })
  const asked = await begin()
  const { verification_uri_complete: complete } = asked as unknown as Record<string, string>
  expect(complete).toBe(`${page}?user_code=${asked.user_code}`)
  const [browser, rest] = await browserOf('alice', complete)
  expect(rest.page?.text).toContain(`value="${asked.user_code}"`)
  expect(host.events.filter(({ type }) => type.startsWith('device.'))).toHaveLength(1)
  expect((await poll(asked)).body['error']).toBe('authorization_pending')
  const opened = await browser.send(rest, { user_code: asked.user_code })
  expect(opened.page?.text).toContain('Is this your device?')
})
