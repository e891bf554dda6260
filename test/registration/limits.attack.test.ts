// Floods of registrations: what they cost the mailboxes, the store and the logins of others.
import { expect, it } from 'vitest'
import { logIn, post } from '../support/client.js'
import { gatedHasher } from '../support/gated-hasher.js'
import { behindProxy, from, statusesOf, tally } from '../support/guessing.js'
import { cheapHasher } from '../support/host.js'
import { confirm, register, registered, startRegistration } from './registration-host.js'

it('a flood of registrations stores and mails as much as the limits allow, and hashes nothing', async () => {
  let hashed = 0
  const passwords = {
    ...cheapHasher,
    hash: (plain: string) => {
      hashed += 1
      return cheapHasher.hash(plain)
    },
  }
  const host = await startRegistration({ ...behindProxy, options: { passwords } })
  const { proofs } = host.stores
  let rows = 0
  const { save } = proofs
  proofs.save = async (proof) => {
    await save(proof)
    rows += 1
  }
  const ask = (i: number) =>
    register(host, { username: `n${i}`, email: `n${i}@example.com` }, from(`10.0.${i % 10}.1`))
  expect(tally(await statusesOf(1000, ask))).toEqual({ 202: 200, 429: 800 })
  const sent = await host.mailed('register')
  expect([hashed, rows, sent.length]).toEqual([0, expect.any(Number), 200])
  // One of them is the row with which the store is seen to keep all members.
  expect(rows).toBeLessThanOrEqual(202)
  host.clock.advance(3601)
  expect(await proofs.purge(host.clock())).toBeGreaterThanOrEqual(200)
})

it('tries to register are bounded before anything is asked elsewhere', async () => {
  let asked = 0
  const host = await startRegistration({
    ...behindProxy,
    accounts: {
      beforeRegister: () => {
        asked += 1
        return 'Not now.'
      },
    },
  })
  const ask = (i: number) => register(host, { username: `n${i}` }, from('10.0.0.1'))
  expect(tally(await statusesOf(130, ask))).toEqual({ 403: 100, 429: 30 })
  expect(asked).toBe(100)
  await register(host, {}, from('10.0.0.2')).expect(403)
})

it.each([
  ['victim@example.com', 'register'],
  ['alice@example.com', 'address-taken'],
] as const)(
  'a mail bomb is three mails in a quarter of an hour, ten a day: %s',
  async (email, kind) => {
    // The limits of an address are over, again and again; that of a day is not.
    const mail = { address: { points: 1000, duration: 900 } }
    const [host, overADay] = [
      await startRegistration(behindProxy),
      await startRegistration({ ...behindProxy, options: { throttle: { mail } } }),
    ]
    const bomb = (at: typeof host) => (i: number) =>
      register(at, { email, username: `n${i}` }, from(`10.0.${i}.1`))
    // Each from a network of its own: nobody is refused, and nobody is mailed.
    expect(tally(await statusesOf(30, bomb(host)))).toEqual({ 202: 30 })
    expect(await host.mailed(kind)).toHaveLength(3)
    expect(tally(await statusesOf(30, bomb(overADay)))).toEqual({ 202: 30 })
    expect(await overADay.mailed(kind)).toHaveLength(10)
  },
)

it('strangers who register an address keep its owner from no new password', async () => {
  const host = await startRegistration(behindProxy)
  const email = 'alice@example.com'
  for (let i = 0; i < 5; i += 1) await register(host, { email }, from(`10.0.${i}.1`))
  await post(host, '/auth/password/forgot', { email }, from('10.1.0.1')).expect(202)
  expect(await host.mailed('reset-password')).toHaveLength(1)
})

it('confirmations of one network let a login of another have its turn', async () => {
  const passwords = gatedHasher()
  const host = await startRegistration({ ...behindProxy, options: { passwords } })
  host.users.change('u-alice', { passwordHash: 'hash of right' })
  const asked = []
  for (let i = 0; i < 8; i += 1)
    asked.push(await registered(host, { username: `n${i}`, email: `n${i}@example.com` }))
  const flood = asked.map((mine, i) =>
    confirm(host, { ...mine, password: `new phrase of number ${i}` }, from('10.0.0.1')).then(
      ({ status }) => status,
    ),
  )
  await expect.poll(() => host.auth.stats().passwords.waiting).toBe(7)
  const login = post(
    host,
    '/login',
    { username: 'alice', password: 'right' },
    from('10.9.0.1'),
  ).then(({ status }) => status)
  await expect.poll(() => host.auth.stats().passwords.waiting).toBe(8)
  for (let i = 0; i < 3; i += 1) {
    passwords.finishOne()
    await expect.poll(() => passwords.begun.length).toBe(i + 2)
  }
  expect(passwords.begun.indexOf('right')).toBeLessThanOrEqual(2)
  passwords.openUp()
  expect(await login).toBe(200)
  // Those that were too many for the queue have made room.
  expect([...new Set(await Promise.all(flood))].toSorted()).toEqual([200, 503])
})

it('wrong codes are limited by network, and a right one works even so', async () => {
  const host = await startRegistration({
    ...behindProxy,
    options: { throttle: { endpoints: { points: 10, duration: 900 } } },
  })
  const mine = await registered(host)
  const guess = () =>
    confirm(host, { requestId: 'A'.repeat(43), code: '12345678' }, from('10.0.0.1'))
  expect(tally(await statusesOf(14, guess))).toEqual({ 400: 10, 429: 4 })
  await confirm(host, mine, from('10.0.0.1')).expect(200)
  await logIn(host, { username: 'Ada', password: 'a phrase that nobody else has typed' })
})
