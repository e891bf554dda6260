import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, obtainCode, post } from '../support/client.js'
import { passwordHash, startHost, totpSecret } from '../support/host.js'
import { open, startSigningHost } from '../support/host-sign-in.js'
import { codeOf, noon, replace, totp } from '../support/two-factor.js'

describe('auth.sessions.open', () => {
  it('opens a session for whom the host vouches for, with or without a password', async () => {
    const host = await startSigningHost()
    host.users.add({ id: 'u-link', passwordHash: null })
    const { status, body } = await open(host, { userId: 'u-link' })
    expect(status).toBe(200)
    const principal = await host.auth.authenticateToken(body.token)
    expect(principal).toMatchObject({ userId: 'u-link', methods: ['host'], scope: ['*'] })
    expect(host.events.map(({ type }) => type)).toEqual(['session.started', 'session.opened'])
  })

  it('opens none for a user who is disabled or unknown, nor against a veto', async () => {
    const doors: string[] = []
    const beforeLogin = ({ door, user }: { door: string; user: { id: string } }) => {
      doors.push(door)
      return user.id === 'u-vetoed' ? 'Not on Sundays.' : undefined
    }
    const host = await startSigningHost({ options: { beforeLogin } })
    host.users.add({ id: 'u-off', disabled: true })
    host.users.add({ id: 'u-vetoed' })
    const answers = [
      await open(host, { userId: 'u-off' }),
      await open(host, { userId: 'u-none' }),
      await open(host, { userId: 'u-vetoed' }),
    ]
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [401, 'Unauthorized'],
      [401, 'Unauthorized'],
      [403, 'forbidden'],
    ])
    expect(answers[2]?.body.message).toBe('Not on Sundays.')
    expect(doors).toEqual(['host'])
    const refusals = host.events.filter(({ type }) => type === 'session.refused')
    expect(refusals).toMatchObject([
      { reason: 'disabled', userId: 'u-off' },
      { reason: 'unknown-user', userId: 'u-none' },
      { reason: 'vetoed', userId: 'u-vetoed' },
    ])
    await afterAttack(host, [])
  })

  it('asks for the second factor, which works once among 50, and limits wrong codes', async () => {
    const host = await startSigningHost({ now: noon })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    expect((await open(host)).body).toMatchObject({ error: 'totp-required' })
    const body = { userId: 'u-alice', code: codeOf(host, totpSecret) }
    const burst = await Promise.all(Array.from({ length: 50 }, () => open(host, body)))
    expect(burst.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    const later = await Promise.all(
      Array.from({ length: 20 }, () => open(host, { userId: 'u-alice', code: '000000' })),
    )
    expect(later.some(({ status, body: { retryAfter } }) => status === 429 && retryAfter > 0)).toBe(
      true,
    )
    await afterAttack(host, [])
  })

  it.each(['otp', 'recovery', 'passkey', 'x', 'host mfa', 7, null])(
    'takes nobody’s word for the method %j',
    async (method) => {
      const host = await startSigningHost()
      for (const methods of [[method], ['host', method], method, []])
        expect((await open(host, { userId: 'u-alice', methods })).status).toBe(400)
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
      await afterAttack(host, [])
    },
  )

  it('takes no odd id, code, lifetime or member', async () => {
    const host = await startSigningHost()
    const bodies = [
      {},
      { userId: '' },
      { userId: 7 },
      { userId: { $ne: null } },
      { userId: 'x'.repeat(2000) },
      { userId: 'u-alice', code: '1'.repeat(65) },
      { userId: 'u-alice', code: '' },
      { userId: 'u-alice', lifetime: { idle: -1 } },
      { userId: 'u-alice', lifetime: { absolute: 1.5 } },
      { userId: 'u-alice', tokens: 'all' },
      { userId: 'u-alice', scope: ['*'] },
    ]
    for (const body of bodies) expect((await open(host, body)).status).toBe(400)
    await expect(host.auth.sessions.open({ userId: 'u-alice' } as never)).rejects.toMatchObject({
      status: 400,
    })
    await afterAttack(host, [])
  })

  it('keeps to maxSessionsPerUser among 50 at once', async () => {
    const host = await startSigningHost({ options: { maxSessionsPerUser: 3 } })
    const burst = await Promise.all(Array.from({ length: 50 }, () => open(host)))
    expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200))
    await open(host)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(3)
  })

  it('leaves no session to a user who was disabled, or got a factor, meanwhile', async () => {
    for (const change of ['disabled', 'factor']) {
      const host = await startSigningHost()
      const { create } = host.stores.sessions
      replace(host.stores.sessions, 'create', async (session: never) => {
        await create(session)
        if (change === 'disabled') host.users.change('u-alice', { disabled: true })
        else await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      })
      expect((await open(host)).status).toBe(401)
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
    }
  })

  it('is 503 and leaves no session where a store fails', async () => {
    const host = await startSigningHost()
    const away = async () => Promise.reject(new Error('away'))
    const mend = replace(host.stores.sessions, 'create', away)
    expect((await open(host)).status).toBe(503)
    mend()
    replace(host.users, 'findById', away)
    expect((await open(host)).status).toBe(503)
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
  })
})

describe('a policy that demands a second factor', () => {
  const policy = () => 'required' as const

  it('lets a session that the host opens enrol, and nothing else, whatever is vouched for', async () => {
    const host = await startSigningHost({ options: { secondFactor: policy } })
    for (const methods of [['host'], ['pwd', 'hwk', 'swk'], ['mfa']]) {
      const { body } = await open(host, { userId: 'u-alice', methods })
      expect(body.enrolmentRequired).toBe(true)
      const token = bearer(body.token)
      expect((await get(host, '/auth/sessions', token)).status).toBe(403)
      expect((await get(host, totp, token)).status).toBe(200)
      await expect(host.auth.authenticateToken(body.token)).rejects.toMatchObject({
        code: 'second-factor-enrolment-required',
      })
    }
  })

  it('is satisfied by mfa with acceptHostMfa alone, at each door that the session opens', async () => {
    const secondFactor = { policy, acceptHostMfa: true }
    const host = await startSigningHost({ options: { secondFactor } })
    const plain = await open(host, { userId: 'u-alice', methods: ['pwd', 'hwk'] })
    expect(plain.body.enrolmentRequired).toBe(true)
    const body = { userId: 'u-alice', methods: ['pwd', 'mfa'], tokens: 'refreshable' }
    const opened = (await open(host, body)).body
    expect(opened).not.toHaveProperty('enrolmentRequired')
    expect((await get(host, '/auth/sessions', bearer(opened.token))).status).toBe(200)
    const { refreshToken } = opened
    const next = await post(host, '/auth/refresh', { refreshToken })
    expect((await get(host, '/me', bearer(next.body.access_token))).status).toBe(200)
    const code = await obtainCode(host, opened.token)
    const exchanged = await post(host, '/auth/pkce/token', code)
    expect(exchanged.status).toBe(200)
    expect((await get(host, '/me', bearer(exchanged.body.access_token))).status).toBe(200)
  })

  it('and a factor of the user’s own is not asked for twice: only with acceptHostMfa', async () => {
    for (const acceptHostMfa of [false, true]) {
      const host = await startSigningHost({ options: { secondFactor: { acceptHostMfa } } })
      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      const { status } = await open(host, { userId: 'u-alice', methods: ['mfa'] })
      expect(status).toBe(acceptHostMfa ? 200 : 401)
    }
  })

  it('is refused by name where it is neither a function nor rules', async () => {
    for (const secondFactor of [7, 'required', { polcy: policy }, { acceptHostMfa: 'yes' }])
      await expect(startHost({ options: { secondFactor: secondFactor as never } })).rejects.toThrow(
        AuthConfigError,
      )
    const options = {
      ...memoryStores(),
      secondFactors: undefined as never,
      secondFactor: { policy },
    }
    await expect(startHost({ options })).rejects.toThrow(/secondFactor/)
  })
})

describe('auth.passwordChanged', () => {
  it('ends every session but one at once, with their codes, and forgets the networks', async () => {
    const host = await startSigningHost()
    host.users.add({ id: 'u-bob', passwordHash })
    const kept = (await open(host)).body
    const thief = (await open(host)).body
    const bob = (await open(host, { userId: 'u-bob' })).body
    const code = await obtainCode(host, thief.token)
    const { codeVerifier, codeChallenge } = await obtainCode(host, kept.token)
    const issued = await host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge })

    const except = kept.session.id
    expect(await host.auth.passwordChanged('u-alice', { except })).toBe(1)
    const status = async (token: string) => (await get(host, '/me', bearer(token))).status
    expect([await status(kept.token), await status(thief.token), await status(bob.token)]).toEqual([
      200, 401, 200,
    ])
    expect((await post(host, '/auth/pkce/token', code)).status).toBe(400)
    const exchange = { ...issued, codeVerifier }
    expect((await post(host, '/auth/pkce/token', exchange)).status).toBe(400)
    const reasons = host.events.flatMap((event) =>
      event.type === 'session.ended' ? [event.reason] : [],
    )
    expect(reasons).toEqual(['password-changed'])
    expect(await host.auth.passwordChanged('u-alice')).toBe(1)
    for (const odd of ['', 7, null, { $ne: null }])
      await expect(host.auth.passwordChanged(odd as string)).rejects.toMatchObject({ status: 400 })
    await afterAttack(host, [])
  })

  it('ends sessions in another process at once by the bus, and is 503 where the store fails', async () => {
    const listeners: ((event: never) => void)[] = []
    const bus = {
      publish: async (event: never) => {
        for (const listener of listeners) listener(event)
      },
      subscribe: async (listener: (event: never) => void) => {
        listeners.push(listener)
        return async () => {}
      },
    } as never
    const one = await startSigningHost({ options: { bus } })
    const other = await startHost({ options: { ...one.stores, users: one.users, bus } })
    const { token } = (await open(one)).body
    expect((await get(other, '/me', bearer(token))).status).toBe(200)
    await one.auth.passwordChanged('u-alice')
    expect((await get(other, '/me', bearer(token))).status).toBe(401)
    replace(one.stores.sessions, 'endAllForUser', async () => Promise.reject(new Error('away')))
    await expect(one.auth.passwordChanged('u-alice')).rejects.toMatchObject({ status: 503 })
  })
})
