// An enrolment belongs to the session that began it: who knows the password neither sees the seed
// that its owner is shown, nor has one of his own taken for it.
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'
import {
  begin,
  codeOf,
  confirm,
  confirmation,
  enrolled,
  expectAnswer,
  expectUnharmed,
  noon,
  pendingOf,
} from '../support/two-factor.js'

/** Two sessions of one user: of its owner, and of a thief of the password. */
async function both() {
  const host = await startHost({ now: noon })
  const [owner, thief] = [(await logIn(host)).authToken, (await logIn(host)).authToken]
  const first = (token: string, secret: string) =>
    post(host, confirmation, { code: codeOf(host, secret) }, bearer(token))
  return { host, owner, thief, first }
}

describe('two sessions that set TOTP up at once', () => {
  it('have a seed each, and neither confirms that of the other', async () => {
    const { host, owner, thief, first } = await both()
    const [hers, his] = [await begin(host, owner), await begin(host, thief)]
    expect(hers).not.toBe(his)
    expectAnswer(await first(owner, his), 401, 'totp-invalid')
    expectAnswer(await first(thief, hers), 401, 'totp-invalid')
    await confirm(host, owner, hers)
    expectAnswer(await get(host, '/me', bearer(thief)), 401, 'Unauthorized')
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, hers), hers, his)
  })

  it('do not disturb each other, however often one begins anew', async () => {
    const { host, owner, thief } = await both()
    const hers = await begin(host, owner)
    for (let times = 0; times < 5; times += 1) await begin(host, thief)
    await confirm(host, owner, hers)
  })

  it('confirm one of the two, 20 times at once', async () => {
    const { host, owner, thief, first } = await both()
    const [hers, his] = [await begin(host, owner), await begin(host, thief)]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_none, turn) =>
        turn % 2 === 0 ? first(owner, hers) : first(thief, his),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await host.stores.secondFactors.countRecoveryCodes('u-alice')).toBe(10)
  })

  it('leave nothing that waits behind a factor that is switched off', async () => {
    const { host, token, secret } = await enrolled()
    const { authToken: other } = await logIn(host, {
      username: 'alice',
      password: 'correct horse battery staple',
      code: codeOf(host, secret),
    })
    const { sessionId } = await host.auth.authenticateToken(other)
    const late = { userId: 'u-alice', sessionId, sealedSeed: 'v1.late' }
    const times = { createdAt: host.clock(), expiresAt: new Date(host.clock().getTime() + 1000) }
    await host.stores.secondFactors.savePending({ ...late, ...times })
    await host.auth.secondFactors.reset('u-alice')
    expect(await host.stores.secondFactors.findPending('u-alice', sessionId)).toBeNull()
    expectAnswer(await get(host, '/me', bearer(token)), 401)
  })
})

it('what a store answers of another session is not shown: 503', async () => {
  const { host, owner, thief, first } = await both()
  const his = await begin(host, thief)
  const pending = await pendingOf(host, thief)
  host.stores.secondFactors.findPending = async () => pending
  expectAnswer(await first(owner, his), 503)
  expect(await host.stores.secondFactors.find('u-alice')).toBeNull()
})

describe('what waits for its first code', () => {
  it.each(['passwordChanged', 'revokeAllForUser'] as const)(
    'is over with auth.%s, also in the session that stays',
    async (call) => {
      const { host, owner, thief, first } = await both()
      const [hers, his] = [await begin(host, owner), await begin(host, thief)]
      const { sessionId: except } = await host.auth.authenticateToken(owner)
      if (call === 'passwordChanged') await host.auth.passwordChanged('u-alice', { except })
      else await host.auth.sessions.revokeAllForUser('u-alice', { except })
      expectAnswer(await first(thief, his), 401, 'Unauthorized')
      expectAnswer(await first(owner, hers), 409, 'totp-not-enabled')
      await confirm(host, owner, await begin(host, owner))
    },
  )

  it('is over with a reset', async () => {
    const { host, owner, first } = await both()
    const hers = await begin(host, owner)
    const { sessionId } = await host.auth.authenticateToken(owner)
    expect(await host.auth.secondFactors.reset('u-alice')).toEqual({ hadFactor: false })
    expectAnswer(await first(owner, hers), 401, 'Unauthorized')
    expect(await host.stores.secondFactors.findPending('u-alice', sessionId)).toBeNull()
  })

  it.each(['passwordChanged', 'revokeAllForUser', 'reset'] as const)(
    'and is confirmed at the moment of %s switches nothing on',
    async (call) => {
      const { host, thief, first } = await both()
      const his = await begin(host, thief)
      const real = host.stores.secondFactors.confirm
      // He has been judged, and his session was alive a moment ago.
      host.stores.secondFactors.confirm = async (...given) => {
        if (call === 'passwordChanged') await host.auth.passwordChanged('u-alice')
        else if (call === 'reset') await host.auth.secondFactors.reset('u-alice')
        else await host.auth.sessions.revokeAllForUser('u-alice')
        return real(...given)
      }
      expectAnswer(await first(thief, his), 409, 'totp-not-enabled')
      host.stores.secondFactors.confirm = real
      expect(await host.stores.secondFactors.find('u-alice')).toBeNull()
      await logIn(host)
    },
  )

  it('and is begun while a factor is reset is switched on by nobody', async () => {
    const { host, thief } = await both()
    const { deactivate } = host.stores.secondFactors
    host.stores.secondFactors.deactivate = async (userId) => {
      const outcome = await deactivate(userId)
      const begun = await post(
        host,
        '/auth/totp',
        { password: 'correct horse battery staple' },
        bearer(thief),
      )
      expectAnswer(begun, 401, 'Unauthorized')
      return outcome
    }
    await host.auth.secondFactors.reset('u-alice')
  })
})
