// A temporary password against what is under way when the desk sets it, and against what was added
// before.
import { describe, expect, it } from 'vitest'
import { newPassword, reset, tokenFor } from '../accounts/account-host.js'
import { assertion } from '../passkeys/authenticator.js'
import { post } from '../support/client.js'
import { password } from '../support/host.js'
import { signedIn, startDesk, startPasskeyDesk } from './required-host.js'

describe('a temporary password', () => {
  it('wins over a mailed link, whenever it is set while the link is used', async () => {
    let isOver = false
    // After each call of the user store in turn, until the link has been used before the desk acts.
    for (let turn = 1; !isOver; turn += 1) {
      const { host, make, as } = await startDesk()
      const link = await tokenFor(host)
      const { findById, updatePasswordHash } = host.users
      const stopCounting = () => Object.assign(host.users, { findById, updatePasswordHash })
      let calls = 0
      let making: Promise<{ readonly password: string } | null> | undefined
      const counted = async <Answer>(asking: Promise<Answer>) => {
        const answer = await asking
        calls += 1
        if (calls === turn) {
          stopCounting()
          making = make().catch(() => null)
          await making
        }
        return answer
      }
      host.users.findById = (id) => counted(findById(id))
      host.users.updatePasswordHash = (...asked) => counted(updatePasswordHash(...asked))
      const { status, body } = await reset(host, link)
      stopCounting()
      isOver = making === undefined
      const made = await making
      if (made == null) continue
      expect([status, body.error], `call ${turn}`).toEqual([400, 'proof-refused'])
      await post(host, '/login', as(newPassword)).expect(401)
      expect((await signedIn(host, as(made.password))).required).toEqual(['change-password'])
      host.clock.advance(72 * 60 * 60)
      await post(host, '/login', as(made.password)).expect(401)
    }
  })

  it('stays one where the link that has replaced it is taken back', async () => {
    const { host, make, as } = await startDesk()
    const { password: said } = await make()
    const link = await tokenFor(host)
    const { updatePasswordHash } = host.users
    host.users.updatePasswordHash = async (...asked) => {
      const isSet = await updatePasswordHash(...asked)
      host.users.updatePasswordHash = updatePasswordHash
      // The host gives the account back to somebody else's address, and ends what was under way.
      host.users.change('u-alice', { email: 'owner@example.org' })
      await host.auth.accounts.endEverything('u-alice')
      return isSet
    }
    expect((await reset(host, link)).status).toBe(400)
    await post(host, '/login', as(newPassword)).expect(401)
    expect((await signedIn(host, as(said))).required).toEqual(['change-password'])
    host.clock.advance(72 * 60 * 60)
    await post(host, '/login', as(said)).expect(401)
  })

  // Nobody adds one with the former password alone, and one of the last three days sets none: so it
  // shows the owner better than what the desk has said.
  it('is changed with a passkey that more than the former password has added', async () => {
    const host = await startPasskeyDesk()
    await host.importTotp()
    const code = host.totpCode()
    const { passkey } = await host.add(await host.logIn({ username: 'alice', password, code }))
    const make = () => host.auth.accounts.setTemporaryPassword('u-alice')
    const change = async () => {
      const { data } = await host.signIn(passkey)
      expect(data['required']).toEqual(['change-password'])
      const token = data.authToken as string
      const proof = assertion(passkey, await host.challenge(token))
      const sent = { newPassword, passkey: proof }
      return (await host.post('/auth/password/change', sent, token)).status
    }
    await make()
    expect(await change()).toBe(403)
    host.clock.advance(72 * 60 * 60)
    const made = await make()
    expect(await change()).toBe(200)
    const typed = { username: 'alice', password: made?.password }
    expect((await host.post('/login', typed)).body.error).toBe('Unauthorized')
    expect(host.users.rows.get('u-alice')?.mustChangePassword).toBe(false)
  })
})
