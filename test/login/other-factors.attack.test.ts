import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type AuthRouterOptions, createAuthRouter, type OtherFactor } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  disabling,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  noon,
  wrongCode,
} from '../support/two-factor.js'

/** A mail server of the host's: codes live ten minutes and work once. */
function mailFactor(name = 'email') {
  const enabled = new Set<string>(['u-alice'])
  const mails: { to: string; code: string }[] = []
  const good = new Map<string, string>()
  let verified = 0
  const factor: OtherFactor = {
    name,
    isEnabled: async ({ id }) => enabled.has(id),
    async sendCode({ id }) {
      const code = String(700_000 + mails.length)
      mails.push({ to: id, code })
      good.set(id, code)
    },
    async verify({ id }, code) {
      verified += 1
      if (good.get(id) !== code) return { outcome: 'refused' }
      good.delete(id)
      return { outcome: 'accepted' }
    },
  }
  return { factor, enabled, mails, count: () => verified }
}

async function withMail(options: Partial<AuthRouterOptions> = {}) {
  const mail = mailFactor()
  const host = await startHost({ now: noon, options: { otherFactors: [mail.factor], ...options } })
  const lastCode = () => mail.mails.at(-1)?.code as string
  return { host, mail, lastCode }
}

/** The same with TOTP as well. */
async function withBoth() {
  const given = await withMail()
  given.mail.enabled.clear()
  const { authToken: token } = await logIn(given.host)
  const secret = await begin(given.host, token)
  await confirm(given.host, token, secret)
  given.host.clock.advance(30)
  given.mail.enabled.add('u-alice')
  return { ...given, token, secret }
}

describe('a factor of the host’s', () => {
  it('is asked for when the password was right: one mail, and the answer says that it went out', async () => {
    const { host, mail } = await withMail()
    const asked = await attempt(host)
    expectAnswer(asked, 401, 'totp-required')
    expect(asked.body.details).toEqual({
      method: 'email',
      codeGenerated: true,
      availableMethods: ['email'],
    })
    expect(mail.mails).toHaveLength(1)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'second-factor.code-sent',
        userId: 'u-alice',
        method: 'email',
      }),
    )
    expect(host.events.some(({ type }) => type === 'session.started')).toBe(false)
    expectNoSecrets(host)
  })

  it('lets its code in once, as a second factor that was shown', async () => {
    const { host, mail, lastCode } = await withMail()
    await attempt(host)
    const code = lastCode()
    const answer = await attempt(host, code)
    expectAnswer(answer, 200)
    expect(host.events.at(-1)).toMatchObject({ type: 'login.succeeded', methods: ['pwd', 'otp'] })
    const again = await attempt(host, code)
    expectAnswer(again, 401, 'totp-invalid')
    expect(again.body.details).toEqual({
      method: 'email',
      codeGenerated: false,
      availableMethods: ['email'],
    })
    expect(mail.mails).toHaveLength(1)
    const pkce = await post(
      host,
      '/auth/pkce/token',
      await obtainCode(host, answer.body.data.authToken),
    )
    expectAnswer(await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token }), 200)
    await attempt(host)
    await expectUnharmed(host, lastCode())
  })

  it('is neither asked nor used by a wrong password', async () => {
    const { host, mail, lastCode } = await withMail()
    await attempt(host)
    const wrong = { username: 'alice', password: 'wrong' }
    expectAnswer(await post(host, '/login', wrong), 401, 'Unauthorized')
    expectAnswer(await post(host, '/login', { ...wrong, code: lastCode() }), 401, 'Unauthorized')
    expect([mail.mails.length, mail.count()]).toEqual([1, 0])
    await expectUnharmed(host, lastCode())
  })

  it('floods no mailbox: what is sent counts like a guess, ten in an hour', async () => {
    const { host, mail } = await withMail()
    const statuses: number[] = []
    for (let i = 0; i < 15; i += 1) statuses.push((await attempt(host)).status)
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
    expect(mail.mails).toHaveLength(10)
    mail.enabled.clear()
    await expectUnharmed(host, undefined)
  })

  it('is guessed at ten times in an hour, mails included', async () => {
    const { host, mail } = await withMail()
    await attempt(host)
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => attempt(host, `60000${i % 10}`)),
    )
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(9)
    expect(mail.count()).toBeLessThanOrEqual(9)
    mail.enabled.clear()
    await expectUnharmed(host, undefined)
  })

  it(
    'is not asked at a door that takes no code: no mail for a refresh, an exchange or an ' +
      'authorization',
    async () => {
      const { host, mail, lastCode } = await withMail()
      mail.enabled.clear()
      const { authToken } = await logIn(host)
      const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
      const code = await obtainCode(host, authToken)
      mail.enabled.add('u-alice')
      for (let i = 0; i < 12; i += 1) {
        expectAnswer(
          await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token }),
          400,
          'invalid_grant',
        )
      }
      expectAnswer(await post(host, '/auth/pkce/token', code), 400, 'invalid_grant')
      const { codeChallenge } = pkcePair()
      const refused = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
      expectAnswer(refused, 401, 'totp-required')
      expect(refused.body.details).toEqual({
        method: 'email',
        codeGenerated: false,
        availableMethods: ['email'],
      })
      expect(mail.mails).toEqual([])
      await attempt(host)
      await expectUnharmed(host, lastCode())
    },
  )

  it('is asked for by the host’s own sign-in page too', async () => {
    const { host, mail, lastCode } = await withMail()
    const { codeChallenge, codeVerifier } = pkcePair()
    await expect(
      host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }),
    ).rejects.toMatchObject({
      code: 'totp-required',
      details: { method: 'email', codeGenerated: true, availableMethods: ['email'] },
    })
    expect(mail.mails).toHaveLength(1)
    const issued = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      code: lastCode(),
    })
    const { authorizationCode } = issued
    expectAnswer(await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier }), 200)
  })

  it('beside TOTP waits for its turn: TOTP is asked for, nothing is sent, either code is good', async () => {
    const { host, mail, secret } = await withBoth()
    const details = {
      method: 'totp',
      codeGenerated: false,
      availableMethods: ['totp', 'email', 'recovery'],
    }
    const asked = await attempt(host)
    expectAnswer(asked, 401, 'totp-required')
    expect(asked.body.details).toEqual(details)
    expect(mail.mails).toEqual([])
    expect((await attempt(host, wrongCode(host, secret))).body.details).toEqual(details)
    await mail.factor.sendCode?.({ id: 'u-alice' } as never)
    expectAnswer(await attempt(host, mail.mails[0]?.code), 200)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('is no proof of TOTP: it does not switch that off', async () => {
    const { host, mail, token, secret } = await withBoth()
    await mail.factor.sendCode?.({ id: 'u-alice' } as never)
    expectAnswer(
      await change(host, disabling, token, mail.mails[0]?.code as string),
      401,
      'totp-invalid',
    )
    expect(mail.count()).toBe(0)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('of two is offered a code that the first has refused, and not one that the first has taken', async () => {
    const [first, second] = [mailFactor('sms'), mailFactor('email')]
    const host = await startHost({ options: { otherFactors: [first.factor, second.factor] } })
    const asked = await attempt(host)
    expect(asked.body.details).toEqual({
      method: 'sms',
      codeGenerated: true,
      availableMethods: ['sms', 'email'],
    })
    expect([first.mails.length, second.mails.length]).toEqual([1, 0])
    expectAnswer(await attempt(host, first.mails[0]?.code), 200)
    expect(second.count()).toBe(0)
    await second.factor.sendCode?.({ id: 'u-alice' } as never)
    expectAnswer(await attempt(host, second.mails[0]?.code), 200)
  })
})

const liars: [string, keyof OtherFactor & string, () => unknown][] = (
  ['isEnabled', 'verify', 'sendCode'] as const
).flatMap((method): [string, keyof OtherFactor & string, () => unknown][] => [
  ['throws', method, () => fail()],
  ['rejects', method, () => Promise.reject(new Error('smtp: password=hunter2'))],
  ['hangs', method, () => new Promise(() => {})],
])

function fail(): never {
  throw new Error('smtp: password=hunter2')
}

const nonsense: [string, keyof OtherFactor & string, () => unknown][] = [
  ...[undefined, null, 'yes', 'false', 1, 0, {}, []].map(
    (answer): [string, 'isEnabled', () => unknown] => [
      `answers ${JSON.stringify(answer)}`,
      'isEnabled',
      async () => answer,
    ],
  ),
  ...[
    undefined,
    null,
    true,
    'accepted',
    {},
    { outcome: true },
    { outcome: 'yes' },
    ['accepted'],
  ].map((answer): [string, 'verify', () => unknown] => [
    `answers ${JSON.stringify(answer)}`,
    'verify',
    async () => answer,
  ]),
]

describe('a factor of the host’s that is broken', () => {
  it.each([...liars, ...nonsense])(
    '%s in %s: 503, never 200, and as ever once it is mended',
    async (_what, method, lie) => {
      const { factor, mails } = mailFactor()
      const good = { ...factor }
      const parts = { ...factor } as Record<string, unknown>
      const lying: OtherFactor = {
        name: 'email',
        isEnabled: (user) => (parts['isEnabled'] as typeof good.isEnabled)(user),
        verify: (user, code) => (parts['verify'] as typeof good.verify)(user, code),
        sendCode: (user) => (parts['sendCode'] as (one: unknown) => Promise<void>)(user),
      }
      const host = await startHost({ options: { otherFactors: [lying], storeTimeout: 200 } })
      parts[method] = lie
      const answer = method === 'sendCode' ? await attempt(host) : await attempt(host, '123456')
      expectAnswer(answer, 503, 'temporarily-unavailable')
      expect(host.events).toContainEqual(
        expect.objectContaining({ type: 'host.failed', operation: `email.${method}` }),
      )
      expect(host.events.some(({ type }) => type === 'session.started')).toBe(false)
      Object.assign(parts, good)
      await attempt(host)
      await expectUnharmed(host, mails.at(-1)?.code, 'hunter2')
    },
  )
})

describe('the option otherFactors', () => {
  const { factor } = mailFactor()
  const build = (otherFactors: unknown, host: TestHost) => () =>
    createAuthRouter({
      ...host.stores,
      users: host.users,
      signer: signerOf(),
      otherFactors,
      encryptionKeys: key,
    } as never)
  const key = [randomBytes(32).toString('base64')]
  const signerOf = () => ({ sign: async () => '', verify: async () => ({}) })

  it.each([
    ['an upper-case name', [{ ...factor, name: 'Email' }]],
    ['a blank in the name', [{ ...factor, name: 'e mail' }]],
    ['an empty name', [{ ...factor, name: '' }]],
    ['no name', [{ ...factor, name: undefined }]],
    ['a name of ours', [{ ...factor, name: 'totp' }]],
    ['the other name of ours', [{ ...factor, name: 'recovery' }]],
    ['one name twice', [factor, { ...factor }]],
    ['no verify', [{ ...factor, verify: undefined }]],
    ['no isEnabled', [{ ...factor, isEnabled: 'yes' }]],
    ['a sendCode that is no function', [{ ...factor, sendCode: 'yes' }]],
    ['nothing in the list', [undefined]],
    ['null in the list', [null]],
    ['no list', factor],
  ])('is refused at once with %s', async (_what, otherFactors) => {
    const host = await startHost()
    expect(build(otherFactors, host)).toThrow(
      expect.objectContaining({
        name: 'AuthConfigError',
        option: expect.stringMatching(/^otherFactors/),
      }),
    )
  })

  it('works without a store for second factors', async () => {
    const { host, lastCode } = await withMail({ secondFactors: undefined as never })
    expect((await attempt(host)).body.details.availableMethods).toEqual(['email'])
    const { authToken } = await logIn(host, { username: 'alice', password, code: lastCode() })
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})
