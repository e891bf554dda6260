// A process is killed after the host has written what decides, and before the proof is used up:
// the same request completes in another process what is missing.
import { describe, expect, it } from 'vitest'
import { changeTo, deletionBy, mailOf, resetToken } from '../support/account-steps.js'
import { password, passwordHash } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import {
  type Death,
  firstAddress,
  openServers,
  type ServerProcess,
  sharedKinds,
} from '../support/server-processes.js'

const newPassword = 'a longer phrase that nobody else types'
const newAddress = 'new@example.org'

const atConsume: Death = { part: 'proofs', method: 'consume', when: 'before' }
const written = (method: string): Death => ({ part: 'users', method, when: 'after' })

const logIn = (process: ServerProcess, secret = password) =>
  process.post('/login', { username: 'alice', password: secret })

async function expectEnded(process: ServerProcess, token: string): Promise<void> {
  const status = async () => (await process.ask('GET', '/me', undefined, token)).status
  // Until it knows what another process has ended. No promise of speed.
  await expect.poll(status).toBe(401)
}

describe.each(sharedKinds)('over $name, a process is killed', (kind) => {
  /** A server that dies at this call, and another one, through which alice is signed in. */
  async function start(death: Death) {
    const { row, isThere, start } = await openServers(kind)
    const [victim, survivor] = await Promise.all([start({ diesAt: death }), start()])
    const { data } = await logIn(survivor)
    async function dies(path: string, body: object) {
      expect((await victim.post(path, body, data.authToken)).status).toBe(0)
      expect(await victim.ended).toBe('SIGKILL')
    }
    return { row, isThere, survivor, dies, authToken: data.authToken as string }
  }

  it.skipIf(!kind.isThere).each([written('updatePasswordHash'), atConsume])(
    'in a reset $when $method: the same link ends the sessions, and the new password signs in',
    async (death) => {
      const { row, survivor, dies, authToken } = await start(death)
      const reset = { token: await resetToken(survivor), password: newPassword }
      await dies('/auth/password/reset', reset)
      expect((await row()).password_hash).not.toBe(passwordHash)
      const stranger = { ...reset, password: 'quite another phrase, typed by a thief' }
      expect((await survivor.post('/auth/password/reset', stranger)).status).toBe(400)
      expect(await survivor.post('/auth/password/reset', reset)).toMatchObject({ status: 200 })
      await expectEnded(survivor, authToken)
      expect((await logIn(survivor)).status).toBe(401)
      expect((await logIn(survivor, newPassword)).status).toBe(200)
      expect((await survivor.post('/auth/password/reset', reset)).status).toBe(400)
    },
  )

  it.skipIf(!kind.isThere).each([written('updateEmail'), atConsume])(
    'in a confirmation $when $method: the same code tells the former address, which can undo it',
    async (death) => {
      const { row, survivor, dies, authToken } = await start(death)
      const confirmed = await changeTo(survivor, newAddress, authToken)
      await dies('/auth/email/confirm', confirmed)
      expect(await row()).toMatchObject({ email: newAddress, email_verified: 1 })
      const confirm = () => survivor.post('/auth/email/confirm', confirmed, authToken)
      expect(await confirm()).toMatchObject({ status: 200 })
      expect((await confirm()).status).toBe(400)
      const { url } = await mailOf([survivor], 'address-changed', firstAddress)
      const undo = { token: tokenIn(url), password: newPassword }
      const undone = await survivor.post('/auth/email/undo', undo)
      expect(undone.status, undone.error).toBe(200)
      expect((await row()).email).toBe(firstAddress)
    },
  )

  it.skipIf(!kind.isThere).each([written('updateEmail'), atConsume])(
    'in an undo $when $method: the same link ends the sessions and sets the password',
    async (death) => {
      const { row, survivor, dies, authToken } = await startChanged(death)
      const { url } = await mailOf([survivor], 'address-changed', firstAddress)
      const undo = { token: tokenIn(url), password: newPassword }
      await dies('/auth/email/undo', undo)
      expect((await row()).email).toBe(firstAddress)
      expect(await survivor.post('/auth/email/undo', undo)).toMatchObject({ status: 200 })
      await expectEnded(survivor, authToken)
      expect((await survivor.post('/auth/email/undo', undo)).status).toBe(400)
      expect((await logIn(survivor)).status).toBe(401)
      expect((await logIn(survivor, newPassword)).status).toBe(200)
    },
  )

  it
    .skipIf(!kind.isThere)
    .each<Death>([
      { part: 'sessions', method: 'endAllForUser', when: 'after' },
      { part: 'proofs', method: 'voidForUser', when: 'after' },
      { part: 'secondFactors', method: 'deactivate', when: 'after' },
      { part: 'users', method: 'delete', when: 'before' },
      written('delete'),
      { ...atConsume, purpose: 'delete' },
    ])(
    'in a deletion $when $method of $part: no session lives, and the code completes it',
    async (death) => {
      const { isThere, survivor, dies, authToken } = await start(death)
      const { data } = await logIn(survivor)
      const confirmed = await deletionBy(survivor, authToken)
      const path = '/auth/account/delete/confirm'
      await dies(path, confirmed)
      for (const token of [authToken, data.authToken]) await expectEnded(survivor, token)
      const guess = { ...confirmed, code: 'no code' }
      expect((await survivor.post(path, guess)).status).toBe(400)
      expect(await survivor.post(path, confirmed)).toMatchObject({ status: 200 })
      expect(await isThere()).toBe(false)
      expect((await logIn(survivor)).status).toBe(401)
      expect((await survivor.post(path, confirmed)).status).toBe(400)
    },
  )

  it.skipIf(!kind.isThere)('before a deletion has begun: its code needs the session', async () => {
    const begun: Death = { part: 'proofs', method: 'save', when: 'before' }
    const { isThere, survivor, dies, authToken } = await start(begun)
    const confirmed = await deletionBy(survivor, authToken)
    const path = '/auth/account/delete/confirm'
    await dies(path, confirmed)
    expect((await survivor.post(path, confirmed)).status).toBe(401)
    expect(await isThere()).toBe(true)
    expect((await survivor.post(path, confirmed, authToken)).status).toBe(200)
    expect(await isThere()).toBe(false)
  })

  async function startChanged(death: Death) {
    const scene = await start(death)
    const confirmed = await changeTo(scene.survivor, newAddress, scene.authToken)
    const { status } = await scene.survivor.post('/auth/email/confirm', confirmed, scene.authToken)
    expect(status).toBe(200)
    return scene
  }
})
