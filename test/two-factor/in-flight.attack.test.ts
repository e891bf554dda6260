import { describe, expect, it } from 'vitest'
import {
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type OtherFactor,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher, password, passwordHash, startHost, totpSecret } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectUnharmed,
  noon,
  replace,
  totp,
} from '../support/two-factor.js'

describe('a sign-in that is under way while the second factor changes', () => {
  it('by password alone comes to nothing when the factor is switched on meanwhile', async () => {
    const door = gate()
    const host = await startHost({
      now: noon,
      options: { describeUser: async () => void (await door.pass()) },
    })
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    const held = door.shut()
    const late = attempt(host).then((response) => response)
    await held
    await confirm(host, authToken, secret)
    door.open()
    expectAnswer(await late, 401, 'Unauthorized')
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    expect(host.events.slice(-2)).toMatchObject([
      { type: 'session.ended', userId: 'u-alice', reason: 'factor-changed' },
      { type: 'request.refused' },
    ])
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('by a code of another device comes to nothing as well', async () => {
    const door = gate()
    const host = await startHost({
      now: noon,
      options: { beforeLogin: async () => void (await door.pass()) },
    })
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    const code = await obtainCode(host, authToken)
    const held = door.shut()
    const late = post(host, '/auth/pkce/token', code).then((response) => response)
    await held
    await confirm(host, authToken, secret)
    door.open()
    expectAnswer(await late, 400, 'invalid_grant')
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
    expect(host.events.slice(-2)).toMatchObject([
      { type: 'session.ended', userId: 'u-alice', reason: 'factor-changed' },
      { type: 'code.refused', userId: 'u-alice', reason: 'second-factor-required' },
    ])
  })

  it('with a code of the phone that is switched off meanwhile comes to nothing', async () => {
    const door = gate()
    const { host, token, secret } = await enrolled({
      options: {
        describeUser: async () => void (await door.pass()),
        secondFactor: () => 'required',
      },
    })
    const held = door.shut()
    const late = attempt(host, codeOf(host, secret)).then((response) => response)
    await held
    host.clock.advance(30)
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
    door.open()
    expectAnswer(await late, 401, 'Unauthorized')
    expect((await attempt(host)).body.data.enrolmentRequired).toBe(true)
  })
})

describe('a session that was ended by another process a moment ago', () => {
  it('binds no phone, although this process still remembers it', async () => {
    const host = await startHost({ now: noon })
    const { authToken: stolen } = await logIn(host)
    const secret = await begin(host, stolen)
    await host.stores.sessions.endAllForUser('u-alice', 'revoked', host.clock())
    expect((await get(host, totp, bearer(stolen))).status).toBe(200)
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, secret) }, bearer(stolen)),
      401,
      'Unauthorized',
    )
    expectAnswer(await post(host, totp, { password }, bearer(stolen)), 401, 'Unauthorized')
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: false,
      recoveryCodesLeft: 0,
    })
  })

  it('makes no recovery codes and switches nothing off', async () => {
    const { host, token, secret } = await enrolled()
    await host.stores.sessions.endAllForUser('u-alice', 'revoked', host.clock())
    for (const path of ['/auth/totp/recovery-codes', disabling]) {
      host.clock.advance(30)
      expect((await change(host, path, token, codeOf(host, secret))).status).toBe(401)
      expect((await host.auth.secondFactors.status('u-alice')).recoveryCodesLeft).toBe(10)
    }
  })
})

describe('an authorization code that has shown a factor', () => {
  it('is void once that factor is taken away, or replaced', async () => {
    const host = await startHost({ now: noon })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const issue = async () => {
      const { codeChallenge, codeVerifier } = pkcePair()
      const code = codeOf(host, totpSecret)
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
        code,
      })
      return { authorizationCode, codeVerifier }
    }
    const first = await issue()
    await host.auth.secondFactors.reset('u-alice')
    expectAnswer(await post(host, '/auth/pkce/token', first), 400, 'invalid_grant')

    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    host.clock.advance(30)
    const second = await issue()
    await host.auth.secondFactors.reset('u-alice')
    host.clock.advance(1)
    await host.auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U',
    })
    expectAnswer(await post(host, '/auth/pkce/token', second), 400, 'invalid_grant')
  })

  it('tells the audit stream when it is refused to the host for a wrong code', async () => {
    const host = await startHost({ now: noon })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const { codeChallenge } = pkcePair()
    const wrong = host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      code: '000000',
    })
    await expect(wrong).rejects.toMatchObject({ code: 'totp-invalid' })
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'code.refused',
        reason: 'second-factor-invalid',
        userId: 'u-alice',
      }),
    )
  })
})

describe('a phone beside a factor of the host’s', () => {
  it('is not added by the password alone', async () => {
    let enabled = false
    const mail: OtherFactor = {
      name: 'email',
      isEnabled: async () => enabled,
      verify: async (_user, code) => ({ outcome: code === 'mailed' ? 'accepted' : 'refused' }),
    }
    const host = await startHost({ now: noon, options: { otherFactors: [mail] } })
    const { authToken: before } = await logIn(host)
    enabled = true
    expectAnswer(
      await post(host, totp, { password }, bearer(before)),
      403,
      'reauthentication-required',
    )
    const { body } = await attempt(host, 'mailed')
    expectAnswer(await post(host, totp, { password }, bearer(body.data.authToken)), 200)
  })
})

describe('an outage', () => {
  it('of the store of factors uses none of the guesses up: the user comes in once it is over', async () => {
    const { host, secret } = await enrolled()
    const mend = replace(host.stores.secondFactors, 'advanceStep', () =>
      Promise.reject(new Error('down')),
    )
    for (let i = 0; i < 12; i += 1) expectAnswer(await attempt(host, codeOf(host, secret)), 503)
    mend()
    expectAnswer(await attempt(host, codeOf(host, secret)), 200)
  })

  it('in the middle of a reset does not hide that a factor was taken away', async () => {
    const { host } = await enrolled()
    const { deactivate } = host.stores.secondFactors
    let mend = () => {}
    host.stores.secondFactors.deactivate = async (userId) => {
      mend = replace(host.stores.sessions, 'endAllForUser', () => Promise.reject(new Error('down')))
      return deactivate(userId)
    }
    await expect(host.auth.secondFactors.reset('u-alice')).rejects.toMatchObject({ status: 503 })
    mend()
    host.stores.secondFactors.deactivate = deactivate
    await host.auth.secondFactors.reset('u-alice')
    const told = host.events.flatMap((event) =>
      event.type === 'second-factor.reset' ? [event.hadFactor] : [],
    )
    expect(told).toEqual([true, false])
  })

  it('that leaves the session’s row unwritten leaves the factor on', async () => {
    const { host, token, secret } = await enrolled()
    const mend = replace(host.stores.sessions, 'setMethods', () =>
      Promise.reject(new Error('down')),
    )
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 503)
    mend()
    expect((await host.auth.secondFactors.status('u-alice')).enabled).toBe(true)
    host.clock.advance(30)
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
  })
})

describe('a polluted Object.prototype', () => {
  it('switches no limit off', async () => {
    const polluted = Object.prototype as { account?: unknown; secondFactor?: unknown }
    try {
      polluted.account = { points: 1000 }
      const host = await startHost()
      const wrong = () => post(host, '/login', { username: 'alice', password: 'wrong' })
      for (let i = 0; i < 5; i += 1) expect((await wrong()).status).toBe(401)
      expect((await wrong()).status).toBe(429)
    } finally {
      delete polluted.account
    }
  })

  it('accepts no code for a factor that answers nothing', async () => {
    const silent: OtherFactor = {
      name: 'email',
      isEnabled: async () => true,
      verify: async () => ({}) as never,
    }
    const host = await startHost({ options: { otherFactors: [silent] } })
    const polluted = Object.prototype as { outcome?: unknown }
    try {
      polluted.outcome = 'accepted'
      expect((await attempt(host, 'anything')).status).toBe(503)
    } finally {
      delete polluted.outcome
    }
  })
})

describe('secondFactors', () => {
  it('that are undefined are refused: as likely misspelt as meant', async () => {
    const key = await generateSigningKey()
    const user = { id: 'u', username: 'u', name: 'U', passwordHash }
    const options = {
      users: { findByIdentifier: async () => user, findById: async () => user },
      ...memoryStores(),
      secondFactors: undefined,
      signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [key] }),
      passwords: cheapHasher,
    }
    expect(() => createAuthRouter(options as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: 'secondFactors' }),
    )
  })
})
