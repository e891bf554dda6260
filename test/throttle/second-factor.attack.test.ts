import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, startHost, totpSecret } from '../support/host.js'

/**
 * A host behind a proxy whose alice has a second factor, and is guessed at from a new address each
 * time.
 */
async function start() {
  let vetoed = false
  let broken = false
  const host = await startHost({
    before: (app) => void app.set('trust proxy', 1),
    options: {
      beforeLogin() {
        if (broken) throw new Error('the hook is down')
        return vetoed ? 'Not now.' : undefined
      },
    },
  })
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  let address = 0
  const attempt = async (code?: string) => {
    address += 1
    const body = { username: 'alice', password, ...(code === undefined ? {} : { code }) }
    const response = await post(host, '/login', body, { 'X-Forwarded-For': `203.0.113.${address}` })
    return response.status === 200 ? 'in' : (response.body.error as string)
  }
  const guesses = async (count: number) => {
    const answers: string[] = []
    for (let i = 0; i < count; i += 1) answers.push(await attempt('wrong'))
    return answers
  }
  const right = () => {
    host.clock.advance(30)
    return attempt(totpCode(totpSecret, host.clock()))
  }
  const veto = (on: boolean) => {
    vetoed = on
  }
  const breakHook = (on: boolean) => {
    broken = on
  }
  return { host, attempt, guesses, right, veto, break: breakHook }
}

const wrong = (count: number) => Array<string>(count).fill('totp-invalid')

describe('wrong second-factor codes', () => {
  it('are counted for their user over all addresses', async () => {
    const { host, guesses, right } = await start()
    expect(await guesses(12)).toEqual([...wrong(10), 'too-many-requests', 'too-many-requests'])
    expect(await right()).toBe('too-many-requests')
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'second-factor' })
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null,
    })
    await host.auth.secondFactors.importTotp({ userId: 'u-bob', secret: totpSecret })
    const bob = await post(host, '/login', { username: 'bob', password, code: 'wrong' })
    expect(bob.body.error).toBe('totp-invalid')
  })

  it('are none of the right ones whose sign-in the host could not decide', async () => {
    const { right, break: breakHook } = await start()
    breakHook(true)
    for (let i = 0; i < 12; i += 1) expect(await right()).toBe('temporarily-unavailable')
    breakHook(false)
    expect(await right()).toBe('in')
  })

  it('are neither forgotten nor joined by a right code whose sign-in the host then refuses', async () => {
    const { guesses, right, veto } = await start()
    expect(await guesses(9)).toEqual(wrong(9))
    veto(true)
    expect(await right()).toBe('forbidden')
    veto(false)
    expect(await guesses(2)).toEqual([...wrong(1), 'too-many-requests'])
  })

  it('are not forgotten for a right password, nor for what a session that is signed in does', async () => {
    const { host, attempt, guesses } = await start()
    const { authToken } = await logIn(host, {
      username: 'alice',
      password,
      code: totpCode(totpSecret, host.clock()),
    })
    expect(await guesses(10)).toEqual(wrong(10))
    expect(await attempt()).toBe('totp-required')
    const { codeChallenge } = pkcePair()
    expect(
      (await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))).status,
    ).toBe(200)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect((await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).status).toBe(
      200,
    )
    expect(await guesses(1)).toEqual(['too-many-requests'])
  })

  it('are not forgotten for a login at a moment when the user has no second factor', async () => {
    const { host, attempt, guesses } = await start()
    expect(await guesses(10)).toEqual(wrong(10))
    const { find } = host.stores.secondFactors
    host.stores.secondFactors.find = async () => null
    expect(await attempt()).toBe('in')
    host.stores.secondFactors.find = find
    expect(await guesses(1)).toEqual(['too-many-requests'])
  })

  it(
    'for a seed that waits are counted apart: a stolen session does not use up what its user ' +
      'has for logins',
    async () => {
      const host = await startHost()
      const { authToken } = await logIn(host)
      await post(host, '/auth/totp', { password }, bearer(authToken))
      const statuses: number[] = []
      for (let i = 0; i < 11; i += 1) {
        const { status, headers } = await post(
          host,
          '/auth/totp/confirm',
          { code: '000000' },
          bearer(authToken),
        )
        expect(headers).toMatchObject({
          'ratelimit-limit': '10',
          'ratelimit-remaining': String(Math.max(0, 9 - i)),
        })
        statuses.push(status)
        if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(3500)
      }
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
      expect(host.events.at(-1)).toMatchObject({
        type: 'login.throttled',
        scope: 'enrolment',
        userId: 'u-alice',
      })
      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      const body = { username: 'alice', password, code: totpCode(totpSecret, host.clock()) }
      expect((await post(host, '/login', body)).status).toBe(200)
    },
  )

  it('are forgotten after a complete two-factor login', async () => {
    const { guesses, right } = await start()
    expect(await guesses(9)).toEqual(wrong(9))
    expect(await right()).toBe('in')
    expect(await guesses(11)).toEqual([...wrong(10), 'too-many-requests'])
  })
})
