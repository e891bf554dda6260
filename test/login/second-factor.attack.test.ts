import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { logIn, obtainCode, post } from '../support/client.js'
import { encryptionKey, password, startHost, totpSecret } from '../support/host.js'

const withFactor = async () => {
  const host = await startHost()
  const { recoveryCodes } = await host.auth.secondFactors.importTotp({
    userId: 'u-alice',
    secret: totpSecret,
  })
  return { host, recoveryCodes }
}

describe('a second-factor code', () => {
  it('of more than 64 characters is 400, in the body and in x-2fa-code', async () => {
    const { host } = await withFactor()
    for (const [code, status] of [
      ['1'.repeat(64), 401],
      ['1'.repeat(65), 400],
    ] as const) {
      expect((await post(host, '/login', { username: 'alice', password, code })).status).toBe(
        status,
      )
      expect(
        (await post(host, '/login', { username: 'alice', password }, { 'x-2fa-code': code }))
          .status,
      ).toBe(status)
    }
  })

  it('is none when the x-2fa-code header is empty', async () => {
    const { host } = await withFactor()
    const asked = await post(host, '/login', { username: 'alice', password }, { 'x-2fa-code': '' })
    expect(asked.body.error).toBe('totp-required')
    const code = totpCode(totpSecret, host.clock())
    expect(
      (await post(host, '/login', { username: 'alice', password, code }, { 'x-2fa-code': '' }))
        .status,
    ).toBe(200)
    const without = await startHost()
    expect(
      (await post(without, '/login', { username: 'alice', password }, { 'x-2fa-code': '' })).status,
    ).toBe(200)
  })
})

describe('a seed', () => {
  it.each([0, 1, 10, 15])('of %i bytes is an outage and an alert, never a pass', async (length) => {
    const host = await startHost()
    const seed = Buffer.alloc(length, 7)
    const sealedSeed = createSeedVault([Buffer.from(encryptionKey, 'base64')]).seal('u-alice', seed)
    await host.stores.secondFactors.activate(
      { userId: 'u-alice', sealedSeed, lastStep: -1, createdAt: host.clock() },
      [],
    )
    const response = await post(host, '/login', { username: 'alice', password, code: '328482' })
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBeDefined()
    expect(host.events.map(({ type }) => type)).toContain('second-factor.unreadable')
    expect(host.events.map(({ type }) => type)).not.toContain('session.started')
    expect(host.unforeseen).toEqual([])
  })
})

describe('a session that a recovery code opened', () => {
  it(
    'has shown its second factor: it may ask for an authorization code, and that may be ' +
      'exchanged',
    async () => {
      const { host, recoveryCodes } = await withFactor()
      const { authToken } = await logIn(host, {
        username: 'alice',
        password,
        code: recoveryCodes[0],
      })
      const code = await obtainCode(host, authToken)
      expect((await post(host, '/auth/pkce/token', code)).status).toBe(200)
      expect(host.events.filter(({ type }) => type === 'recovery-code.used')).toHaveLength(1)
      expect(host.events.at(-2)).toMatchObject({
        type: 'session.started',
        methods: ['pwd', 'recovery'],
      })
    },
  )
})
