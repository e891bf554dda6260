import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, passwordHash, startHost } from '../support/host.js'
import { expectAnswer, totp } from '../support/two-factor.js'

const signedIn = async () => {
  const host = await startHost()
  host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
  const [alice, bob] = [await logIn(host), await logIn(host, { username: 'bob', password })]
  // From here on the guard knows both sessions, and only the password is asked for.
  for (const { authToken } of [alice, bob])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  const again = (token: string, secretWord = password) =>
    post(host, totp, { password: secretWord }, bearer(token))
  return { host, alice: alice.authToken, bob: bob.authToken, again }
}

describe('a signed-in user who is asked for the password again', () => {
  it('is counted alone: whoever guesses at one account locks no other out, from the same network', async () => {
    const { alice, bob, again } = await signedIn()
    for (let guess = 0; guess < 5; guess += 1)
      expectAnswer(await again(alice, 'wrong'), 401, 'Unauthorized')
    expectAnswer(await again(alice), 429, 'too-many-requests')
    expectAnswer(await again(bob), 200)
  })

  it.each(['', '/disable', '/recovery-codes'])(
    'is not asked to judge lone surrogates, which are one text in bytes: %s',
    async (path) => {
      const { host, alice } = await signedIn()
      expectAnswer(
        await post(host, `${totp}${path}`, { password: '\ud800', code: '000000' }, bearer(alice)),
        400,
        'invalid-request',
      )
    },
  )

  it('meets an outage as one, and no outage counts as a guess', async () => {
    const { host, alice, again } = await signedIn()
    const { findById } = host.users
    host.users.findById = () => Promise.reject(new Error('down'))
    for (let outage = 0; outage < 6; outage += 1)
      expectAnswer(await again(alice), 503, 'temporarily-unavailable')
    host.users.findById = findById
    expectAnswer(await again(alice), 200)
  })

  it.each([
    ['was deleted', 'unknown-user'],
    ['was disabled', 'unknown-user'],
    ['has a new password', 'wrong-password'],
  ])(
    'a moment after the account %s is told what a wrong password is told',
    async (what, reason) => {
      const { host, alice, again } = await signedIn()
      const wrong = await again(alice, 'wrong')
      if (what.endsWith('deleted')) host.users.rows.delete('u-alice')
      else
        host.users.change(
          'u-alice',
          what.endsWith('disabled')
            ? { disabled: true }
            : { passwordHash: `${passwordHash.slice(0, -1)}.` },
        )
      const refused = await again(alice)
      expectAnswer(refused, 401, 'Unauthorized')
      expect(refused.text).toBe(wrong.text)
      expect(refused.body.details).toEqual({ wrong: 'password' })
      expect(host.events.filter(({ type }) => type === 'password.refused')).toMatchObject([
        { userId: 'u-alice', reason: 'wrong-password' },
        { userId: 'u-alice', reason },
      ])
    },
  )
})
