import { randomBytes } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import {
  type AuthError,
  generateSigningKey,
  joseSigner,
  type RevocationBus,
} from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, pkcePair, post, remove } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher, startHost, type TestHost } from '../support/host.js'
import { makeToken, namedTokens } from '../support/named-tokens.js'
import { TestSocket, twoProcesses, upgrade } from '../support/pairs.js'
import { breakDown, enrolled, replace } from '../support/two-factor.js'

const withTokens = { options: { namedTokens: true } }

const aliveTokens = async (host: TestHost, userId = 'u-alice') =>
  (await host.auth.sessions.list(userId)).filter(({ kind }) => kind === 'token')

/** A bus between the processes of a test. */
function testBus(): RevocationBus {
  const listeners = new Set<Parameters<RevocationBus['subscribe']>[0]>()
  return {
    async publish(event) {
      for (const listener of listeners) listener(event)
    },
    async subscribe(listener) {
      listeners.add(listener)
      return async () => void listeners.delete(listener)
    },
  }
}

describe('a named token', () => {
  it('is one of at most 20, however many of 50 at once are asked for in two processes', async () => {
    const [one, other] = await twoProcesses(0, withTokens)
    const { authToken } = await logIn(one)
    const ask = (host: TestHost) => post(host, namedTokens, { name: 'bot' }, bearer(authToken))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_none, index) => ask(index % 2 === 0 ? one : other)),
    )
    const made = answers.filter(({ status }) => status === 200)
    expect((await aliveTokens(one)).length).toBe(made.length)
    expect(made.length).toBeLessThanOrEqual(20)
    for (const { body } of made)
      expect((await get(one, '/me', bearer(body.data.token))).status).toBe(200)
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect(status).toBe(409)
      expect(body.error).toBe('too-many-named-tokens')
    }
    // One after the other, all 20.
    while ((await aliveTokens(one)).length < 20) await makeToken(one, authToken)
    const created = vi.spyOn(one.stores.sessions, 'create')
    const full = await ask(one)
    expect(full.status).toBe(409)
    expect(created).not.toHaveBeenCalled()
    const [{ id } = { id: '' }] = await aliveTokens(one)
    await remove(one, `${namedTokens}/${id}`, bearer(authToken))
    expect((await ask(one)).status).toBe(200)
    await afterAttack(one, answers)
  })

  it('is never left over where 50 are stored before any of them is counted', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    // The first has the store tried, by a row of its own.
    const { token: first } = await makeToken(host, authToken)
    const { create } = host.stores.sessions
    const door = gate()
    const arrived = door.shut()
    let stored = 0
    replace(host.stores.sessions, 'create', async (session: never) => {
      stored += 1
      if (stored === 50) door.open()
      else await door.pass()
      await create(session)
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(host, namedTokens, { name: 'bot' }, bearer(authToken))),
    )
    await arrived
    expect(stored).toBe(50)
    const made = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 409)
    expect(made.length + refused.length).toBe(50)
    const alive = await aliveTokens(host)
    expect(alive.length).toBe(1 + made.length)
    expect(alive.length).toBeLessThanOrEqual(20)
    expect((await get(host, '/me', bearer(first))).status).toBe(200)
    await afterAttack(host, answers)
  })

  it('with a wrong secret is 401 and touches nothing', async () => {
    const host = await startHost(withTokens)
    const { id, token } = await makeToken(host, (await logIn(host)).authToken)
    const before = await host.stores.sessions.find(id)
    host.clock.advance(3600)
    const touched = vi.spyOn(host.stores.sessions, 'touch')
    const last = token.endsWith('A') ? 'B' : 'A'
    const wrong = [
      `mar_pat_${id}.${randomBytes(32).toString('base64url')}`,
      `${token.slice(0, -1)}${last}`,
    ]
    const answers = []
    for (const secret of wrong) {
      answers.push(await get(host, '/me', bearer(secret)))
      answers.push(await get(host, '/me', { 'X-Auth-Token': secret, 'X-User-Id': 'u-alice' }))
      await expect(host.auth.authenticateToken(secret)).rejects.toMatchObject({ status: 401 })
      expect(await host.auth.sessions.revokeByToken(secret)).toBe(false)
    }
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(touched).not.toHaveBeenCalled()
    expect(await host.stores.sessions.find(id)).toEqual(before)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect(touched).toHaveBeenCalledOnce()
    await afterAttack(host, answers, wrong)
  })

  it('that is malformed or too long is 401, and neither store nor signer is asked', async () => {
    const keys = [await generateSigningKey()]
    const signer = joseSigner({ issuer: 'https://a.example', audience: 'a', keys })
    const verify = vi.spyOn(signer, 'verify')
    const host = await startHost({ options: { namedTokens: true, signer } })
    const { id, token } = await makeToken(host, (await logIn(host)).authToken)
    verify.mockClear()
    const find = vi.spyOn(host.stores.sessions, 'find')
    const malformed = [
      'mar_pat_',
      `mar_pat_${id}`,
      `mar_pat_${id}.`,
      `${token}A`,
      token.slice(0, -1),
      token.replace('.', ':'),
      token.replace('mar_pat_', 'mar_pat_mar_pat_'),
      `mar_pat_${'A'.repeat(8000)}`,
    ]
    for (const wrong of malformed) {
      expect((await get(host, '/me', bearer(wrong))).status, wrong.slice(0, 40)).toBe(401)
      expect(await host.auth.sessions.revokeByToken(wrong)).toBe(false)
    }
    await expect(
      host.auth.authenticateToken(`mar_pat_${'A'.repeat(1_000_000)}`),
    ).rejects.toMatchObject({ status: 401 })
    expect(find).not.toHaveBeenCalled()
    expect(verify).not.toHaveBeenCalled()
  })

  it('ends at once on every process over a bus, and on every socket', async () => {
    const [one, other] = await twoProcesses(0, { options: { namedTokens: true, bus: testBus() } })
    const { authToken } = await logIn(one)
    const { id, token } = await makeToken(one, authToken)
    const sockets = await Promise.all(
      [one, other].map(async ({ auth }) => {
        const socket = new TestSocket()
        const principal = await auth.sockets.authenticate(upgrade(bearer(token)))
        auth.sockets.track(socket, principal)
        return socket
      }),
    )
    for (const host of [one, other])
      expect((await get(host, '/me', bearer(token))).status).toBe(200)
    await remove(one, `${namedTokens}/${id}`, bearer(authToken))
    for (const host of [one, other])
      expect((await get(host, '/me', bearer(token))).status).toBe(401)
    expect(sockets.map(({ code }) => code)).toEqual([4401, 4401])
  })

  it('is ended by whoever holds it, once among 50', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { token } = await makeToken(host, authToken)
    const burst = await Promise.all(
      Array.from({ length: 50 }, () => host.auth.sessions.revokeByToken(token)),
    )
    expect(burst.filter(Boolean)).toHaveLength(1)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('ends with the password that it was made by, the thief’s with it', async () => {
    const host = await startHost(withTokens)
    const thief = await logIn(host)
    const { token } = await makeToken(host, thief.authToken)
    expect(await host.auth.passwordChanged('u-alice')).toBe(2)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('ends with a password that the host changes without a word, unless it is to survive', async () => {
    for (const [survives, status] of [
      [false, 401],
      [true, 200],
    ] as const) {
      const host = await startHost({
        options: {
          namedTokens: true,
          watchPasswordHash: true,
          accessTokensSurvivePasswordChange: survives,
        },
      })
      const { authToken } = await logIn(host)
      const { token } = await makeToken(host, authToken)
      const byHost = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'bot' })
      host.issued.add(byHost.token)
      host.users.change('u-alice', { passwordHash: await cheapHasher.hash('another one') })
      host.clock.advance(5)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
      expect((await get(host, '/me', bearer(token))).status).toBe(status)
      expect((await get(host, '/me', bearer(byHost.token))).status).toBe(status)
      await afterAttack(host, [])
    }
  })

  it('ends so too when the session that made it is older than the watch', async () => {
    const keys = [await generateSigningKey()]
    const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys })
    const before = await startHost({ options: { signer } })
    const { authToken } = await logIn(before)
    const { clock, users, stores } = before
    const settings = { watchPasswordHash: true, namedTokens: true }
    const host = await startHost({ options: { ...stores, users, clock, signer, ...settings } })
    const { token } = await makeToken(host, authToken)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    users.change('u-alice', { passwordHash: await cheapHasher.hash('another one') })
    clock.advance(5)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('that is guessed by its id asks for nothing of its user', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { token } = await makeToken(host, authToken)
    const guess = `${token.slice(0, token.indexOf('.') + 1)}${'A'.repeat(43)}`
    const found = vi.spyOn(host.users, 'findById')
    expect((await get(host, '/me', bearer(guess))).status).toBe(401)
    expect(found).not.toHaveBeenCalled()
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect(found).toHaveBeenCalled()
    await afterAttack(host, [])
  })

  it('survives another password where the host says so, and nothing else does', async () => {
    const options = { namedTokens: true, accessTokensSurvivePasswordChange: true }
    const host = await startHost({ options })
    const { authToken } = await logIn(host)
    host.clock.advance(1)
    const { authToken: kept } = await logIn(host)
    const { token } = await makeToken(host, authToken)
    const { sessionId: except } = await host.auth.authenticateToken(kept)
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
    })
    expect(await host.auth.passwordChanged('u-alice', { except })).toBe(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(kept))).status).toBe(200)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    // A code of the sign-in before is void as well.
    const exchange = { authorizationCode, codeVerifier }
    expect((await post(host, '/auth/pkce/token', exchange)).status).toBe(400)
    // A closed account leaves nothing.
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('is not left behind by a sign-out everywhere that comes while it is made', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { create } = host.stores.sessions
    const door = gate()
    const arrived = door.shut()
    replace(host.stores.sessions, 'create', async (session: never) => {
      await door.pass()
      await create(session)
    })
    const asked = post(host, namedTokens, { name: 'bot' }, bearer(authToken)).then((made) => made)
    await arrived
    await host.auth.sessions.revokeAllForUser('u-alice')
    door.open()
    const answer = await asked
    expect(answer.status).toBe(401)
    expect(await aliveTokens(host)).toEqual([])
    await afterAttack(host, answer)
  })

  it('is not made by a session that has ended in another process', async () => {
    const [one, other] = await twoProcesses(0, withTokens)
    const { authToken } = await logIn(one)
    expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
    await post(one, '/logout', undefined, bearer(authToken))
    const answer = await post(other, namedTokens, { name: 'bot' }, bearer(authToken))
    expect(answer.status).toBe(401)
    expect(await aliveTokens(other)).toEqual([])
  })

  it('is 503 in an outage, and leaves none whose secret nobody has', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const answers = []
    for (const method of ['create', 'find', 'listForUser'] as const) {
      const mend = breakDown(host.stores.sessions, method)
      host.clock.advance(6)
      answers.push(await post(host, namedTokens, { name: 'bot' }, bearer(authToken)))
      mend()
    }
    // The count after the insert is the one that fails.
    const { listForUser } = host.stores.sessions
    let calls = 0
    const mend = replace(host.stores.sessions, 'listForUser', async (...asked: never[]) => {
      calls += 1
      if (calls === 2) throw new Error('the database is away')
      return (listForUser as (...given: never[]) => Promise<never>)(...asked)
    })
    answers.push(await post(host, namedTokens, { name: 'bot' }, bearer(authToken)))
    mend()
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(await aliveTokens(host)).toEqual([])
    // In an outage a good token is no stranger's.
    const { token } = await makeToken(host, authToken)
    host.clock.advance(6)
    const repair = breakDown(host.stores.sessions, 'find')
    expect((await get(host, '/me', bearer(token))).status).toBe(503)
    repair()
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    await afterAttack(host, answers)
  })

  it('is not another user’s to see or to end, nor a sign-in of mine by this way', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { id, token } = await makeToken(host, authToken)
    const [login] = (await host.auth.sessions.list('u-alice')).filter(
      ({ kind }) => kind === 'login',
    )
    host.users.add({ id: 'u-bob', username: 'bob' })
    const bob = (await host.auth.sessions.open({ userId: 'u-bob', request: upgrade({}) })).token
    const answers = [
      await remove(host, `${namedTokens}/${id}`, bearer(bob)),
      await remove(host, `${namedTokens}/${login?.id}`, bearer(authToken)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect((await get(host, namedTokens, bearer(bob))).body.data.accessTokens).toEqual([])
    expect((await remove(host, namedTokens, bearer(bob))).body.data).toEqual({ revoked: 0 })
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    await afterAttack(host, answers)
  })

  it('has shown the factors of its maker, and ends when they change', async () => {
    const { host, token: authToken } = await enrolled(withTokens)
    const { token } = await makeToken(host, authToken)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    // The host alone cannot vouch for a factor.
    const byHost = await host.auth.namedTokens
      .create({ userId: 'u-alice', name: 'bot' })
      .catch((error: unknown) => (error as AuthError).code)
    expect(byHost).toBe('totp-required')
    await host.auth.secondFactors.reset('u-alice')
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('of a user who must have a second factor by now does nothing until it is made anew', async () => {
    let policy: 'required' | 'optional' = 'optional'
    const host = await startHost({ options: { namedTokens: true, secondFactor: () => policy } })
    const { token } = await makeToken(host, (await logIn(host)).authToken)
    policy = 'required'
    host.clock.advance(6)
    const answer = await get(host, '/me', bearer(token))
    expect(answer.body.error).toBe('second-factor-enrolment-required')
    expect((await get(host, '/auth/totp', bearer(token))).status).toBe(403)
    expect((await post(host, '/logout', undefined, bearer(token))).status).toBe(200)
  })

  it('may do nothing any more once its user is disabled', async () => {
    const host = await startHost(withTokens)
    const { token } = await makeToken(host, (await logIn(host)).authToken)
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(6)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })
})
