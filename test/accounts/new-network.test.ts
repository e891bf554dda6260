// A user is told by mail of a sign-in from a network that is new to the account.
import { expect, it } from 'vitest'
import { bearer, logIn, post } from '../support/client.js'
import { behindProxy, from, guess, right } from '../support/guessing.js'
import { password } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { type AccountHost, type AccountSettings, startAccounts } from './account-host.js'
import { addPasskey, signInBy } from './passkey-host.js'

const home = '192.0.2.1'
const away = '198.51.100.7'

const start = (settings: AccountSettings = {}) => startAccounts({ ...behindProxy, ...settings })

const told = async (host: AccountHost) =>
  (await host.mailed('new-network')).map(({ because }) => because.ip)

it('the first sign-in is no news, one from another network is, and the next one there is not', async () => {
  const host = await start()
  await right(host, home).expect(200)
  await right(host, home).expect(200)
  expect(await told(host)).toEqual([])
  await right(host, away).expect(200)
  expect(await told(host)).toEqual([away])
  await right(host, away).expect(200)
  await right(host, home).expect(200)
  expect(await told(host)).toEqual([away])
  const [mail] = await host.mailed('new-network')
  expect(mail).toMatchObject({ to: 'alice@example.com', subject: 'A new sign-in at Messaging' })
  expect(mail?.text).toContain(away)
  expect(host.events).toContainEqual(
    expect.objectContaining({ type: 'login.new-network', userId: 'u-alice', ip: away }),
  )
})

it('it is told in the user’s language', async () => {
  const host = await start()
  host.users.change('u-alice', { locale: 'de' })
  await right(host, home).expect(200)
  await right(host, away).expect(200)
  const [mail] = await host.mailed('new-network')
  expect(mail?.subject).toBe('Eine neue Anmeldung bei Messaging')
})

it('a wrong password from elsewhere is no news, nor is a sign-in that lacks its second factor', async () => {
  const host = await start({ accounts: { emailSecondFactor: true } })
  await right(host, home).expect(200)
  host.users.change('u-alice', { emailFactor: true })
  await guess(host, away).expect(401)
  await right(host, away).expect(401)
  expect(await told(host)).toEqual([])
  const code = (await host.mailed('second-factor-code'))[0]?.code
  await post(host, '/login', { username: 'alice', password, code }, from(away)).expect(200)
  expect(await told(host)).toEqual([away])
})

it('of many sign-ins at once from a new network one is told', async () => {
  const host = await start()
  await right(host, home).expect(200)
  const answers = await Promise.all(Array.from({ length: 20 }, () => right(host, away)))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(1)
  expect(await told(host)).toEqual([away])
})

it('after all networks were forgotten none is news: whoever signs in next would be told of it', async () => {
  const host = await start()
  await right(host, home).expect(200)
  await host.auth.sessions.revokeAllForUser('u-alice')
  await right(host, away).expect(200)
  expect(await told(host)).toEqual([])
})

it('over counters of the host’s it is told once by two processes', async () => {
  const limiters = new Map<string, ReturnType<typeof memoryLimiter>>()
  const limiter: NonNullable<NonNullable<AccountSettings['options']>['throttle']>['limiter'] = (
    settings,
  ) => {
    const shared = limiters.get(settings.keyPrefix) ?? memoryLimiter(settings)
    limiters.set(settings.keyPrefix, shared)
    return shared
  }
  const one = await start({ options: { throttle: { limiter } } })
  const other = await start({
    options: { ...one.stores, users: one.users, throttle: { limiter } },
  })
  await right(one, home).expect(200)
  await Promise.all([one, other, one, other].map((host) => right(host, away)))
  expect([...(await told(one)), ...(await told(other))]).toEqual([away])
})

it.each([
  ['notices are off', { notices: false }],
  ['it is not among the notices', { notices: ['password-changed'] }],
] as const)('where %s, nothing is counted and nobody is told', async (_what, accounts) => {
  const host = await start({ accounts })
  await right(host, home).expect(200)
  await right(host, away).expect(200)
  expect(await host.mailed('new-network')).toEqual([])
  expect(host.events.map(({ type }) => type)).not.toContain('login.new-network')
})

it('a failing counter lets everybody in all the same', async () => {
  let isAway = false
  const host = await start({
    options: {
      throttle: {
        limiter: (settings) => {
          const real = memoryLimiter(settings)
          const consume = real.consume.bind(real)
          real.consume = async (...asked) => {
            if (isAway && settings.keyPrefix === 'mar-new-network') throw new Error('away')
            return consume(...asked)
          }
          return real
        },
      },
    },
  })
  await right(host, home).expect(200)
  isAway = true
  await right(host, away).expect(200)
  expect(await told(host)).toEqual([])
})

it('a proven address alone is told', async () => {
  const host = await start()
  host.users.change('u-alice', { emailVerified: false })
  await right(host, home).expect(200)
  await right(host, away).expect(200)
  expect(host.events.map(({ type }) => type)).toContain('login.new-network')
  expect(await told(host)).toEqual([])
  const { authToken } = await logIn(host)
  await post(host, '/auth/email/verify', {}, bearer(authToken)).expect(202)
})

it('a sign-in by passkey from a new network is told like one by password', async () => {
  const host = await start({ options: passkeyOptions() })
  const { body } = await right(host, home).expect(200)
  const passkey = await addPasskey(host, body.data.authToken)
  expect((await signInBy(host, passkey, from(home))).status).toBe(200)
  expect(await told(host)).toEqual([])
  for (let i = 0; i < 2; i += 1)
    expect((await signInBy(host, passkey, from(away))).status).toBe(200)
  expect(await told(host)).toEqual([away])
})
