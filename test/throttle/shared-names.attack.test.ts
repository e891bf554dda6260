import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LoginIdentifier } from '../../src/index.js'
import { bearer, post } from '../support/client.js'
import { behindProxy, from, guess, guessedAt, right, statusesOf } from '../support/guessing.js'
import {
  type HostSettings,
  password,
  passwordHash,
  startHost,
  type TestHost,
} from '../support/host.js'

afterEach(() => vi.useRealTimers())

const tries = (host: TestHost, body: object, ip = '203.0.113.7') =>
  post(host, '/login', body, from(ip))

/** A host whose user names can be other users' ids, and where eve has such a name. */
async function whereEveHasTheNameOf(
  victim: { id: string; username: string },
  eve: string,
  options: HostSettings['options'] = {},
) {
  const host = await guessedAt(options)
  host.users.add({ ...victim, passwordHash: null })
  host.users.add({ id: 'u-eve', username: eve, passwordHash })
  const find = host.users.findByIdentifier
  // As shipped stores are told to: an id first, then a name.
  host.users.findByIdentifier = async (identifier: LoginIdentifier) =>
    (identifier.kind === 'user' && (await host.users.findById(identifier.value))) ||
    find(identifier)
  return host
}

describe('an account whose name is another one’s id', () => {
  const victim = { id: 'victim', username: 'victoria' }
  const wrong = { user: 'victim', password: 'wrong' }
  const own = { username: 'victim', password }

  it('wipes out no guess by signing in: five are judged in a window', async () => {
    const host = await whereEveHasTheNameOf(victim, 'victim')
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) {
      statuses.push(...(await statusesOf(4, () => tries(host, wrong))))
      statuses.push((await tries(host, own)).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  })

  it('wipes out none over all networks either: what is left for strangers is used up', async () => {
    const host = await whereEveHasTheNameOf(victim, 'victim', {
      throttle: { unknownNetworks: { points: 6, duration: 86_400 } },
    })
    const judged: number[] = []
    for (let i = 0; i < 8; i += 1) {
      judged.push((await tries(host, wrong, `10.0.${i}.1`)).status)
      await tries(host, own, `10.1.${i}.1`)
    }
    expect(judged).toEqual([401, 401, 401, 401, 401, 401, 429, 429])
  })

  it('makes its network known to nobody but itself', async () => {
    const throttle = {
      unknownNetworks: { points: 3, duration: 86_400 },
      account: { points: 50, duration: 900 },
    }
    const host = await whereEveHasTheNameOf(victim, 'victim', { throttle })
    expect((await tries(host, own)).status).toBe(200)
    expect(await statusesOf(5, () => tries(host, wrong))).toEqual([401, 401, 401, 429, 429])
    expect((await tries(host, own)).status).toBe(200)
    expect(await statusesOf(2, () => tries(host, wrong))).toEqual([429, 429])
  })

  it('does so in no other case either, where the host keeps names apart by case', async () => {
    const host = await guessedAt({ canonicalIdentifier: ({ value }) => value })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: null })
    host.users.add({ id: 'u-eve', username: 'BOB', passwordHash })
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) {
      statuses.push(
        ...(await statusesOf(4, () => tries(host, { username: 'bob', password: 'wrong' }))),
      )
      statuses.push((await tries(host, { username: 'BOB', password })).status)
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
  })

  it('gains nothing by failures of its own that a support desk has forgotten', async () => {
    const host = await whereEveHasTheNameOf(victim, 'victim')
    await statusesOf(2, () => tries(host, { ...own, password: 'wrong' }))
    await host.auth.unlockLogin({ kind: 'username', value: 'victim' }, { ip: '203.0.113.7' })
    await statusesOf(4, () => tries(host, wrong))
    expect((await tries(host, own)).status).toBe(200)
    expect(await statusesOf(3, () => tries(host, wrong))).toEqual([401, 429, 429])
  })

  it('gains nothing by failures of its own that belong to the window before', async () => {
    const host = await whereEveHasTheNameOf(victim, 'victim', {
      throttle: { account: { points: 8, duration: 60 } },
    })
    vi.useFakeTimers({ toFake: ['Date'] })
    await tries(host, wrong)
    vi.setSystemTime(Date.now() + 50_000)
    await statusesOf(6, () => tries(host, { ...own, password: 'wrong' }))
    vi.setSystemTime(Date.now() + 11_000)
    await statusesOf(6, () => tries(host, wrong))
    expect((await tries(host, own)).status).toBe(200)
    expect(await statusesOf(3, () => tries(host, wrong))).toEqual([401, 401, 429])
  })

  it('gains nothing by signing in many times at once', async () => {
    const host = await whereEveHasTheNameOf(victim, 'victim', {
      throttle: { account: { points: 8, duration: 900 } },
    })
    // Two of its own, which are its to take back, once.
    await statusesOf(2, () => tries(host, { ...own, password: 'wrong' }))
    await statusesOf(5, () => tries(host, wrong))
    await Promise.all(Array.from({ length: 10 }, () => tries(host, own)))
    expect(await statusesOf(5, () => tries(host, wrong))).toEqual([401, 401, 401, 429, 429])
  })
})

describe('a complete sign-in', () => {
  it('gives back what its name has failed in its network, here and of the sum over all networks', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 4, duration: 86_400 } } })
    expect(await statusesOf(3, () => guess(host))).toEqual([401, 401, 401])
    expect((await right(host)).status).toBe(200)
    expect(await statusesOf(4, () => guess(host, '192.0.2.1'))).toEqual([401, 401, 401, 401])
    expect((await guess(host, '192.0.2.2')).status).toBe(429)
    expect(await statusesOf(6, () => guess(host))).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('gives back nothing of other names, nor what other networks have failed', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 4, duration: 86_400 } } })
    expect((await right(host)).status).toBe(200)
    const byUser = (ip: string) => tries(host, { user: 'u-alice', password: 'wrong' }, ip)
    expect(await statusesOf(4, () => byUser('198.51.100.9'))).toEqual([401, 401, 401, 401])
    expect(await statusesOf(4, () => guess(host, '198.51.100.9'))).toEqual([401, 401, 401, 401])
    expect((await right(host)).status).toBe(200)
    expect((await right(host, '198.51.100.10')).status).toBe(429)
    expect((await byUser('192.0.2.1')).status).toBe(429)
    expect((await guess(host, '192.0.2.1')).status).toBe(429)
  })
})

it('the last wrong password says how long the wait is', async () => {
  const host = await guessedAt({ throttle: { account: { points: 2, duration: 900 } } })
  await guess(host)
  const { status, headers } = await guess(host)
  expect([status, headers['ratelimit-remaining'], headers['ratelimit-reset']]).toEqual([
    401,
    '0',
    '900',
  ])
  expect(Number((await right(host)).headers['retry-after'])).toBeGreaterThan(898)
})

it('a thief of a session who guesses the password in it does not keep its owner from proving it', async () => {
  const throttle = { unknownNetworks: { points: 4, duration: 86_400 } }
  const host = await startHost({ ...behindProxy, options: { throttle } })
  const { authToken } = (await right(host)).body.data
  const prove = (given: string, ip: string) =>
    post(host, '/auth/totp', { password: given }, { ...bearer(authToken), ...from(ip) })
  expect((await prove(password, '203.0.113.7')).status).toBe(200)
  expect(await statusesOf(6, (i) => prove('wrong', `198.51.100.${i}`))).toEqual([
    401, 401, 401, 401, 429, 429,
  ])
  // Nor does the owner's right one give the thief more.
  expect((await prove('wrong', '198.51.100.77')).status).toBe(429)
})
