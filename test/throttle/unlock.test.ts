import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, logIn, post } from '../support/client.js'
import { from, guess, guessedAt, network, right, statusesOf } from '../support/guessing.js'
import { password, totpSecret } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const alice = { kind: 'username', value: 'alice' } as const
const home = '203.0.113.7'

describe('auth.unlockLogin', () => {
  it('lets networks that the user has never been in try again', async () => {
    const host = await guessedAt({ throttle: { unknownNetworks: { points: 3, duration: 86_400 } } })
    await statusesOf(3, (i) => guess(host, network(i)))
    expect((await right(host, network(9))).status).toBe(429)
    await host.auth.unlockLogin({ kind: 'username', value: 'ALICE' })
    expect((await right(host, network(9))).status).toBe(200)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'login.unlocked', userId: 'u-alice', ip: null }),
    )
  })

  it('ends the pause in the network it is told, however that is written, and in no other', async () => {
    const host = await guessedAt()
    for (const ip of [home, '198.51.100.1']) await statusesOf(5, () => guess(host, ip))
    await host.auth.unlockLogin(alice)
    expect((await right(host, home)).status).toBe(429)
    await host.auth.unlockLogin(alice, { ip: `::ffff:${home}` })
    expect((await right(host, home)).status).toBe(200)
    expect((await right(host, '198.51.100.1')).status).toBe(429)
  })

  it('begins the pauses anew at their shortest', async () => {
    const host = await guessedAt()
    await statusesOf(5, () => guess(host, home))
    await host.auth.unlockLogin(alice, { ip: home })
    await statusesOf(5, () => guess(host, home))
    expect((await right(host, home)).headers['retry-after']).toBe('900')
  })

  it(
    'forgets wrong second-factor codes, of logins and of an enrolment, and wrong passwords of a ' +
      'signed-in user',
    async () => {
      const host = await guessedAt()
      const { authToken } = await logIn(host)
      const begin = (word: string) =>
        post(host, '/auth/totp', { password: word }, { ...bearer(authToken), ...from(home) })
      const confirm = () => post(host, '/auth/totp/confirm', { code: '000000' }, bearer(authToken))
      expect((await begin(password)).status).toBe(200)
      expect((await statusesOf(11, confirm)).at(-1)).toBe(429)
      expect((await statusesOf(6, () => begin('wrong'))).at(-1)).toBe(429)
      await host.auth.unlockLogin(alice, { ip: home })
      expect((await confirm()).status).toBe(401)
      expect((await begin(password)).status).toBe(200)

      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      const code = (text: string) =>
        post(host, '/login', { username: 'alice', password, code: text }, from(home))
      expect((await statusesOf(11, () => code('wrong'))).at(-1)).toBe(429)
      await host.auth.unlockLogin(alice)
      expect((await code(totpCode(totpSecret, host.clock()))).status).toBe(200)
    },
  )

  it('unlocks a name that belongs to nobody as well, and leaves the ceiling of the network', async () => {
    const host = await guessedAt({ throttle: { network: { points: 5, duration: 900 } } })
    await statusesOf(5, () => guess(host, home, 'nobody'))
    await host.auth.unlockLogin({ kind: 'user', value: 'nobody' }, { ip: home })
    expect(host.events.at(-1)).toMatchObject({ type: 'login.unlocked', userId: null })
    expect((await guess(host, home, 'nobody')).status).toBe(429)
    expect(host.events.at(-1)).toMatchObject({ scope: 'network' })
  })

  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, undefined],
    ['a bare name', 'alice', undefined],
    ['a kind that there is not', { kind: 'phone', value: '1' }, undefined],
    ['an empty name', { kind: 'user', value: '' }, undefined],
    ['a network for an address', alice, { ip: '203.0.113.0/24' }],
    ['no text for an address', alice, { ip: 7 }],
  ])('rejects %s', async (_name, identifier, options) => {
    const host = await guessedAt()
    await expect(
      host.auth.unlockLogin(identifier as never, options as never),
    ).rejects.toMatchObject({ code: 'invalid-request' })
  })

  it(
    'rejects while the counters or the users are out of reach, and tells nobody that it was ' +
      'done',
    async () => {
      const limiter = (settings: ConstructorParameters<typeof RateLimiterMemory>[0]) =>
        Object.assign(memoryLimiter(settings), { delete: () => Promise.reject(new Error('down')) })
      const host = await guessedAt({ throttle: { limiter } })
      await expect(host.auth.unlockLogin(alice)).rejects.toMatchObject({
        code: 'temporarily-unavailable',
      })
      expect(host.events.map(({ type }) => type)).not.toContain('login.unlocked')
    },
  )
})
