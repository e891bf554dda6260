// A stranger begins, and sends the code to somebody else: what stands in the way.
import { expect, it } from 'vitest'
import { logIn } from '../../support/client.js'
import { password } from '../../support/host.js'
import { begin, codeOf, confirm } from '../../support/two-factor.js'
import { issuer } from '../relying-party.js'
import { cli, type Devices, page, startDevices, television } from './device-host.js'

/** Sets up alice's authenticator app; resolves with what shows its next code. */
async function setUpTotp(at: Devices): Promise<() => string> {
  const { clock } = at
  const host = { ...at.host, clock }
  const { authToken } = await logIn(host)
  const seed = await begin(host, authToken)
  await confirm(host, authToken, seed)
  return () => {
    // Each code works once.
    clock.advance(30)
    return codeOf(host, seed)
  }
}

it('a code in a link fills the field in; neither GET, HEAD nor a foreign form does more', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  const link = `${page}?user_code=${asked.user_code}`
  const [browser, rest] = await at.browserOf('alice', link)
  expect(rest.page?.text).toContain(`value="${asked.user_code}"`)
  const headers = { Cookie: browser.cookies(), 'Sec-Fetch-Mode': 'navigate' }
  await fetch(at.local(link), { headers })
  await fetch(at.local(link), { method: 'HEAD', headers })
  const foreign = await fetch(at.local(page), {
    method: 'POST',
    headers: { ...headers, Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    body: new URLSearchParams({ user_code: asked.user_code, step: 'decide', seen: 'yes' }),
  })
  expect(foreign.status).toBe(403)
  const unproven = await fetch(at.local(page), {
    method: 'POST',
    headers: { ...headers, Origin: 'https://chat.example.com', 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ user_code: asked.user_code, step: 'decide', seen: 'yes' }),
  })
  expect(unproven.status).toBe(403)
  const row = await at.host.stores.deviceCodes.find(asked.device_code.slice(7, 50))
  expect(row).toMatchObject({ userId: null, state: 'pending' })
})

it.each([
  'user_code=BCDF-GHJK&seen=yes&step=decide',
  'user_code=<b>',
  'user_code=AEIO-UAEI',
  'x=1',
])('a link with %s fills nothing in', async (query) => {
  const at = await startDevices()
  const [, rest] = await at.browserOf('alice', `${page}?${query}`)
  expect(rest.page?.text).toMatch(/name="user_code" type="text" value=""/)
})

it('the page names the app, what it gets, the device, its address and time, and the code', async () => {
  const at = await startDevices()
  const asked = await at.begin(television, { scope: 'openid messages:read' }, '203.0.113.9')
  const [, rest] = await at.typeCode(asked.user_code)
  const told = (rest.page?.text ?? '').replaceAll(/<[^>]*>/g, '')
  for (const part of [
    'Television wants to sign in to your account on another device.',
    'It is not made by',
    'Read your messages',
    asked.user_code,
    'Device: chat-cli',
    'Network address: 203.0.113.9',
    'Asked: Mar 1, 2026, 12:00',
    'Somebody who sent you this code could read your messages.',
    'I see this code on my own device',
    'Alice A.',
  ])
    expect(told).toContain(part)
})

it('without the tick there is no approval', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  const [browser, rest] = await at.typeCode(asked.user_code)
  for (const fields of [{}, { seen: '' }, { seen: 'no' }, { seen: 'on' }])
    expect((await browser.send(rest, fields as Record<string, string>)).page?.status).toBe(422)
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
})

it('two networks are flagged, and refused if the host says so', async () => {
  const warning = 'The device is in another network than this browser'
  const at = await startDevices()
  const near = await at.typeCode((await at.begin(cli, {}, '192.0.2.1')).user_code)
  expect(near[1].page?.text).not.toContain(warning)
  const far = await at.typeCode((await at.begin(cli, {}, '203.0.113.9')).user_code)
  expect(far[1].page?.text).toContain(warning)

  const strict = await startDevices({ oauth: { deviceFlow: { sameNetwork: 'require' } } })
  const asked = await strict.begin(cli, {}, '203.0.113.9')
  const [browser, rest] = await strict.typeCode(asked.user_code)
  expect(rest.page?.text).toContain('so it cannot be signed in from here')
  expect(rest.page?.text).not.toContain('name="seen"')
  expect((await browser.send(rest, { seen: 'yes' })).page?.status).toBe(403)
  expect(strict.eventsOf('device.refused')).toMatchObject([{ reason: 'other-network' }])
  expect((await strict.poll(asked)).body['error']).toBe('authorization_pending')
  const denied = await browser.send(rest, { choice: 'deny' })
  expect(denied.page?.text).toContain('The device is not signed in')
})

it('a sign-in older than ten minutes is repeated, before the code and after it', async () => {
  const at = await startDevices()
  const [browser, rest] = await at.browserOf()
  at.clock.advance(9 * 60)
  const asked = await at.begin()
  const opened = await browser.send(rest, { user_code: asked.user_code })
  expect(opened.page?.text).toContain('Is this your device?')
  at.clock.advance(2 * 60)
  const tooLate = await browser.send(opened, { seen: 'yes' })
  expect(tooLate.url.pathname).toMatch(/\/oauth\/sign-in$/)
  expect((await at.pollNow(asked)).body['error']).toBe('authorization_pending')
  const link = `${page}?user_code=${asked.user_code}`
  const again = await browser.open(link)
  expect(again.url.pathname).toMatch(/\/oauth\/sign-in$/)
  const back = await browser.send(again, { username: 'alice', password })
  expect([back.url.pathname, back.page?.text]).toEqual([
    expect.stringMatching(/\/oauth\/device$/),
    expect.stringContaining(`value="${asked.user_code}"`),
  ])
  const shown = await browser.send(back, { user_code: asked.user_code })
  await browser.send(shown, { seen: 'yes' })
  expect((await at.poll(asked)).status).toBe(200)
})

it('who has a second factor has shown it in the last ten minutes, and the tokens tell of it', async () => {
  const at = await startDevices()
  const nextCode = await setUpTotp(at)
  const browser = at.openBrowser()
  const first = await browser.open(page)
  const second = await browser.send(first, { username: 'alice', password })
  expect(second.url.pathname).toMatch(/\/oauth\/second-factor$/)
  const rest = await browser.send(second, { code: nextCode() })
  at.clock.advance(60)
  const asked = await at.begin(cli, { scope: 'openid' })
  const shown = await browser.send(rest, { user_code: asked.user_code })
  expect(shown.page?.text).toContain('Is this your device?')
  expect((await browser.send(shown, { seen: 'yes' })).page?.text).toContain('Done')
  const { body } = await at.poll(asked)
  const { payload } = await at.verifiedIdToken(body['id_token'], cli)
  expect(payload).toMatchObject({ acr: 'urn:mar:2fa', amr: expect.arrayContaining(['pwd', 'otp']) })
})

it('who signs in because the device asks is not asked twice', async () => {
  const at = await startDevices()
  const nextCode = await setUpTotp(at)
  const asked = await at.begin()
  const browser = at.openBrowser()
  const first = await browser.open(page)
  const second = await browser.send(first, { username: 'alice', password })
  const back = await browser.send(second, { code: nextCode() })
  const shown = await browser.send(back, { user_code: asked.user_code })
  expect(shown.page?.text).toContain('Is this your device?')
})

it('nobody who is signed out, or must set a factor up first, sees the page', async () => {
  const at = await startDevices()
  const browser = at.openBrowser()
  expect((await browser.open(page)).url.pathname).toMatch(/\/oauth\/sign-in$/)
  const demanding = await startDevices({ options: { secondFactor: () => 'required' } })
  const stranger = demanding.openBrowser()
  const first = await stranger.open(page)
  const second = await stranger.send(first, { username: 'alice', password })
  expect(second.url.pathname).toMatch(/\/oauth\/enrolment$/)
})

it.each([
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  { 'Sec-Fetch-Site': 'same-site' },
])('a page of another site gets no code from the network of its visitor: %j', async (headers) => {
  const at = await startDevices()
  const ask = (more: Record<string, string>) =>
    fetch(at.local(`${issuer}/api/v1/oauth/device_authorization`), {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...more },
      body: new URLSearchParams({ client_id: 'cli' }),
    })
  // As often as codes of a network are given: none of them is used up.
  for (let time = 0; time < 21; time += 1) {
    const refused = await ask(headers)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ])
  }
  expect((await ask({})).status).toBe(200)
})

it('where one network is required, nobody collects from another one what a user has approved', async () => {
  const at = await startDevices({ oauth: { deviceFlow: { sameNetwork: 'require' } } })
  const asked = await at.begin()
  await at.approve(asked.user_code)
  const elsewhere = await at.poll(asked, cli, {}, '203.0.113.66')
  expect([elsewhere.status, elsewhere.body['error']]).toEqual([400, 'access_denied'])
  expect((await at.poll(asked)).status).toBe(200)
})
