// Whichever call fails, once: what is true when the same request was sent again.
import { describe, expect, it } from 'vitest'
import {
  addressOf,
  changing,
  mailTo,
  nextPassword,
  resetTokenOf,
  undoing,
} from '../support/account-call-sites.js'
import type { Outcome, Scene } from '../support/call-sites.js'
import { logIn, post } from '../support/client.js'
import { type Failed, judgeAfterEveryCall } from '../support/failing-calls.js'
import { password } from '../support/host.js'
import { oauthRequests } from '../support/oauth-call-sites.js'

const useLink = ({ host }: Scene, token: string) =>
  post(host, '/auth/password/reset', { token, password: nextPassword })

// Done by now, or known to be used up.
function expectDone({ outcome, again, where }: Failed): void {
  expect([200, 503], where).toContain(outcome.status)
  expect([200, 400], where).toContain(again.status)
}

describe('nothing is left half done', () => {
  it('of a changed address: the former one is told, and links to it are void', async () => {
    await judgeAfterEveryCall(async (scene) => {
      const token = await resetTokenOf(scene)
      return {
        ask: await changing(scene),
        async judge(failed) {
          const { where } = failed
          expectDone(failed)
          expect(await mailTo(scene, 'address-changed', addressOf(scene)), where).toBeDefined()
          expect((await useLink(scene, token)).status, where).toBe(400)
        },
      }
    })
  })

  it('of an undo: sessions are over, and links to the other address are void', async () => {
    await judgeAfterEveryCall(async (scene) => {
      const { host, users, user } = scene
      const ask = await undoing(scene)
      const token = await resetTokenOf(scene)
      await logIn(host, { username: user.name, password })
      return {
        ask,
        async judge(failed) {
          const { where } = failed
          expectDone(failed)
          expect(users.rows.get(user.id)?.email, where).toBe(addressOf(scene))
          expect(await host.auth.sessions.list(user.id), where).toEqual([])
          expect((await useLink(scene, token)).status, where).toBe(400)
        },
      }
    })
  })

  it('of a reset: no session of before is left, and the new password signs in', async () => {
    await judgeAfterEveryCall(async (scene) => {
      const { host, user } = scene
      const token = await resetTokenOf(scene)
      await logIn(host, { username: user.name, password })
      return {
        ask: async () => {
          const { status, text } = await useLink(scene, token)
          return { status, text, retryAfter: 0 }
        },
        async judge(failed) {
          expectDone(failed)
          expect(await host.auth.sessions.list(user.id), failed.where).toEqual([])
          await logIn(host, { username: user.name, password: nextPassword })
        },
      }
    })
  })
})

const page = 'GET /oauth/authorize'

// After the code was used up nobody can tell whether the app has got its session. A consent whose
// row is gone has nothing left to take back.
function statusAfter({ before, usual }: Failed): number {
  if (before.includes('codes.consume')) return 400
  return before.includes('consents.revoke') ? 404 : usual.outcome.status
}

function expectPage({ status, text, retryAfter }: Outcome, where: string): void {
  if (status !== 503) return
  expect(text, where).toMatch(/^<!doctype html>/)
  expect(text, where).toContain(`Please try again in <bdi>${retryAfter} seconds</bdi>.`)
}

describe.each(Object.entries(oauthRequests))('%s', (name, prepare) => {
  it('is done when it is asked again, until the one write that uses up what was sent', async () => {
    await judgeAfterEveryCall(async (scene) => ({
      ask: await prepare(scene),
      async judge(failed) {
        if (failed.outcome.status === 503)
          expect([failed.where, failed.again.status]).toEqual([failed.where, statusAfter(failed)])
        // For people, whom it sends nowhere.
        if (name === page) expectPage(failed.outcome, failed.where)
      },
    }))
  })
})
