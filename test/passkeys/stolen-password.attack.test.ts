// What a thief of the password has added goes with the password where the host says so, and nobody
// is locked out by that without a word.
import { describe, expect, it } from 'vitest'
import { cheapHasher, password } from '../support/host.js'
import type { newPasskey } from './authenticator.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

const newPassword = 'another horse, another battery'
const newHash = await cheapHasher.hash(newPassword)
const stolen = { waysIn: 'added-by-password' } as const

const removed = ({ events }: PasskeyHost) =>
  events.flatMap((event) =>
    event.type === 'passkey.removed' ? [`${event.passkeyId} ${event.reason}`] : [],
  )
const isIn = async (host: PasskeyHost, passkey: ReturnType<typeof newPasskey>) =>
  (await host.signIn(passkey)).status === 200

describe('a passkey that was added by the password alone', () => {
  it.each(['passwordChanged', 'revokeAllForUser'] as const)(
    'goes with auth.%s where the password was stolen, and so does what it has added',
    async (call) => {
      const host = await startPasskeys()
      const thief = await host.logIn()
      const { passkey: planted } = await host.add(thief)
      const { passkey: second } = await host.add(
        (await host.signIn(planted)).data.authToken as string,
      )
      host.users.change('u-alice', { passwordHash: newHash })
      const end = (options?: typeof stolen) =>
        call === 'passwordChanged'
          ? host.auth.passwordChanged('u-alice', options)
          : host.auth.sessions.revokeAllForUser('u-alice', options)
      await end()
      expect([await isIn(host, planted), await isIn(host, second)]).toEqual([true, true])
      expect(await end(stolen)).toBe(2)
      expect([await isIn(host, planted), await isIn(host, second)]).toEqual([false, false])
      expect(removed(host).sort()).toEqual(
        [`${planted.id} password-changed`, `${second.id} password-changed`].sort(),
      )
      expect(await host.sessionsOf()).toEqual([])
      await host.logIn({ username: 'alice', password: newPassword })
    },
  )

  it('stays where a code was shown as well, or the host has vouched for the user', async () => {
    const host = await startPasskeys()
    await host.importTotp()
    const byCode = await host.logIn({ username: 'alice', password, code: host.totpCode() })
    const { passkey } = await host.add(byCode)
    await host.auth.passwordChanged('u-alice', stolen)
    expect(await isIn(host, passkey)).toBe(true)
    expect(removed(host)).toEqual([])
  })

  it('goes also where a recovery code was shown, since those come with a passkey', async () => {
    const host = await startPasskeys({ passkeys: { asSecondFactor: 'always' } })
    const { added } = await host.add(await host.logIn())
    const code = added.data.recoveryCodes?.[0]
    const { passkey: second } = await host.add(
      await host.logIn({ username: 'alice', password, code }),
    )
    await host.auth.passwordChanged('u-alice', stolen)
    expect(await isIn(host, second)).toBe(false)
  })

  it('stays where it was added under the present password, if passwords are watched', async () => {
    const host = await startPasskeys({ options: { watchPasswordHash: true } })
    const { passkey: planted } = await host.add(await host.logIn())
    host.users.change('u-alice', { passwordHash: newHash })
    const { passkey: own } = await host.add(
      await host.logIn({ username: 'alice', password: newPassword }),
    )
    await host.auth.passwordChanged('u-alice', stolen)
    expect([await isIn(host, planted), await isIn(host, own)]).toEqual([false, true])
  })

  it('is not left by who adds it or signs in by it at that moment', async () => {
    const host = await startPasskeys()
    const thief = await host.logIn()
    const { passkey: planted } = await host.add(thief)
    const attempts = Array.from({ length: 20 }, () => host.signIn(planted))
    const adding = host.add(thief).catch(() => null)
    await host.auth.passwordChanged('u-alice', stolen)
    await Promise.all([...attempts, adding])
    expect(await host.sessionsOf()).toEqual([])
    expect(await host.store.listForUser('u-alice')).toEqual([])
  })
})

describe('the session that stays', () => {
  it('claims no passkey that was removed', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    await host.add(token)
    const { sessionId: except } = await host.auth.authenticateToken(token)
    await host.auth.passwordChanged('u-alice', { except, ...stolen })
    expect((await host.auth.authenticateToken(token)).methods).toEqual(['pwd'])
  })
})

describe('who has no password', () => {
  it('keeps the last passkey, and the host is told, once all sessions have ended', async () => {
    const host = await startPasskeys()
    const { passkey: first } = await host.add(await host.logIn())
    const { passkey: last } = await host.add(await host.logIn())
    host.users.change('u-alice', { passwordHash: null })
    const call = host.auth.passwordChanged('u-alice', stolen)
    await expect(call).rejects.toMatchObject({ code: 'last-sign-in-method' })
    expect(await host.sessionsOf()).toEqual([])
    expect([await isIn(host, first), await isIn(host, last)].filter(Boolean)).toHaveLength(1)
  })
})

it('the option is refused for what it does not know', async () => {
  const host = await startPasskeys()
  for (const waysIn of ['all', true, null])
    await expect(host.auth.passwordChanged('u-alice', { waysIn } as never)).rejects.toMatchObject({
      code: 'invalid-request',
    })
})
