// Whichever call fails while an address changes: once the same request is sent again, nothing is
// left half done.
import { describe, expect, it } from 'vitest'
import {
  addressOf,
  changing,
  mailTo,
  nextPassword,
  resetTokenOf,
  undoing,
} from '../support/account-call-sites.js'
import { type Ask, type Outcome, type Scene, startTapped } from '../support/call-sites.js'
import { logIn, post } from '../support/client.js'
import { password } from '../support/host.js'

/** Lets each call of a request fail, one at a time, and sends the request again. */
async function eachOutage(
  prepare: (scene: Scene) => Promise<{ ask: Ask; judge: (where: string) => Promise<void> }>,
): Promise<void> {
  const { newScene, tap } = await startTapped()
  const failing = async (ask: Ask, failsAt: number | null): Promise<[string[], Outcome]> => {
    const calls: string[] = []
    const how = () => Promise.reject(new Error('the database is away'))
    Object.assign(tap, { calls, failsAt, how })
    const outcome = await ask()
    Object.assign(tap, { calls: null, failsAt: null })
    return [calls, outcome]
  }
  // The first of a process tries whether the stores keep all of their members.
  await (await prepare(newScene())).ask()
  const [usual, { status }] = await failing((await prepare(newScene())).ask, null)
  expect(status).toBe(200)
  for (const place of usual.keys()) {
    const { ask, judge } = await prepare(newScene())
    const [calls, outcome] = await failing(ask, place)
    const where = `call ${place} of ${calls.join(' ')}`
    expect([200, 503], where).toContain(outcome.status)
    // Done by now, or known to be used up.
    expect([200, 400], where).toContain((await ask()).status)
    await judge(where)
  }
}

const useLink = ({ host }: Scene, token: string) =>
  post(host, '/auth/password/reset', { token, password: nextPassword })

describe('whichever call fails', () => {
  it('of a changed address: the former one is told, and links to it are void', async () => {
    await eachOutage(async (scene) => {
      const token = await resetTokenOf(scene)
      const ask = await changing(scene)
      return {
        ask,
        async judge(where) {
          expect(await mailTo(scene, 'address-changed', addressOf(scene)), where).toBeDefined()
          expect((await useLink(scene, token)).status, where).toBe(400)
        },
      }
    })
  })

  it('of an undo: sessions are over, and links to the other address are void', async () => {
    await eachOutage(async (scene) => {
      const ask = await undoing(scene)
      const token = await resetTokenOf(scene)
      await logIn(scene.host, { username: scene.user.name, password })
      return {
        ask,
        async judge(where) {
          const { host, users, user } = scene
          expect(users.rows.get(user.id)?.email, where).toBe(addressOf(scene))
          expect(await host.auth.sessions.list(user.id), where).toEqual([])
          expect((await useLink(scene, token)).status, where).toBe(400)
        },
      }
    })
  })

  it('of a reset: no session of before is left, and the new password signs in', async () => {
    await eachOutage(async (scene) => {
      const token = await resetTokenOf(scene)
      await logIn(scene.host, { username: scene.user.name, password })
      return {
        ask: async () => {
          const { status, text } = await useLink(scene, token)
          return { status, text, retryAfter: 0 }
        },
        async judge(where) {
          expect(await scene.host.auth.sessions.list(scene.user.id), where).toEqual([])
          await logIn(scene.host, { username: scene.user.name, password: nextPassword })
        },
      }
    })
  })
})
