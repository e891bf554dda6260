// Floods of requests for mail, and guesses at the codes in them.
import { expect, it } from 'vitest'
import { bearer, headersOf, logIn, post } from '../support/client.js'
import { behindProxy, from } from '../support/guessing.js'
import { password } from '../support/host.js'
import { asAlice, newPassword, startAccounts, tokenFor } from './account-host.js'

const noLimit = { points: 1_000_000, duration: 86_400 }

const addressOf = (i: number) =>
  from(`10.${Math.floor(i / 65_536)}.${Math.floor(i / 256) % 256}.${i % 256}`)

it('a mail bomb is three mails in a quarter of an hour, whatever the name and the network', async () => {
  const host = await startAccounts(behindProxy)
  const names = [
    { username: 'alice' },
    { email: 'alice@example.com' },
    { user: 'u-alice' },
    { user: 'alice' },
  ]
  const statuses = new Set<number>()
  for (let i = 0; i < 300; i += 1) {
    const answer = await post(host, '/auth/password/forgot', names[i % 4], addressOf(i % 100))
    statuses.add(answer.status)
  }
  // Each network has asked for one name three times.
  expect([...statuses]).toEqual([202])
  expect(await host.mailed('reset-password')).toHaveLength(3)
})

it('a network asks for twenty mails an hour, for whomever', async () => {
  const host = await startAccounts(behindProxy)
  const statuses: number[] = []
  for (let i = 0; i < 22; i += 1)
    statuses.push(
      (await post(host, '/auth/password/forgot', { username: `nobody-${i}` }, addressOf(1))).status,
    )
  expect(statuses).toEqual([...Array(20).fill(202), 429, 429])
})

it('so does a /64 of IPv6; its /56 asks for twice, and its /48 for four times as many', async () => {
  const host = await startAccounts(behindProxy)
  const askedFrom = async (network: string, times: number) => {
    const statuses = new Map<number, number>()
    for (let i = 0; i < times; i += 1) {
      const name = { username: `nobody-${network}-${i}` }
      const address = from(`2001:db8:1:${network}::${i + 1}`)
      const { status } = await post(host, '/auth/password/forgot', name, address)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    return Object.fromEntries(statuses)
  }
  expect(await askedFrom('1', 25)).toEqual({ 202: 20, 429: 5 })
  expect(await askedFrom('2', 25)).toEqual({ 202: 20, 429: 5 })
  expect(await askedFrom('3', 5)).toEqual({ 429: 5 })
  expect(await askedFrom('100', 25)).toEqual({ 202: 20, 429: 5 })
  expect(await askedFrom('200', 25)).toEqual({ 202: 20, 429: 5 })
  expect(await askedFrom('300', 5)).toEqual({ 429: 5 })
})

it('of ten links a day, strangers can use up seven; the owner, support and unlocking have the rest', async () => {
  const short = { throttle: { mail: { address: { points: 1000, duration: 1 } } } }
  const host = await startAccounts({ ...behindProxy, options: short })
  await post(host, '/login', { username: 'alice', password }, addressOf(0)).expect(200)
  const ask = (i: number) =>
    post(host, '/auth/password/forgot', { username: 'alice' }, addressOf(i)).expect(202)
  const mailed = async () => (await host.mailed('reset-password')).length
  for (let i = 1; i <= 20; i += 1) await ask(i)
  expect(await mailed()).toBe(7)
  for (let i = 0; i < 5; i += 1) await ask(0)
  expect(await mailed()).toBe(10)
  expect(await host.auth.accounts.sendPasswordReset('u-alice', { by: 'support:ada' })).toBe(true)
  expect(await mailed()).toBe(11)
  await host.auth.unlockLogin({ kind: 'username', value: 'alice' })
  for (let i = 21; i <= 23; i += 1) await ask(i)
  expect(await mailed()).toBe(14)
})

it('three requests of a stranger with a name refuse nobody elsewhere', async () => {
  const host = await startAccounts(behindProxy)
  const statuses: number[] = []
  for (const network of [1, 1, 1, 1, 2])
    statuses.push(
      (await post(host, '/auth/password/forgot', { username: 'alice' }, addressOf(network))).status,
    )
  expect(statuses).toEqual([202, 202, 202, 429, 202])
})

it('the limit of a name is the same for a name that nobody has', async () => {
  const host = await startAccounts(behindProxy)
  const answersFor = async (username: string, network: number) => {
    const answers = []
    for (let i = 0; i < 5; i += 1) {
      const answer = await post(host, '/auth/password/forgot', { username }, addressOf(network))
      const told = JSON.stringify([answer.status, headersOf(answer), answer.text])
      // A second may pass between the two names.
      answers.push(told.replaceAll(/\b899\b/g, '900'))
    }
    return answers
  }
  expect(await answersFor('nobdy', 100)).toEqual(await answersFor('alice', 200))
})

it('known, unknown, disabled, unproven and password-less names are answered with the same bytes', async () => {
  const host = await startAccounts(behindProxy)
  host.users.add({ id: 'u-off', username: 'off', disabled: true, emailVerified: true })
  host.users.add({ id: 'u-new', username: 'new', emailVerified: false })
  host.users.add({ id: 'u-none', username: 'none', email: null })
  const answers = new Set<string>()
  for (const [i, username] of ['alice', 'nobody', 'off', 'new', 'none'].entries()) {
    const answer = await post(host, '/auth/password/forgot', { username }, addressOf(i))
    answers.add(JSON.stringify([answer.status, headersOf(answer), answer.text]))
  }
  expect(answers.size).toBe(1)
  expect((await host.mailed('reset-password')).map(({ to }) => to)).toEqual(['alice@example.com'])
})

it('the answer comes before the user is looked up: also while the user store is slow or down', async () => {
  const host = await startAccounts()
  let asked = 0
  const real = host.users.findByIdentifier
  host.users.findByIdentifier = () => {
    asked += 1
    return new Promise(() => {})
  }
  await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
  await expect.poll(() => asked).toBe(1)
  host.users.findByIdentifier = async () => {
    throw new Error('down')
  }
  await post(host, '/auth/password/forgot', { username: 'bob' }).expect(202)
  await expect
    .poll(() => host.events)
    .toContainEqual(expect.objectContaining({ type: 'host.failed' }))
  host.users.findByIdentifier = real
  expect(await tokenFor(host)).toMatch(/^mar_pr_/)
})

it('work that piles up is refused before the answer, and keeps no notice from an owner', async () => {
  const mail = { network: noLimit }
  const host = await startAccounts({ options: { storeTimeout: 60_000, throttle: { mail } } })
  const alice = await asAlice(host)
  let release = () => {}
  const held = new Promise<null>((resolve) => {
    release = () => resolve(null)
  })
  host.users.findByIdentifier = () => held
  const ask = (name: string) => post(host, '/auth/password/forgot', { username: name })
  for (let i = 0; i < 1000; i += 20)
    await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`nobody-${i + n}`).expect(202)))
  await ask('one-more').expect(503)
  await alice.post('/auth/password/change', { newPassword, password }).expect(200)
  const told = () => host.mails.map(({ kind }) => kind)
  await expect.poll(told).toContain('password-changed')
  release()
})

it('five codes of a proof are judged, and thirty of an account and day', async () => {
  const host = await startAccounts({
    options: {
      throttle: {
        mail: {
          address: { points: 1000, duration: 900 },
          account: { points: 1000, duration: 900 },
        },
      },
    },
  })
  const alice = await asAlice(host)
  const statuses: number[] = []
  for (let proof = 0; proof < 8; proof += 1) {
    const { body } = await alice
      .post('/auth/email/change', { email: `new${proof}@example.org`, password })
      .expect(202)
    for (let guess = 0; guess < 7; guess += 1) {
      const { requestId } = body.data
      statuses.push((await alice.post('/auth/email/confirm', { requestId, code: '1' })).status)
    }
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(30)
  expect(statuses.filter((status) => status === 429)).toHaveLength(26)
  const reasons = host.events.flatMap((event) =>
    event.type === 'proof.refused' ? event.reason : [],
  )
  expect(reasons.filter((reason) => reason === 'wrong-code').length).toBeLessThanOrEqual(25)
  // The session lives on, and the account signs in.
  await alice.get('/me').expect(200)
  await asAlice(host)
})

it('a code works only in the session that has asked for it', async () => {
  const host = await startAccounts()
  const [here, there] = [await asAlice(host), await asAlice(host)]
  const { body } = await here
    .post('/auth/email/change', { email: 'new@example.org', password })
    .expect(202)
  const code = (await host.mailed('change-address'))[0]?.code ?? ''
  const { requestId } = body.data
  await there.post('/auth/email/confirm', { requestId, code }).expect(400)
  await here.post('/auth/email/confirm', { requestId, code }).expect(200)
})

it('of two changes under way one wins, and the other is told', async () => {
  const host = await startAccounts()
  const [here, there] = [await asAlice(host), await asAlice(host)]
  const ask = async (who: typeof here, email: string) => {
    const { body } = await who.post('/auth/email/change', { email, password }).expect(202)
    const code = (await host.mailed('change-address')).find(({ to }) => to === email)?.code ?? ''
    return { requestId: body.data.requestId, code }
  }
  const one = await ask(here, 'one@example.org')
  const two = await ask(there, 'two@example.org')
  const answers = await Promise.all([
    here.post('/auth/email/confirm', one),
    there.post('/auth/email/confirm', two),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(['one@example.org', 'two@example.org']).toContain(host.users.rows.get('u-alice')?.email)
})

it('an address that somebody has taken meanwhile is refused like a wrong code', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const { body } = await alice
    .post('/auth/email/change', { email: 'new@example.org', password })
    .expect(202)
  const code = (await host.mailed('change-address'))[0]?.code ?? ''
  host.users.add({ id: 'u-bob', email: 'new@example.org' })
  const { requestId } = body.data
  const answer = await alice.post('/auth/email/confirm', { requestId, code }).expect(400)
  expect(answer.body.error).toBe('proof-refused')
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
})

it('notices do not use up the mails of a forgotten password', async () => {
  const host = await startAccounts()
  for (let i = 0; i < 4; i += 1) {
    const current = i === 0 ? password : `${newPassword} ${i - 1}`
    const { authToken } = await logIn(host, { username: 'alice', password: current })
    const body = { newPassword: `${newPassword} ${i}`, password: current }
    await post(host, '/auth/password/change', body, bearer(authToken)).expect(200)
  }
  expect(await host.mailed('password-changed')).toHaveLength(3)
  expect(await tokenFor(host)).toMatch(/^mar_pr_/)
})

it('a NUL in a new password is named by its field', async () => {
  const host = await startAccounts()
  const alice = await asAlice(host)
  const body = { newPassword: `${newPassword}\0`, password }
  const answer = await alice.post('/auth/password/change', body).expect(400)
  expect(answer.body.details.issues[0].path).toBe('newPassword')
})
