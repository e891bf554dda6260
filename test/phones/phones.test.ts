import { describe, expect, it } from 'vitest'
import { asAlice, newPassword } from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { changeTo, codeFor, number, otherNumber, signIn, startPhones } from './phone-host.js'

describe('a code by text message signs in', () => {
  it('the user with the proven number, in any spelling, and says how', async () => {
    const host = await startPhones()
    const asked = await codeFor(host, '0170 123-456 78')
    expect(host.texts.map(({ to }) => to)).toEqual([number])
    await logIn(host)
    const { body } = await signIn(host, asked).expect(200)
    expect(body.data.userId).toBe('u-alice')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'login.succeeded', methods: ['sms'] }),
    )
  })

  it('and ends in the line of WebOTP, in one part of GSM 03.38, without a link', async () => {
    const host = await startPhones({ phones: { webOtp: 'chat.example.com' } })
    const { code } = await codeFor(host)
    const [{ text = '' } = {}] = host.texts
    expect(text).toBe(
      `Example Chat: ${code} is your code. Never tell it to anybody.\n\n@chat.example.com #${code}`,
    )
    host.users.change('u-alice', { locale: 'de' })
    const { code: second } = await codeFor(host)
    expect(host.texts[1]?.text).toBe(
      `Example Chat: Dein Code ist ${second}. Gib ihn nie weiter.\n\n@chat.example.com #${second}`,
    )
  })

  it('once, and never after the number was changed', async () => {
    const host = await startPhones()
    const asked = await codeFor(host)
    host.users.change('u-alice', { phone: otherNumber })
    await signIn(host, asked).expect(400)
    host.users.change('u-alice', { phone: number })
    await logIn(host)
    await signIn(host, asked).expect(200)
    await signIn(host, asked).expect(400)
  })

  it('nobody by a number that is not proven, or that is the name of another user', async () => {
    const host = await startPhones({ alice: { phone: number, phoneVerified: false } })
    const asked = await codeFor(host)
    host.users.add({ id: 'u-namesake', username: otherNumber })
    const other = await codeFor(host, otherNumber)
    expect(host.texts).toEqual([])
    for (const one of [asked, other]) await signIn(host, one).expect(400)
  })

  it('and a number that is none, or of another country, is refused at once', async () => {
    const host = await startPhones()
    for (const phone of ['+33612345678', '+88213300000', '+19005550123', '0900 1234567', 'alice'])
      await post(host, '/auth/code', { phone }).expect(400)
    await post(host, '/auth/code', { username: 'alice' }).expect(400)
    await post(host, '/auth/code', { phone: number, username: 'alice' }).expect(400)
    expect(await host.texted()).toEqual([])
  })

  it('and of many at once, one is let in', async () => {
    const host = await startPhones()
    await logIn(host)
    const asked = await codeFor(host)
    const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(host, asked)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('POST /login', () => {
  it('takes a number as `user`, in any spelling', async () => {
    const host = await startPhones()
    for (const user of [number, '0170 12345678', '+49 (170) 123 456-78'])
      await post(host, '/login', { user, password }).expect(200)
    await post(host, '/login', { username: number, password }).expect(200)
    await post(host, '/login', { email: number, password }).expect(401)
  })

  it('takes a name that only looks like a number as it is', async () => {
    const host = await startPhones()
    host.users.change('u-alice', { username: '0123456' })
    await post(host, '/login', { user: '0123456', password }).expect(200)
  })
})

describe('a number is proven and changed', () => {
  it('by a code that is sent there, in the session that has asked', async () => {
    const host = await startPhones({ alice: { phone: number, phoneVerified: false } })
    const alice = await asAlice(host)
    const { body: before } = await alice.get('/auth/phone').expect(200)
    expect(before.data).toEqual({ phone: number, verified: false, secondFactor: false })
    const { body } = await alice.post('/auth/phone/verify').expect(202)
    const code = (await host.texted()).at(-1)?.code ?? ''
    const given = { requestId: body.data.requestId, code }
    await (await asAlice(host)).post('/auth/phone/confirm', given).expect(400)
    await alice.post('/auth/email/confirm', given).expect(400)
    await alice.post('/auth/phone/confirm', given).expect(200)
    const { body: after } = await alice.get('/auth/phone').expect(200)
    expect(after.data).toEqual({ phone: number, verified: true, secondFactor: false })
    await alice.post('/auth/phone/verify').expect(409)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'address.verified', channel: 'phone' }),
    )
  })

  it('and the proven mail address gets a link that takes the change back', async () => {
    const host = await startPhones()
    const { user, given } = await changeTo(host, '0171 87654321')
    await user.post('/auth/phone/confirm', given).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: otherNumber })
    const [mail] = await host.mailed('phone-changed')
    expect(mail?.to).toBe('alice@example.com')
    const token = mail?.url?.split('/').at(-1) ?? ''
    await post(host, '/auth/phone/undo', { token, password: newPassword }).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: number, phoneVerified: true })
    await user.post('/auth/phone/verify').expect(401)
    await post(host, '/login', { username: 'alice', password: newPassword }).expect(200)
  })

  it('and a first number goes away by the same link', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, number)
    await user.post('/auth/phone/confirm', given).expect(200)
    const token = (await host.mailed('phone-changed'))[0]?.url?.split('/').at(-1) ?? ''
    await post(host, '/auth/email/undo', { token, password: newPassword }).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null, phoneVerified: false })
  })

  it('and a change needs the password', async () => {
    const host = await startPhones()
    const alice = await asAlice(host)
    await alice.post('/auth/phone/change', { phone: otherNumber }).expect(403)
    await alice.post('/auth/phone/change', { phone: otherNumber, password: 'wrong' }).expect(401)
    expect(await host.texted()).toEqual([])
  })
})

describe('codes by text message as a second factor', () => {
  it('are asked for after the password, and count as one', async () => {
    const host = await startPhones()
    const alice = await asAlice(host)
    await alice.post('/auth/phone/second-factor', { enabled: true, password }).expect(200)
    const { body } = await post(host, '/login', { username: 'alice', password }).expect(401)
    expect(body).toMatchObject({ error: 'totp-required', details: { method: 'sms' } })
    const { code } = (await host.texted()).at(-1) ?? {}
    await post(host, '/login', { username: 'alice', password, code: '00000000' }).expect(401)
    await post(host, '/login', { username: 'alice', password, code }).expect(200)
    await post(host, '/login', { username: 'alice', password, code }).expect(401)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'login.succeeded', methods: ['pwd', 'otp'] }),
    )
  })

  it('are none after a code that went to the same number', async () => {
    const host = await startPhones()
    await logIn(host)
    host.users.change('u-alice', { phoneFactor: true })
    await signIn(host, await codeFor(host)).expect(403)
  })

  it('go off again by the same proof', async () => {
    const host = await startPhones()
    const alice = await asAlice(host)
    await alice.post('/auth/phone/second-factor', { enabled: true, password }).expect(200)
    const code = async () => {
      await post(host, '/login', { username: 'alice', password }).expect(401)
      return (await host.texted()).at(-1)?.code
    }
    await alice
      .post('/auth/phone/second-factor', { enabled: false, password, code: await code() })
      .expect(200)
    await post(host, '/login', { username: 'alice', password }).expect(200)
  })
})
