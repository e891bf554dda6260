// What is left of the limits after each kind is counted alone.
import { expect, it } from 'vitest'
import { newPassword, reset, tokenFor } from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { number, otherNumber, startPhones } from './phone-host.js'

it('a thief of the password keeps no code from the owner after a reset', async () => {
  const host = await startPhones()
  await logIn(host)
  host.users.change('u-alice', { phoneFactor: true })
  for (let at = 0; at < 3; at += 1)
    await post(host, '/login', { username: 'alice', password }).expect(401)
  host.clock.advance(11 * 60)
  await reset(host, await tokenFor(host)).expect(200)
  const { body } = await post(host, '/login', { username: 'alice', password: newPassword })
  expect(body.error).toBe('totp-required')
})

it('no share of a prefix tells whose number it is', async () => {
  const host = await startPhones({ phones: { budget: { hour: 20, day: 20 } } })
  host.users.add({ id: 'u-robot', username: 'robot', passwordHash, email: 'r@example.com' })
  const { authToken } = await logIn(host, { username: 'robot', password })
  const headers = { Authorization: `Bearer ${authToken as string}` }
  const ask = async (phone: string) => {
    const neighbour = phone.replace(/\d{4}$/, '0000')
    await post(host, '/auth/phone/change', { phone: neighbour, password }, headers).expect(202)
    await post(host, '/auth/code', { phone }).expect(202)
    await host.texted()
    return (await post(host, '/auth/code', { phone: neighbour })).status
  }
  const ofAlice = await ask(number)
  expect(await ask(otherNumber)).toBe(ofAlice)
})
