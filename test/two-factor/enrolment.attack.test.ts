import { describe, expect, it } from 'vitest'
import type { AuthEvent } from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { startHost } from '../support/host.js'
import {
  attempt,
  begin,
  codeOf,
  confirm,
  confirmation,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  methodsOf,
  noon,
  pendingOf,
  replace,
  totp,
  wrongCode,
} from '../support/two-factor.js'

async function signedIn() {
  const host = await startHost({ now: noon })
  const { authToken: token } = await logIn(host)
  return { host, token }
}

const ended = (events: readonly AuthEvent[]) =>
  events.flatMap((event) =>
    event.type === 'session.ended' ? [`${event.sessionId} ${event.reason}`] : [],
  )

describe('beginning to set up TOTP', () => {
  it('needs the password: whoever has stolen a session binds no phone to it', async () => {
    const { host, token } = await signedIn()
    for (const guess of ['wrong', 'correct horse battery stapl', 'correct horse battery staple ']) {
      expectAnswer(await post(host, totp, { password: guess }, bearer(token)), 401, 'Unauthorized')
    }
    expect(await pendingOf(host, token)).toBeNull()
    expect(host.events.filter(({ type }) => type === 'password.refused')).toHaveLength(3)
    await expectUnharmed(host, undefined)
  })

  it.each([
    ['has lost the password', { passwordHash: null }],
    ['was disabled', { disabled: true }],
  ])('is refused to who %s since the session was read', async (_what, change) => {
    const { host, token } = await signedIn()
    const { sessionId } = await host.auth.authenticateToken(token)
    await get(host, '/me', bearer(token))
    host.users.change('u-alice', change)
    expectAnswer(
      await post(host, totp, { password: 'correct horse battery staple' }, bearer(token)),
      401,
      'Unauthorized',
    )
    expect(await host.stores.secondFactors.findPending('u-alice', sessionId)).toBeNull()
  })

  it('is not confirmed by an enrolment of somebody else, whatever the store answers: 503', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const { findPending } = host.stores.secondFactors
    host.stores.secondFactors.findPending = async (userId, sessionId) => {
      const pending = await findPending(userId, sessionId)
      return pending === null ? null : { ...pending, userId: 'u-eve' }
    }
    expectAnswer(await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token)), 503)
    expect(await host.stores.secondFactors.find('u-alice')).toBeNull()
  })

  it('makes a seed of 160 random bits, another one each time', async () => {
    const { host, token } = await signedIn()
    const seeds = new Set<string>()
    for (let i = 0; i < 5; i += 1) {
      const secret = await begin(host, token)
      expect(decodeBase32(secret)).toHaveLength(20)
      seeds.add(secret)
    }
    expect(seeds.size).toBe(5)
    expectNoSecrets(host, ...seeds)
  })

  it(
    'changes nothing before the first code: no login needs one, and the seed that waits opens ' +
      'nothing',
    async () => {
      const { host, token } = await signedIn()
      const secret = await begin(host, token)
      expectAnswer(await attempt(host), 200)
      // A code of a user who has no factor is ignored, the right one like any other.
      expectAnswer(await attempt(host, codeOf(host, secret)), 200)
      expectAnswer(await attempt(host, '000000'), 200)
      expect(new Set((await methodsOf(host.stores.sessions, host.clock())).map(String))).toEqual(
        new Set(['pwd']),
      )
      expect((await get(host, totp, bearer(token))).body.data).toEqual({
        enabled: false,
        recoveryCodesLeft: 0,
      })
      await confirm(host, token, secret)
      host.clock.advance(30)
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )

  it.each([
    [599.999, 200],
    [600, 409],
    [601, 409],
  ])('waits 600 seconds for its code: after %d it is answered with %i', async (seconds, status) => {
    const { host, token } = await signedIn()
    const { authToken: other } = await logIn(host)
    const secret = await begin(host, token)
    host.clock.advance(seconds)
    const response = await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token))
    expectAnswer(response, status, status === 409 ? 'totp-not-enabled' : undefined)
    // A code that comes too late ends nobody's session.
    expect((await get(host, '/me', bearer(other))).status).toBe(status === 409 ? 200 : 401)
    host.clock.advance(30)
    await expectUnharmed(host, status === 200 ? codeOf(host, secret) : undefined, secret)
  })

  it('voids the seed that was shown before', async () => {
    const { host, token } = await signedIn()
    const first = await begin(host, token)
    const second = await begin(host, token)
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, first) }, bearer(token)),
      401,
      'totp-invalid',
    )
    await confirm(host, token, second)
    host.clock.advance(30)
    expectAnswer(await attempt(host, codeOf(host, first)), 401, 'totp-invalid')
    await expectUnharmed(host, codeOf(host, second), first, second)
  })

  it('is not confirmed by the seed of another begin that was faster than the judgement', async () => {
    const { host, token } = await signedIn()
    const first = await begin(host, token)
    const mend = replace(host.stores.secondFactors, 'confirm', async (...given: never[]) => {
      mend()
      await begin(host, token)
      return (host.stores.secondFactors.confirm as (...all: never[]) => Promise<unknown>)(...given)
    })
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, first) }, bearer(token)),
      409,
      'totp-not-enabled',
    )
    await expectUnharmed(host, undefined, first)
  })
})

describe('the first code', () => {
  it('that is wrong leaves the seed waiting', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    expectAnswer(
      await post(host, confirmation, { code: wrongCode(host, secret) }, bearer(token)),
      401,
      'totp-invalid',
    )
    expectAnswer(await attempt(host), 200)
    await confirm(host, token, secret)
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('is used up by confirming, like any other code: it signs nobody in', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const [older, code] = [codeOf(host, secret, -1), codeOf(host, secret)]
    await confirm(host, token, secret)
    expectAnswer(await attempt(host, code), 401, 'totp-invalid')
    expectAnswer(await attempt(host, older), 401, 'totp-invalid')
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('sent 20 times at once confirms once, and one set of recovery codes is good', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const code = codeOf(host, secret)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(host, confirmation, { code }, bearer(token))),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const { status } of answers) expect([200, 409, 429]).toContain(status)
    expect(await host.stores.secondFactors.countRecoveryCodes('u-alice')).toBe(10)
    await expectUnharmed(host, won[0]?.body.data.recoveryCodes[3], secret)
  })

  it('gives ten recovery codes of 120 bits, all different; the store holds their hashes alone', async () => {
    const { host, secret, recoveryCodes } = await enrolled()
    expect(recoveryCodes).toHaveLength(10)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes)
      expect(decodeBase32(code.replaceAll('-', ''))).toHaveLength(15)
    await expectUnharmed(host, recoveryCodes[9], secret, ...recoveryCodes)
  })

  it('ends the user’s other sessions, and no one else’s', async () => {
    const { host, token } = await signedIn()
    const other = await logIn(host)
    const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, other.authToken))
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null,
    })
    const bob = await logIn(host, { username: 'bob', password: 'correct horse battery staple' })
    const secret = await begin(host, token)
    expect((await get(host, '/me', bearer(other.authToken))).status).toBe(200)
    await confirm(host, token, secret)
    for (const dead of [other.authToken, pkce.body.access_token]) {
      expectAnswer(await get(host, '/me', bearer(dead)), 401, 'Unauthorized')
    }
    expectAnswer(await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token }), 400)
    for (const alive of [token, bob.authToken])
      expect((await get(host, '/me', bearer(alive))).status).toBe(200)
    const ends = ended(host.events)
    expect(ends).toHaveLength(2)
    for (const end of ends) expect(end).toMatch(/ factor-changed$/)
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('ends a session too that was opened by the password alone while the code was judged', async () => {
    const { host, token } = await signedIn()
    const secret = await begin(host, token)
    const real = host.stores.secondFactors.confirm
    let late = ''
    replace(host.stores.secondFactors, 'confirm', async (...given: never[]) => {
      late = (await logIn(host)).authToken
      return (real as (...all: never[]) => Promise<unknown>)(...given)
    })
    await confirm(host, token, secret)
    expectAnswer(await get(host, '/me', bearer(late)), 401, 'Unauthorized')
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it(
    'leaves no authorization code behind that was issued without the factor, from this session ' +
      'or by the host',
    async () => {
      const { host, token } = await signedIn()
      const own = await obtainCode(host, token)
      const { codeVerifier, codeChallenge } = pkcePair()
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
      })
      const secret = await begin(host, token)
      await confirm(host, token, secret)
      for (const code of [own, { authorizationCode, codeVerifier }]) {
        expectAnswer(await post(host, '/auth/pkce/token', code), 400, 'invalid_grant')
      }
      host.clock.advance(30)
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )

  it.each(['login', 'pkce'] as const)(
    'leaves the %s session it came from signed in, as one that has shown the factor',
    async (kind) => {
      const { host, token } = await signedIn()
      const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, token))
      const mine = kind === 'login' ? token : (pkce.body.access_token as string)
      await get(host, '/me', bearer(mine))
      const secret = await begin(host, mine)
      await confirm(host, mine, secret)
      expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd', 'otp']])
      // At once, although the guard had just read the row.
      const request = { headers: { authorization: `Bearer ${mine}` }, socket: {} }
      expect(await host.auth.authenticate(request as never)).toMatchObject({
        methods: ['pwd', 'otp'],
      })
      const code = await obtainCode(host, mine)
      expect((await post(host, '/auth/pkce/token', code)).status).toBe(200)
      if (kind === 'pkce') {
        let refreshToken = pkce.body.refresh_token as string
        for (let i = 0; i < 3; i += 1) {
          host.clock.advance(300)
          const refreshed = await post(host, '/auth/refresh', { refreshToken })
          expectAnswer(refreshed, 200)
          refreshToken = refreshed.body.refresh_token
        }
      }
      host.clock.advance(30)
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )
})
