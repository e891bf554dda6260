// Numbers and their owners.
import { describe, expect, it } from 'vitest'
import { asAlice } from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import {
  changeTo,
  codeFor,
  number,
  otherNumber,
  type PhoneHost,
  signIn,
  startPhones,
} from './phone-host.js'

const day = 24 * 60 * 60
const bob = { id: 'u-bob', username: 'bob', passwordHash, email: 'bob@example.com' }

async function asBob(host: PhoneHost) {
  const { authToken } = await logIn(host, { username: 'bob', password })
  const headers = { Authorization: `Bearer ${authToken as string}` }
  return { headers, post: (path: string, body: object = {}) => post(host, path, body, headers) }
}

describe('somebody who has the number of another user by now', () => {
  it('is not signed in after 181 days', async () => {
    const host = await startPhones({
      now: new Date(Math.ceil(Date.now() / 2592e6) * 2592e6 + 1000),
    })
    const alice = await asAlice(host)
    await alice.post('/logout')
    host.clock.advance(200 * day)
    await signIn(host, await codeFor(host)).expect(403)
  })

  it('is not signed in by the token of a program that its owner has made eight months ago', async () => {
    const host = await startPhones({ options: { namedTokens: true } })
    await host.auth.namedTokens.create({
      userId: 'u-alice',
      name: 'bot',
      scope: ['messages:write'],
      expiresIn: 365 * day,
    })
    host.clock.advance(250 * day)
    await signIn(host, await codeFor(host)).expect(403)
  })

  it('is not signed in because a support desk acts for its owner', async () => {
    const host = await startPhones()
    host.clock.advance(800 * day)
    await host.auth.sessions.open({
      userId: 'u-alice',
      actor: { id: 'support:ada', reason: 'a lost number' },
      lifetime: 3600,
    })
    await signIn(host, await codeFor(host)).expect(403)
  })
})

describe('a claim', () => {
  it('is over when its owner has proven the number, where no code signs in', async () => {
    const host = await startPhones({ phones: { signIn: false, secondFactor: false } })
    host.users.add(bob)
    const first = await changeTo(host, number, asBob(host))
    await first.user.post('/auth/phone/confirm', first.given).expect(409)
    const alice = await asAlice(host)
    const { body } = await alice.post('/auth/phone/verify').expect(202)
    const { code } = (await host.texted()).at(-1) ?? {}
    await alice.post('/auth/phone/confirm', { ...body.data, code }).expect(200)
    await alice.post('/auth/phone/verify').expect(409)
    host.clock.advance(3 * day)
    const second = await changeTo(host, number, asBob(host))
    await second.user.post('/auth/phone/confirm', second.given).expect(409)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number })
  })
})

describe('a namesake', () => {
  it('whose user name is the number of another user keeps that user from no code', async () => {
    const host = await startPhones()
    await logIn(host)
    const rows = [...host.users.rows.entries()]
    host.users.rows.clear()
    host.users.add({ id: 'u-namesake', username: number })
    for (const [id, row] of rows) host.users.rows.set(id, row)
    await signIn(host, await codeFor(host)).expect(200)
  })
})

describe('a deleted account', () => {
  it('leaves no row with its number', async () => {
    const host = await startPhones({
      accounts: { deletion: true } as never,
      alice: { phone: null, phoneVerified: false },
    })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    const { body } = await user.post('/auth/account/delete', { password })
    const code = (await host.mailed('confirm-deletion')).at(-1)?.code
    await user.post('/auth/account/delete/confirm', { ...body.data, code })
    const left = await host.stores.proofs.list('phone-added' as never, 'u-alice', host.clock())
    expect(host.users.rows.has('u-alice')).toBe(false)
    expect(left).toEqual([])
  })
})

describe('a change of the number', () => {
  it('reads the number in the body, whatever Object.prototype has', async () => {
    const host = await startPhones()
    const alice = await asAlice(host)
    Object.defineProperty(Object.prototype, 'email', { value: otherNumber, configurable: true })
    try {
      await alice.post('/auth/phone/change', { phone: '+4917133333333', password }).expect(202)
    } finally {
      delete (Object.prototype as { email?: string }).email
    }
    expect((await host.texted()).map(({ to }) => to)).toEqual(['+4917133333333'])
  })
})
