import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { statusesOf, tally } from '../support/guessing.js'
import {
  type HostSettings,
  password,
  passwordHash,
  startHost,
  type TestHost,
} from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const { codeChallenge, codeVerifier } = pkcePair()
const askFor = {
  codes: (host: TestHost, token: string) =>
    post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(token)),
  tickets: (host: TestHost, token: string) =>
    post(host, '/auth/socket-ticket', undefined, bearer(token)),
}
type Issued = keyof typeof askFor
const both = Object.keys(askFor) as Issued[]

/** Windows of a minute, and a test that must not meet the end of one. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

async function startWithBob(options: HostSettings['options'] = {}): Promise<TestHost> {
  const host = await startHost({ options })
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  return host
}
const tokenOf = async (host: TestHost, username = 'alice') =>
  (await logIn(host, { username, password })).authToken
const issueForHost = (host: TestHost, userId = 'u-alice') =>
  host.auth.issueAuthorizationCode({ userId, codeChallenge })

describe.each(both)('%s', (what) => {
  const ask = askFor[what]

  it(
    'are issued sixty times a session and minute, then 429 that says when to come back, and to ' +
      'the others still',
    async () => {
      const host = await startWithBob()
      const [token, other, bob] = [
        await tokenOf(host),
        await tokenOf(host),
        await tokenOf(host, 'bob'),
      ]
      expect(tally(await statusesOf(60, () => ask(host, token)))).toEqual({ 200: 60 })
      const refused = await ask(host, token)
      expect(refused.status).toBe(429)
      expect(refused.body).toMatchObject({
        error: 'too-many-requests',
        details: { retryAfter: 60 },
      })
      expect(refused.headers).toMatchObject({
        'retry-after': '60',
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
      })
      const throttled = host.events.filter(({ type }) => type === 'login.throttled')
      expect(throttled).toMatchObject([
        { scope: 'issuing', userId: 'u-alice', retryAfter: 60, dryRun: false },
      ])
      expect(host.auth.stats().limits).toMatchObject({ issuing: 1 })
      for (const one of [other, bob]) expect((await ask(host, one)).status).toBe(200)
      for (const one of both.filter((name) => name !== what))
        expect((await askFor[one](host, token)).status).toBe(200)
      vi.setSystemTime(Date.now() + 60_001)
      expect((await ask(host, token)).status).toBe(200)
    },
  )

  it('that are asked for at once are no more than sixty', async () => {
    const host = await startHost()
    const token = await tokenOf(host)
    const answers = await Promise.all(Array.from({ length: 90 }, () => ask(host, token)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 60, 429: 30 })
  })

  it(
    'are issued three hundred times a user and minute, over however many sessions; what is ' +
      'refused counts for nothing',
    async () => {
      const host = await startWithBob()
      const tokens = await Promise.all(Array.from({ length: 6 }, () => tokenOf(host)))
      for (const token of tokens.slice(0, 5))
        expect(tally(await statusesOf(60, () => ask(host, token)))).toEqual({ 200: 60 })
      const last = tokens[5] ?? ''
      expect(tally(await statusesOf(80, () => ask(host, last)))).toEqual({ 429: 80 })
      expect((await ask(host, await tokenOf(host, 'bob'))).status).toBe(200)
      vi.setSystemTime(Date.now() + 60_001)
      expect(tally(await statusesOf(61, () => ask(host, last)))).toEqual({ 200: 60, 429: 1 })
    },
  )

  it('are issued to everybody else, whatever one user takes of a store in memory', async () => {
    const stores = memoryStores({ maxCodes: 400 })
    const host = await startWithBob({ ...stores })
    const alice = await tokenOf(host)
    for (let session = 0; session < 7; session += 1) {
      const bob = await tokenOf(host, 'bob')
      for (let i = 0; i < 70; i += 1) expect([200, 429]).toContain((await ask(host, bob)).status)
    }
    expect((await ask(host, alice)).status).toBe(200)
  })

  it('are not refused in a dry run, which tells of it', async () => {
    const host = await startHost({ options: { throttle: { dryRun: true } } })
    const token = await tokenOf(host)
    expect(tally(await statusesOf(62, () => ask(host, token)))).toEqual({ 200: 62 })
    expect(host.events.filter(({ type }) => type === 'login.throttled')).toMatchObject([
      { dryRun: true },
      { dryRun: true },
    ])
  })
})

it('codes for the host’s own page count for their user, and leave no more rows than codes', async () => {
  const host = await startWithBob()
  for (let i = 0; i < 300; i += 1) await issueForHost(host)
  const create = vi.spyOn(host.stores.sessions, 'create')
  await expect(issueForHost(host)).rejects.toMatchObject({ code: 'too-many-requests', status: 429 })
  expect(create).not.toHaveBeenCalled()
  expect((await askFor.codes(host, await tokenOf(host))).status).toBe(429)
  await expect(issueForHost(host, 'u-bob')).resolves.toMatchObject({ expiresIn: 60 })
})

it('counts in the host’s store, under prefixes of its own that stay as they are', async () => {
  const made: LimiterSettings[] = []
  const limiter = (settings: LimiterSettings) => {
    made.push(settings)
    return memoryLimiter(settings)
  }
  const host = await startHost({ options: { throttle: { limiter } } })
  expect((await askFor.codes(host, await tokenOf(host))).status).toBe(200)
  expect(made.filter(({ keyPrefix }) => keyPrefix.startsWith('mar-issue'))).toEqual([
    { keyPrefix: 'mar-issue-session', points: 60, duration: 60 },
    { keyPrefix: 'mar-issue-user', points: 300, duration: 60 },
  ])
})

it('a code that was issued is exchanged, however many more were refused', async () => {
  const host = await startHost()
  const token = await tokenOf(host)
  const { body } = await askFor.codes(host, token)
  await statusesOf(80, () => askFor.codes(host, token))
  const exchanged = await post(host, '/auth/pkce/token', {
    authorizationCode: body.data.authorizationCode,
    codeVerifier,
  })
  expect(exchanged.status).toBe(200)
})
