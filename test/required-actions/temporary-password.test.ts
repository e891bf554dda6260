// A password that the desk says to a user: it works for 72 hours, opens nothing but its own change,
// and ends what was there before.
import { describe, expect, it } from 'vitest'
import { newPassword, reset, tokenFor } from '../accounts/account-host.js'
import { bearer, get, post } from '../support/client.js'
import { password } from '../support/host.js'
import { breakDown, expectAnswer } from '../support/two-factor.js'
import { leftFor, signedIn, startDesk, startPasskeyDesk } from './required-host.js'

describe('a temporary password', () => {
  it('signs in once it was said, and opens nothing but its own change', async () => {
    const { host, make, as } = await startDesk()
    const { password: said, until } = await make()
    expect(said).toMatch(/^([bdfghkmnprstvz][aeiou]){2}(-([bdfghkmnprstvz][aeiou]){2}){4}$/)
    expect(until.getTime() - host.clock().getTime()).toBe(72 * 60 * 60_000)
    const alice = await signedIn(host, as(said))
    expect(alice.required).toEqual(['change-password'])
    expectAnswer(await alice.post('/auth/password/change', { password: said, newPassword }), 200)
    expect(await leftFor(alice)).toEqual([])
    await post(host, '/login', as(said)).expect(401)
    expect((await signedIn(host, as(newPassword))).required).toBeUndefined()
  })

  it('ends the password and every session of before', async () => {
    const { host, make, as } = await startDesk()
    const before = await signedIn(host)
    await make()
    expect((await before.get('/me')).status).toBe(401)
    await post(host, '/login', as(password)).expect(401)
  })

  it('is wrong after 72 hours, like any other wrong password', async () => {
    const { host, make, as } = await startDesk()
    const { password: said } = await make()
    const alice = await signedIn(host, as(said))
    host.clock.advance(72 * 60 * 60)
    const late = await post(host, '/login', as(said))
    const wrong = await post(host, '/login', as('nobody has this one'))
    expect([late.status, late.body]).toEqual([401, wrong.body])
    // Nor does it prove anything in a session that it has opened before.
    const change = await alice.post('/auth/password/change', { password: said, newPassword })
    expect(change.status).toBe(401)
    const reason = { type: 'login.failed', reason: 'password-expired' }
    expect(host.events).toContainEqual(expect.objectContaining(reason))
  })

  it('is another one each time, and the last one counts', async () => {
    const { host, make, as } = await startDesk()
    const [one, other] = [await make(), await make()]
    expect(one.password).not.toBe(other.password)
    await post(host, '/login', as(one.password)).expect(401)
    await signedIn(host, as(other.password))
  })

  it('is won by one of those who make it at once', async () => {
    const { host, as } = await startDesk()
    const makes = Array.from({ length: 8 }, () =>
      host.auth.accounts.setTemporaryPassword('u-alice').catch(() => null),
    )
    const made = (await Promise.all(makes)).flatMap((one) => (one === null ? [] : [one.password]))
    expect(made).toHaveLength(1)
    host.issued.add(made[0] as string)
    await signedIn(host, as(made[0] as string))
  })

  it('is made for nobody but a user, and is in no event', async () => {
    const { host, make } = await startDesk()
    expect(await host.auth.accounts.setTemporaryPassword('u-nobody')).toBeNull()
    const { password: said } = await make()
    const event = { type: 'password.temporary', userId: 'u-alice', actor: 'support:bob' }
    expect(host.events).toContainEqual(expect.objectContaining(event))
    expect(JSON.stringify(host.events)).not.toContain(said)
  })

  it('is not made while the user store is away', async () => {
    const { host, as } = await startDesk()
    const mend = breakDown(host.users, 'requirePasswordChange')
    await expect(host.auth.accounts.setTemporaryPassword('u-alice')).rejects.toMatchObject({
      status: 503,
    })
    mend()
    await signedIn(host, as(password))
  })

  it('cannot be kept by a link in a mail either', async () => {
    const { host, make, as } = await startDesk()
    const { password: said } = await make()
    const kept = await reset(host, await tokenFor(host), said)
    expect([kept.status, kept.body.details.reasons]).toEqual([400, ['known']])
    expect((await signedIn(host, as(said))).required).toEqual(['change-password'])
  })

  it('stays one where its session ends while it is changed', async () => {
    const { host, make, as } = await startDesk()
    const { password: said } = await make()
    const alice = await signedIn(host, as(said))
    const { updatePasswordHash } = host.users
    host.users.updatePasswordHash = async (...asked) => {
      const isSet = await updatePasswordHash(...asked)
      host.users.updatePasswordHash = updatePasswordHash
      await host.auth.sessions.revokeAllForUser('u-alice')
      return isSet
    }
    const change = await alice.post('/auth/password/change', { password: said, newPassword })
    expect(change.status).toBe(401)
    expect((await signedIn(host, as(said))).required).toEqual(['change-password'])
    host.clock.advance(72 * 60 * 60)
    await post(host, '/login', as(said)).expect(401)
  })

  it('ends who acts by the account whose password it is', async () => {
    const { host } = await startDesk()
    const { passwordHash } = host.users.rows.get('u-alice') ?? {}
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash: passwordHash ?? null })
    const actor = { id: 'u-bob', reason: 'Ticket 1' }
    const { token } = await host.auth.sessions.open({ userId: 'u-alice', actor, lifetime: 600 })
    host.users.change('u-bob', { mustChangePassword: true })
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('removes a passkey that a thief has added by the former password', async () => {
    const host = await startPasskeyDesk()
    const { passkey } = await host.add(await host.logIn())
    expect((await host.signIn(passkey)).status).toBe(200)
    await host.auth.accounts.setTemporaryPassword('u-alice')
    expect((await host.signIn(passkey)).status).toBe(401)
  })
})
