// What a thief of the password can keep, by the combinations of both channels.
import { describe, expect, it } from 'vitest'
import {
  type AccountHost,
  asAlice,
  newPassword,
  reset,
  tokenFor,
  undo,
} from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { changeTo, codeFor, number, otherNumber, signIn, startPhones } from './phone-host.js'

const day = 24 * 60 * 60
const thiefNumber = '+4917199999999'
const mallory = { id: 'u-mallory', username: 'mallory', passwordHash, email: 'm@example.com' }

async function asMallory(host: AccountHost) {
  const { authToken } = await logIn(host, { username: 'mallory', password })
  const headers = { Authorization: `Bearer ${authToken as string}` }
  return { headers, post: (path: string, body: object = {}) => post(host, path, body, headers) }
}

async function changeMail(host: AccountHost, user: Awaited<ReturnType<typeof asAlice>>) {
  const mail = { email: 'thief@example.com', password }
  const { body } = await user.post('/auth/email/change', mail).expect(202)
  const { code } = (await host.mailed('change-address')).at(-1) ?? {}
  await user.post('/auth/email/confirm', { ...body.data, code }).expect(200)
  return (await host.mailed('address-changed')).at(-1)?.url?.split('/').at(-1) ?? ''
}

const linkOf = async (host: AccountHost) => {
  const mail = (await host.mailed('phone-changed')).at(-1)
  return { to: mail?.to, token: mail?.url?.split('/').at(-1) ?? '' }
}

describe('a thief of the password', () => {
  it('has no link that sets a password after the owner has taken the mail address back', async () => {
    const host = await startPhones()
    const thief = await asAlice(host)
    const ownersLink = await changeMail(host, thief)
    const { user, given } = await changeTo(host, otherNumber, Promise.resolve(thief))
    await user.post('/auth/phone/confirm', given).expect(200)
    const thiefsLink = await linkOf(host)
    expect(thiefsLink.to).toBe('thief@example.com')
    await undo(host, ownersLink).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ email: 'alice@example.com' })
    const chosen = 'a password that the thief has chosen'
    await post(host, '/auth/phone/undo', { token: thiefsLink.token, password: chosen })
    await post(host, '/login', { username: 'alice', password: chosen }).expect(401)
    await post(host, '/login', { username: 'alice', password: newPassword }).expect(200)
  })

  it('leaves no factor behind that nobody can show, when a first number is taken back', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, thiefNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    await user.post('/auth/phone/second-factor', { enabled: true, password }).expect(200)
    const { token } = await linkOf(host)
    await post(host, '/auth/phone/undo', { token, password: newPassword }).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null, phoneFactor: false })
    await post(host, '/login', { username: 'alice', password: newPassword }).expect(200)
  })

  it('cannot make the note of his number forgotten by asking for a taken one', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    host.users.add({ ...mallory, phone: otherNumber, phoneVerified: true, emailVerified: true })
    const { user, given } = await changeTo(host, thiefNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    host.clock.advance(3 * day + 60)
    // Mallory has otherNumber, and reads the code.
    const second = await changeTo(host, otherNumber)
    await second.user.post('/auth/phone/confirm', second.given).expect(409)
    await reset(host, await tokenFor(host)).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({ phone: null })
    await signIn(host, await codeFor(host, thiefNumber)).expect(400)
  })

  it('cannot stop the link by proving the freed number in another account', async () => {
    const host = await startPhones()
    host.users.add(mallory)
    const { user, given } = await changeTo(host, thiefNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    const { token } = await linkOf(host)
    // He has a SIM card with the owner's number for some minutes.
    const second = await changeTo(host, number, asMallory(host))
    await second.user.post('/auth/phone/confirm', second.given)
    const { status } = await post(host, '/auth/phone/undo', { token, password: newPassword })
    expect({ status, phone: host.users.rows.get('u-alice')?.phone }).not.toEqual({
      status: 400,
      phone: thiefNumber,
    })
    // His session has ended, and his number signs nobody in.
    await user.post('/auth/phone/verify').expect(401)
    await signIn(host, await codeFor(host, thiefNumber)).expect(400)
  })

  it('proves no number that the service has stored unproven, which survives a reset', async () => {
    const host = await startPhones({ alice: { phone: thiefNumber, phoneVerified: false } })
    const thief = await asAlice(host)
    const { body } = await thief.post('/auth/phone/verify').expect(202)
    const code = (await host.texted()).at(-1)?.code ?? ''
    await thief.post('/auth/phone/confirm', { requestId: body.data.requestId, code }).expect(200)
    await reset(host, await tokenFor(host)).expect(200)
    await signIn(host, await codeFor(host, thiefNumber)).expect(400)
  })

  it('keeps no number whose confirmation was under way while the owner reset the password', async () => {
    const host = await startPhones({ alice: { phone: null, phoneVerified: false } })
    const { user, given } = await changeTo(host, thiefNumber)
    const token = await tokenFor(host)
    const { updatePhone } = host.users
    const gate = { reached: () => {}, open: () => {} }
    const reached = new Promise<void>((resolve) => (gate.reached = resolve))
    const open = new Promise<void>((resolve) => (gate.open = resolve))
    host.users.updatePhone = async (...given) => {
      gate.reached()
      await open
      return updatePhone(...given)
    }
    const confirming = user.post('/auth/phone/confirm', given).then(({ status }) => status)
    await reached
    await reset(host, token).expect(200)
    gate.open()
    await confirming
    host.users.updatePhone = updatePhone
    await signIn(host, await codeFor(host, thiefNumber)).expect(400)
  })
})

describe('an undo', () => {
  it('proves no number that was not proven before', async () => {
    const host = await startPhones({ alice: { phone: number, phoneVerified: false } })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    const { token } = await linkOf(host)
    await post(host, '/auth/phone/undo', { token, password: newPassword }).expect(200)
    expect(host.users.rows.get('u-alice')).not.toMatchObject({ phone: number, phoneVerified: true })
  })
})
