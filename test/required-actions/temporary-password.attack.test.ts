// A temporary password against what is under way when the desk sets it, and against what was added
// before.
import { describe, expect, it } from 'vitest'
import { newPassword, reset, tokenFor } from '../accounts/account-host.js'
import { post } from '../support/client.js'
import { signedIn, startDesk } from './required-host.js'

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
})
