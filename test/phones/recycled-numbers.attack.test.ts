// A number is given to somebody else some months after its owner has left it; and a thief may add
// his own.
import { describe, expect, it } from 'vitest'
import { newPassword, reset, tokenFor, undo } from '../accounts/account-host.js'
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

/** Bob, signed in, as `changeTo` takes him. */
async function asBob(host: PhoneHost) {
  const { authToken } = await logIn(host, { username: 'bob', password })
  const headers = { Authorization: `Bearer ${authToken as string}` }
  return { headers, post: (path: string, body: object = {}) => post(host, path, body, headers) }
}

describe('a code that went to a number', () => {
  it('signs nobody in alone who has not been here for half a year', async () => {
    const host = await startPhones()
    const asked = await codeFor(host)
    const { body } = await signIn(host, asked).expect(403)
    expect(body.error).toBe('reauthentication-required')
    await signIn(host, { ...asked, password: 'wrong' }).expect(401)
    await signIn(host, { ...asked, password }).expect(200)
    await signIn(host, await codeFor(host)).expect(200)
  })

  it('signs in who was here five months ago, in whatever way', async () => {
    const host = await startPhones()
    await logIn(host)
    host.clock.advance(150 * day)
    await signIn(host, await codeFor(host)).expect(200)
    host.clock.advance(220 * day)
    await signIn(host, await codeFor(host)).expect(403)
  })

  it('never sets a password, and sends no link for one', async () => {
    const host = await startPhones()
    await logIn(host)
    const { body } = await signIn(host, await codeFor(host)).expect(200)
    const headers = { Authorization: `Bearer ${body.data.authToken}` }
    await post(host, '/auth/password/change', { newPassword }, headers).expect(403)
    host.users.change('u-alice', { email: null })
    await post(host, '/auth/password/forgot', { user: number }).expect(202)
    expect(await host.mailed('reset-password')).toEqual([])
    expect((await host.texted()).map(({ kind }) => kind)).toEqual(['sign-in-code'])
  })
})

describe('a number of another user', () => {
  it('is taken over after a mail to its owner and 72 hours, and no sooner', async () => {
    const host = await startPhones()
    host.users.add(bob)
    const first = await changeTo(host, number, asBob(host))
    const { body } = await first.user.post('/auth/phone/confirm', first.given).expect(409)
    expect(body.error).toBe('phone-in-use')
    expect(Date.parse(body.details.until)).toBe(host.clock().getTime() + 3 * day * 1000)
    expect((await host.mailed('phone-claimed')).map(({ to }) => to)).toEqual(['alice@example.com'])
    host.clock.advance(2 * day)
    const second = await changeTo(host, number, asBob(host))
    await second.user.post('/auth/phone/confirm', second.given).expect(409)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number })
    host.clock.advance(day)
    const third = await changeTo(host, number, asBob(host))
    await third.user.post('/auth/phone/confirm', third.given).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null })
    expect(host.users.rows.get('u-bob')).toMatchObject({ phone: number, phoneVerified: true })
    expect(await host.mailed('phone-claimed')).toHaveLength(1)
  })

  it('stays where its owner types a code meanwhile', async () => {
    const host = await startPhones()
    host.users.add(bob)
    await logIn(host)
    const first = await changeTo(host, number, asBob(host))
    await first.user.post('/auth/phone/confirm', first.given).expect(409)
    await signIn(host, await codeFor(host)).expect(200)
    host.clock.advance(3 * day)
    const second = await changeTo(host, number, asBob(host))
    await second.user.post('/auth/phone/confirm', second.given).expect(409)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number })
  })

  it.each([
    ['has no address to be told at', { email: null, emailVerified: false }],
    ['has it as the second factor', { phoneFactor: true }],
  ])('stays where its owner %s', async (_what, change) => {
    const host = await startPhones()
    host.users.add(bob)
    host.users.change('u-alice', change)
    for (let round = 0; round < 2; round += 1) {
      const { user, given } = await changeTo(host, number, asBob(host))
      const { body } = await user.post('/auth/phone/confirm', given).expect(409)
      expect(body.details).toBeUndefined()
      host.clock.advance(4 * day)
    }
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number })
  })

  it('is not told before the right code was typed', async () => {
    const host = await startPhones()
    host.users.add(bob)
    const { user, given } = await changeTo(host, number, asBob(host))
    const code = given.code === '00000000' ? '11111111' : '00000000'
    const { body } = await user.post('/auth/phone/confirm', { ...given, code }).expect(400)
    expect(body.error).toBe('proof-refused')
    expect(await host.mailed('phone-claimed')).toEqual([])
  })
})

describe('a number that a thief has added by the password alone', () => {
  it('goes with a new password by a mailed link', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    await reset(host, await tokenFor(host)).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null })
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'phone.removed', userId: 'u-alice' }),
    )
    await signIn(host, await codeFor(host, otherNumber)).expect(400)
  })

  it('goes also after another change of his that has failed', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    host.clock.advance(4 * day)
    host.users.add({ ...bob, phone: number, phoneVerified: true })
    const next = await changeTo(host, number)
    await next.user.post('/auth/phone/confirm', next.given).expect(409)
    await reset(host, await tokenFor(host)).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null })
  })

  it('and with the undo of a change of the address, also as a second factor', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    await user.post('/auth/phone/second-factor', { enabled: true, password }).expect(200)
    const mail = { email: 'thief@example.com', password, code: '' }
    await post(host, '/login', { username: 'alice', password }).expect(401)
    mail.code = (await host.texted()).at(-1)?.code ?? ''
    const { body } = await user.post('/auth/email/change', mail).expect(202)
    const { code } = (await host.mailed('change-address')).at(-1) ?? {}
    await user.post('/auth/email/confirm', { ...body.data, code }).expect(200)
    const token = (await host.mailed('address-changed'))[0]?.url?.split('/').at(-1) ?? ''
    await undo(host, token).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null, phoneFactor: false })
    await post(host, '/login', { username: 'alice', password: newPassword }).expect(200)
  })

  it('and of its owner stays, who has had it before', async () => {
    const host = await startPhones()
    await reset(host, await tokenFor(host)).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number, phoneVerified: true })
  })
})
