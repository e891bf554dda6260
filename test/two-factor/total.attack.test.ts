// Six digits do not survive guessing for ever: what is left until the next complete sign-in, and
// for whom.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bearer, post } from '../support/client.js'
import { behindProxy, from, statusesOf, tally } from '../support/guessing.js'
import { type HostSettings, password, startHost, type TestHost } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirmation,
  disabling,
  enrolled,
  regeneration,
  wrongCode,
} from '../support/two-factor.js'

afterEach(() => vi.useRealTimers())

const home = from('203.0.113.7')
const elsewhere = (i: number) => from(`10.0.${i >> 8}.${i & 255}`)
const impossible = 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA'

/** A host whose alice has a second factor, and has signed in with it at home. */
async function start(options: HostSettings['options'] = {}) {
  const user = await enrolled({ ...behindProxy, options })
  vi.useFakeTimers({ toFake: ['Date'] })
  const signedIn = await attempt(user.host, codeOf(user.host, user.secret), home)
  expect(signedIn.status).toBe(200)
  user.host.clock.advance(30)
  const token: string = signedIn.body.data.authToken
  const guess = (headers: Record<string, string>) =>
    attempt(user.host, wrongCode(user.host, user.secret), headers)
  return { ...user, token, guess }
}

const anHourLater = () => vi.setSystemTime(Date.now() + 3_601_000)

async function guessesOf(
  hours: number,
  ask: (i: number) => PromiseLike<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = []
  for (let hour = 0; hour < hours; hour += 1) {
    statuses.push(...(await statusesOf(11, ask)))
    anHourLater()
  }
  return statuses
}

describe('wrong second-factor codes until a complete sign-in', () => {
  it('are a hundred, of which strangers have eighty, however long they wait', async () => {
    const { guess, host } = await start()
    expect(tally(await guessesOf(12, (i) => guess(elsewhere(i))))).toMatchObject({ 401: 80 })
    expect(tally(await guessesOf(4, () => guess(home)))).toMatchObject({ 401: 20 })
    const refused = await guess(home)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '86400'])
    expect(host.events.at(-1)).toMatchObject({
      type: 'login.throttled',
      scope: 'second-factor',
      userId: 'u-alice',
    })
  })

  it('leave the owner a right one at home, and in a session, after strangers have used theirs up', async () => {
    const { guess, host, secret, token } = await start()
    await guessesOf(9, (i) => guess(elsewhere(i)))
    expect((await attempt(host, codeOf(host, secret), elsewhere(1))).status).toBe(429)
    expect((await change(host, regeneration, token, codeOf(host, secret))).status).toBe(200)
    host.clock.advance(30)
    expect((await attempt(host, codeOf(host, secret), home)).status).toBe(200)
    // Complete: strangers begin anew.
    expect((await guess(elsewhere(2))).status).toBe(401)
  })

  it('are judged no more than a hundred times of 300 at once', async () => {
    const { guess } = await start({
      throttle: {
        secondFactor: { points: 1000, duration: 3600 },
        account: { points: 1000, duration: 900 },
      },
    })
    const answers: { status: number }[] = []
    for (let i = 0; i < 300; i += 50)
      answers.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_none, k) => guess(elsewhere(i + k))))),
      )
    expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 80, 429: 220 })
  })

  it('are as many as the host says', async () => {
    const { guess } = await start({ throttle: { secondFactorTotal: 5 } })
    expect(await statusesOf(5, (i) => guess(elsewhere(i)))).toEqual([401, 401, 401, 401, 429])
    expect(await statusesOf(2, () => guess(home))).toEqual([401, 429])
  })
})

describe('networks that knew the password alone', () => {
  it('are strangers once the user has a second factor', async () => {
    const host = await startHost({ ...behindProxy })
    const login = (ip: string, code?: string) =>
      post(
        host,
        '/login',
        { username: 'alice', password, ...(code === undefined ? {} : { code }) },
        from(ip),
      )
    // A thief who has the password, and then its owner, who enrols.
    expect((await login('198.51.100.66')).status).toBe(200)
    const { authToken } = (await login('203.0.113.7')).body.data
    const secret = await begin(host, authToken)
    const confirmed = await post(
      host,
      confirmation,
      { code: codeOf(host, secret) },
      { ...bearer(authToken), ...home },
    )
    expect(confirmed.status).toBe(200)
    host.clock.advance(30)
    vi.useFakeTimers({ toFake: ['Date'] })
    const judged = await guessesOf(12, () => login('198.51.100.66', wrongCode(host, secret)))
    expect(tally(judged)).toMatchObject({ 401: 80 })
    expect((await login('203.0.113.7', codeOf(host, secret))).status).toBe(200)
  })
})

describe('a recovery code', () => {
  const usedUp = async () => {
    const user = await start()
    await guessesOf(13, (i) => user.guess(i % 2 === 0 ? home : elsewhere(i)))
    await statusesOf(12, () => user.guess(home))
    expect((await attempt(user.host, codeOf(user.host, user.secret), home)).status).toBe(429)
    return user
  }

  it('is judged beside the limits, signs in from anywhere, and clears them', async () => {
    const { host, recoveryCodes, secret } = await usedUp()
    const [code] = recoveryCodes as [string]
    expect((await attempt(host, impossible, elsewhere(1))).status).toBe(401)
    expect((await attempt(host, code, elsewhere(1))).status).toBe(200)
    host.clock.advance(30)
    expect((await attempt(host, codeOf(host, secret), elsewhere(2))).status).toBe(200)
  })

  it('proves a change of the factor, too', async () => {
    const { host, recoveryCodes, token } = await usedUp()
    const [code] = recoveryCodes as [string]
    expect((await change(host, disabling, token, impossible)).status).toBe(401)
    expect((await change(host, disabling, token, code)).status).toBe(200)
  })

  it('that is wrong uses up nothing of the limits', async () => {
    const { host, secret } = await start()
    expect(tally(await statusesOf(30, (i) => attempt(host, impossible, elsewhere(i))))).toEqual({
      401: 30,
    })
    expect((await attempt(host, codeOf(host, secret), elsewhere(99))).status).toBe(200)
  })
})

describe('the support desk', () => {
  const locked = async () => {
    const user = await start({ throttle: { secondFactorTotal: 5 } })
    await statusesOf(6, () => user.guess(home))
    expect((await attempt(user.host, codeOf(user.host, user.secret), home)).status).toBe(429)
    return user
  }
  const in_ = async (host: TestHost, code?: string) => (await attempt(host, code, home)).status

  it('lets the user try again by unlocking the login', async () => {
    const { host, secret } = await locked()
    await host.auth.unlockLogin({ kind: 'username', value: 'alice' })
    expect(await in_(host, codeOf(host, secret))).toBe(200)
  })

  it('lets the user in without a factor by resetting it, and the next factor begins anew', async () => {
    const { host, secret } = await locked()
    await host.auth.secondFactors.reset('u-alice')
    expect(await in_(host)).toBe(200)
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret })
    host.clock.advance(30)
    expect(await in_(host, codeOf(host, secret))).toBe(200)
  })
})
