// Guessed codes, foreign approvals, impatient and foreign questions, floods: the device grant.
import { expect, it } from 'vitest'
import { newUserCode, shownUserCode } from '../../../src/lib/typed-codes.js'
import { tally } from '../../support/guessing.js'
import type { Rest } from '../page-browser.js'
import {
  cli,
  type Devices,
  deviceGrant,
  other,
  page,
  startDevices,
  television,
} from './device-host.js'

const many = 50
// Ten thousand guesses and twenty thousand devices, where there is time for them.
const isPatient = process.env['COVER_ALL'] === '1'
const eachPerson = isPatient ? 250 : 15
const flood = isPatient ? 20_000 : 1_000

/** How often the store was asked for each of its methods. */
function countCalls(at: Devices): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [store, methods] of Object.entries(at.host.stores))
    for (const [name, method] of Object.entries(methods as Record<string, unknown>)) {
      if (typeof method !== 'function') continue
      Object.assign(methods, {
        [name]: (...given: unknown[]) => {
          counts[`${store}.${name}`] = (counts[`${store}.${name}`] ?? 0) + 1
          return method.apply(methods, given)
        },
      })
    }
  return counts
}

/** Sends the form of a page by hand, from any address, with fields that the page never had. */
async function sendFrom(at: Devices, rest: Rest, cookie: string, ip: string, form: object) {
  const hidden = /name="csrf" value="([^"]*)"/.exec(rest.page?.text ?? '')?.[1] ?? ''
  const action = /<form method="post" action="([^"]*)"/.exec(rest.page?.text ?? '')?.[1] ?? ''
  return fetch(at.local(new URL(action, page).href), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      Cookie: cookie,
      Origin: 'https://chat.example.com',
      'Sec-Fetch-Site': 'same-origin',
      'X-Test-Ip': ip,
    },
    body: new URLSearchParams({ csrf: hidden, ...form }),
  })
}

it('of a flood of guesses from twenty networks, ten of each network are judged', async () => {
  const at = await startDevices()
  const { begin, poll } = at
  const asked = await begin()
  const calls = countCalls(at)
  const statuses: number[] = []
  for (let person = 0; person < 40; person += 1) {
    at.addUser(`p${person}`)
    const [browser, rest] = await at.browserOf(`p${person}`)
    const ip = `10.0.${person % 20}.1`
    const guess = async () => {
      const form = { user_code: newUserCode() }
      return (await sendFrom(at, rest, browser.cookies(), ip, form)).status
    }
    statuses.push(...(await Promise.all(Array.from({ length: eachPerson }, guess))))
  }
  const guesses = 40 * eachPerson
  expect(tally(statuses)).toEqual({ 422: 200, 429: guesses - 200 })
  expect(calls['deviceCodes.claim']).toBe(200)
  expect((await poll(asked)).body['error']).toBe('authorization_pending')
}, 600_000)

it('of one session, five guesses are judged, wherever they come from', async () => {
  const at = await startDevices()
  const [browser, rest] = await at.browserOf()
  const calls = countCalls(at)
  const statuses = await Promise.all(
    Array.from({ length: many }, async (_, i) => {
      const form = i % 2 === 0 ? {} : { step: 'decide', seen: 'yes' }
      const sent = { user_code: newUserCode(), ...form }
      return (await sendFrom(at, rest, browser.cookies(), `10.1.${i}.1`, sent)).status
    }),
  )
  expect(tally(statuses)).toEqual({ 422: 5, 429: many - 5 })
  expect(calls['deviceCodes.claim']).toBe(5)
  expect(at.eventsOf('login.throttled')).toHaveLength(many - 5)
})

it('right codes are no guesses, and what cannot be a code costs no look-up', async () => {
  const at = await startDevices()
  const [browser, rest] = await at.browserOf()
  for (let i = 0; i < 12; i += 1) {
    const { user_code: code } = await at.begin()
    const asked = await browser.send(rest, { user_code: code })
    expect([asked.page?.status, asked.page?.text]).toEqual([200, expect.stringContaining(code)])
  }
  const calls = countCalls(at)
  for (const typed of ['', 'A'.repeat(8), 'BCDFGHJ', 'BCDFGHJKL', 'x'.repeat(5000)])
    expect((await browser.send(rest, { user_code: typed })).page?.status).toBe(422)
  expect(calls['deviceCodes.claim']).toBeUndefined()
})

it('what one account has opened, no other can look at, approve or deny', async () => {
  const at = await startDevices()
  at.addUser('mallory')
  const asked = await at.begin()
  const [, opened] = await at.typeCode(asked.user_code)
  expect(opened.page?.text).toContain('Is this your device?')
  const [mallory, rest] = await at.typeCode(asked.user_code, 'mallory')
  const unknown = await mallory.send(rest, { user_code: newUserCode() })
  // The same answer as for a code that nobody has, but for what was typed.
  const bare = (one: Rest) =>
    one.page?.text.replaceAll(/value="[^"]*"/g, '').replaceAll(/autofocus/g, '')
  expect(rest.page?.status).toBe(422)
  expect(bare(rest)).toBe(bare(unknown))
  for (const form of [{ step: 'decide', seen: 'yes' }, { choice: 'deny' }])
    expect((await mallory.send(rest, { user_code: asked.user_code, ...form })).page?.status).toBe(
      422,
    )
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
})

it('an approval without the page before it still binds the code, and still asks for the tick', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  const [browser, rest] = await at.browserOf()
  const unread = await browser.send(rest, { user_code: asked.user_code, step: 'decide' })
  expect([unread.page?.status, unread.page?.text]).toEqual([
    422,
    expect.stringContaining('tick the box only if it shows this code'),
  ])
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
  const row = await at.host.stores.deviceCodes.find(asked.device_code.slice(7, 50))
  expect(row).toMatchObject({ userId: 'u-alice', state: 'pending' })
})

it('of fifty approvals and denials at once, one decides, and one session comes of it', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  const [browser, rest] = await at.typeCode(asked.user_code)
  const answers = await Promise.all(
    Array.from({ length: many }, (_, i) =>
      browser.send(rest, i % 5 === 0 ? { choice: 'deny' } : { seen: 'yes' }),
    ),
  )
  const told = answers.map(({ page: shown }) => shown?.text ?? '')
  const decided = told.filter((text) => /Done|The device is not signed in/.test(text))
  expect(decided).toHaveLength(1)
  const kinds = [...at.eventsOf('device.approved'), ...at.eventsOf('device.denied')]
  expect(kinds).toHaveLength(1)
  const isApproved = at.eventsOf('device.approved').length === 1
  expect((await at.poll(asked)).status).toBe(isApproved ? 200 : 400)
})

it('nothing can be decided twice: not after yes, not after no, not after use', async () => {
  const at = await startDevices()
  const [denied, used] = [await at.begin(), await at.begin()]
  const [first, firstPage] = await at.typeCode(denied.user_code)
  await first.send(firstPage, { choice: 'deny' })
  expect((await first.send(firstPage, { seen: 'yes' })).page?.status).toBe(422)
  expect((await at.poll(denied)).body['error']).toBe('access_denied')
  const [second, secondPage] = await at.approve(used.user_code)
  expect((await second.send(secondPage, { choice: 'deny' })).page?.status).toBe(422)
  expect((await at.poll(used)).status).toBe(200)
  expect((await second.send(secondPage, { seen: 'yes' })).page?.status).toBe(422)
})

it('of fifty questions at once after the approval, one gets the tokens', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  await at.approve(asked.user_code)
  at.clock.advance(5)
  const answers = await Promise.all(Array.from({ length: many }, () => at.pollNow(asked)))
  const errors = answers.map(({ status, body }) => (status === 200 ? 'tokens' : body['error']))
  expect(errors.filter((error) => error === 'tokens')).toHaveLength(1)
  expect(new Set(errors)).toEqual(new Set(['tokens', 'slow_down']))
  expect(
    at.eventsOf('session.started').filter((one) => 'kind' in one && one.kind === 'oauth'),
  ).toHaveLength(1)
})

it('a question each tenth of a second only makes the device wait longer', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  await at.pollNow(asked)
  const errors = new Set<unknown>()
  for (let i = 0; i < 100; i += 1) {
    at.clock.advance(0.1)
    errors.add((await at.pollNow(asked)).body['error'])
  }
  expect(errors).toEqual(new Set(['slow_down']))
  const row = await at.host.stores.deviceCodes.find(asked.device_code.slice(7, 50))
  expect(row?.interval).toBe(4 + 100 * 5)
})

it('a question while the user has not decided is one statement of the store', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  const calls = countCalls(at)
  expect((await at.poll(asked)).body['error']).toBe('authorization_pending')
  expect(calls).toEqual({ 'deviceCodes.poll': 1 })
  await at.pollNow(asked)
  expect(calls).toEqual({ 'deviceCodes.poll': 2 })
})

it('a device code is of its client alone: the question of another changes nothing', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  await at.approve(asked.user_code)
  const before = await at.host.stores.deviceCodes.find(asked.device_code.slice(7, 50))
  for (const thief of [other, television]) {
    const { status, body } = await at.poll(asked, thief)
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
  }
  // Another client's secret, for the id of the device's own client.
  const mixed = await at.post(
    '/oauth/token',
    cli,
    { client_id: cli.id, grant_type: deviceGrant, device_code: asked.device_code },
    { Authorization: `Basic ${Buffer.from('television:whatever').toString('base64')}` },
  )
  expect(mixed.status).toBeGreaterThanOrEqual(400)
  expect(await at.host.stores.deviceCodes.find(asked.device_code.slice(7, 50))).toEqual(before)
  expect((await at.poll(asked)).status).toBe(200)
})

it('a device code that is changed in any place, or of another grant, opens nothing', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  await at.approve(asked.user_code)
  const { device_code: code } = asked
  const changed = [
    `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`,
    `${code.slice(0, 7)}${code[7] === 'A' ? 'B' : 'A'}${code.slice(8)}`,
    code.slice(0, 50),
    `${code}A`,
    asked.user_code,
    '',
    'x'.repeat(5000),
  ]
  for (const device_code of changed) {
    const { status, body } = await at.poll({ ...asked, device_code })
    expect([status, body['error']]).toEqual([
      400,
      device_code === '' ? 'invalid_request' : 'invalid_grant',
    ])
  }
  const byCode = { grant_type: 'authorization_code', code, redirect_uri: 'https://cli.example/' }
  const { body } = await at.send('/oauth/token', { ...cli, id: 'desktop' }, byCode)
  expect(body['error']).toBe('invalid_grant')
  expect((await at.poll(asked)).status).toBe(200)
})

it('a second use later on ends the session, as with codes; one soon after does not', async () => {
  const at = await startDevices()
  const asked = await at.begin()
  await at.approve(asked.user_code)
  const { body } = await at.poll(asked)
  const token = body['access_token']
  expect((await at.poll(asked)).body['error']).toBe('invalid_grant')
  expect((await at.userinfo(token)).status).toBe(200)
  at.clock.advance(30)
  expect((await at.pollNow(asked)).body['error']).toBe('invalid_grant')
  expect((await at.userinfo(token)).status).toBe(401)
})

it('an approval dies with the session that gave it, with its user, its password and its factor', async () => {
  const at = await startDevices()
  const approvedCode = async () => {
    const asked = await at.begin()
    return { asked, browser: (await at.approve(asked.user_code))[0] }
  }
  const signedOut = await approvedCode()
  const rest = await signedOut.browser.open(page.replace('/device', '/sign-out'))
  await signedOut.browser.send(rest, {})
  expect((await at.poll(signedOut.asked)).body['error']).toBe('invalid_grant')
  const everywhere = await approvedCode()
  await at.host.auth.sessions.revokeAllForUser('u-alice')
  expect((await at.poll(everywhere.asked)).body['error']).toBe('invalid_grant')
  const disabled = await approvedCode()
  at.host.users.change('u-alice', { disabled: true })
  expect((await at.poll(disabled.asked)).body['error']).toBe('invalid_grant')
})

it('the host may object at the approval, and once more when the device collects', async () => {
  const doors: string[] = []
  let says: string | undefined
  const at = await startDevices({
    options: {
      beforeLogin: ({ door, ip }) => {
        if (door === 'device') doors.push(`${door} ${ip}`)
        return door === 'device' ? says : undefined
      },
    },
  })
  const asked = await at.begin(cli, {}, '192.0.2.9')
  const [browser, rest] = await at.typeCode(asked.user_code)
  says = 'Not on Sundays.'
  const refused = await browser.send(rest, { seen: 'yes' })
  expect([refused.page?.status, refused.page?.text]).toEqual([
    403,
    expect.stringContaining('Not on Sundays.'),
  ])
  expect(at.eventsOf('device.refused')).toMatchObject([{ reason: 'vetoed', userId: 'u-alice' }])
  says = undefined
  await browser.send(rest, { seen: 'yes' })
  says = 'Not any more.'
  expect((await at.poll(asked, cli, {}, '192.0.2.9')).body['error']).toBe('invalid_grant')
  expect(doors).toEqual(['device 192.0.2.1', 'device 192.0.2.1', 'device 192.0.2.9'])
})

it('a flood of devices of two clients leaves twenty rows for each network and client', async () => {
  const at = await startDevices()
  let rows = 0
  const { save } = at.host.stores.deviceCodes
  Object.assign(at.host.stores.deviceCodes, {
    save: (...given: Parameters<typeof save>) => {
      if (given[0].state === 'pending') rows += 1
      return save(...given)
    },
  })
  const statuses: number[] = []
  for (let i = 0; i < flood; i += 20)
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async (_, j) => {
          const client = (i + j) % 2 === 0 ? cli : other
          const ip = `10.2.0.${1 + ((i + j) % 5)}`
          return (await at.send('/oauth/device_authorization', client, {}, ip)).status
        }),
      )),
    )
  expect(rows).toBe(2 * 5 * 20)
  expect(tally(statuses)).toEqual({ 200: rows, 429: flood - rows })
  at.clock.advance(600)
  expect(await at.host.stores.deviceCodes.purge(at.clock())).toBe(rows)
}, 600_000)

it('codes are spelt by chance, without vowels, and hardly two are alike', () => {
  const codes = Array.from({ length: 20_000 }, () => newUserCode())
  // Of 20^8 codes, two of 20,000 are the same in 8 runs of 1,000, and three pairs in one of 10^7.
  expect(new Set(codes).size).toBeGreaterThan(codes.length - 3)
  expect(codes.every((code) => /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(code))).toBe(true)
  const letters = Object.values(
    tally(
      codes
        .join('')
        .split('')
        .map((one) => one.charCodeAt(0)),
    ),
  )
  expect(letters).toHaveLength(20)
  expect(Math.max(...letters) / Math.min(...letters)).toBeLessThan(1.2)
  expect(shownUserCode('BCDFGHJK')).toBe('BCDF-GHJK')
})
