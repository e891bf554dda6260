// Recovery codes of a user who switches TOTP off, and has a passkey.
import { describe, expect, it } from 'vitest'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { SecondFactorStore } from '../../src/stores/second-factor-contract.js'
import { totpCode } from '../../src/testing/testing.js'
import { password } from '../support/host.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

const alice = { username: 'alice', password }

/** A host that asks for a second factor of whoever has one. */
function startAsking(
  change: (store: SecondFactorStore) => Partial<SecondFactorStore> = () => ({}),
) {
  const { secondFactors } = memoryStores()
  return startPasskeys({
    passkeys: { asSecondFactor: 'always' },
    options: { secondFactors: { ...secondFactors, ...change(secondFactors) } },
  })
}

/** Sets TOTP up as a user does: her app, and the recovery codes that she has written down. */
async function setUpTotp(host: PasskeyHost, token: string) {
  const { data } = await host.post('/auth/totp', { password }, token)
  const app = () => {
    host.clock.advance(30)
    return totpCode(data['secret'] as string, host.clock())
  }
  const confirmed = await host.post('/auth/totp/confirm', { code: app() }, token)
  expect(confirmed.status).toBe(200)
  return { app, codes: confirmed.data.recoveryCodes as [string, ...string[]] }
}

const switchOff = (host: PasskeyHost, code: string, token: string) =>
  host.post('/auth/totp/disable', { password, code }, token)
const signInBy = (host: PasskeyHost, code: string) => host.post('/login', { ...alice, code })
const removeKey = (host: PasskeyHost, id: string, token: string) =>
  host.ask('DELETE', `/auth/passkeys/${id}`, undefined, token)
const statusOf = async (host: PasskeyHost, token: string) =>
  (await host.ask('GET', '/auth/totp', undefined, token)).data

/** With TOTP first, then a passkey, and then without TOTP. */
async function keepsCodes(host: PasskeyHost) {
  const token = await host.logIn()
  const { app, codes } = await setUpTotp(host, token)
  const { passkey, added } = await host.add(token)
  expect(added.data.recoveryCodes).toBeUndefined()
  expect((await switchOff(host, app(), token)).status).toBe(200)
  return { token, codes, passkey }
}

describe('recovery codes of TOTP that is switched off, where there is a passkey', () => {
  it('stand in for the passkey after the password, each once', async () => {
    const host = await startAsking()
    const { codes, token } = await keepsCodes(host)
    expect(await statusOf(host, token)).toEqual({ enabled: false, recoveryCodesLeft: 10 })
    const due = await host.due()
    expect(due.body).toMatchObject({
      error: 'totp-required',
      details: { method: 'passkey', availableMethods: ['passkey', 'recovery'] },
    })
    expect((await signInBy(host, codes[0])).status).toBe(200)
    expect((await signInBy(host, codes[0])).body.error).toBe('totp-invalid')
    expect(await statusOf(host, token)).toEqual({ enabled: false, recoveryCodesLeft: 9 })
    host.clock.advance(3600)
    for (const code of codes.slice(1)) expect((await signInBy(host, code)).status).toBe(200)
    expect(host.events.filter(({ type }) => type === 'recovery-code.used')).toHaveLength(10)
  })

  it('open one session for one of 20 who send the same', async () => {
    const host = await startAsking()
    const { codes } = await keepsCodes(host)
    const answers = await Promise.all(Array.from({ length: 20 }, () => signInBy(host, codes[0])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('are those that were left: a used one stays used, and one that was replaced void', async () => {
    const host = await startAsking()
    const token = await host.logIn()
    const { app, codes: replaced } = await setUpTotp(host, token)
    const proof = { password, code: app() }
    const { data } = await host.post('/auth/totp/recovery-codes', proof, token)
    const [used = '', left = ''] = data.recoveryCodes ?? []
    await host.add(token)
    expect((await signInBy(host, used)).status).toBe(200)
    expect((await switchOff(host, app(), token)).status).toBe(200)
    expect((await signInBy(host, used)).body.error).toBe('totp-invalid')
    expect((await signInBy(host, replaced[0])).body.error).toBe('totp-invalid')
    expect((await signInBy(host, left)).status).toBe(200)
  })

  it('stand beside those that came with a first passkey', async () => {
    const host = await startAsking()
    const token = await host.logIn()
    const { added } = await host.add(token)
    const { app, codes } = await setUpTotp(host, token)
    expect((await switchOff(host, app(), token)).status).toBe(200)
    for (const code of [added.data.recoveryCodes?.[0] ?? '', codes[0]])
      expect((await signInBy(host, code)).status).toBe(200)
  })

  it('are void once TOTP is set up anew', async () => {
    const host = await startAsking()
    const { codes, token } = await keepsCodes(host)
    host.clock.advance(60)
    const { codes: newer } = await setUpTotp(host, token)
    expect((await signInBy(host, codes[0])).body.error).toBe('totp-invalid')
    expect((await signInBy(host, newer[0])).status).toBe(200)
  })
})

describe('recovery codes that were kept', () => {
  it('go with the last passkey, and stand in for no later one', async () => {
    const host = await startAsking()
    const { codes, token, passkey } = await keepsCodes(host)
    const { passkey: second } = await host.add(token)
    expect((await removeKey(host, passkey.id, token)).status).toBe(200)
    expect((await statusOf(host, token))['recoveryCodesLeft']).toBe(10)
    expect((await removeKey(host, second.id, token)).status).toBe(200)
    expect((await statusOf(host, token))['recoveryCodesLeft']).toBe(0)
    const { added } = await host.add(token)
    expect((await signInBy(host, codes[0])).body.error).toBe('totp-invalid')
    expect((await signInBy(host, added.data.recoveryCodes?.[0] ?? '')).status).toBe(200)
  })

  it('stand in for no later passkey, though the store failed when the last one went', async () => {
    let fails = false
    const host = await startAsking((store) => ({
      async deleteKeptRecoveryCodes(userId) {
        if (fails) throw new Error('the database is gone')
        await store.deleteKeptRecoveryCodes(userId)
      },
    }))
    const { codes, token, passkey } = await keepsCodes(host)
    fails = true
    expect((await removeKey(host, passkey.id, token)).status).toBe(200)
    expect((await host.add(token)).added.status).toBe(503)
    fails = false
    await host.add(token)
    expect((await signInBy(host, codes[0])).body.error).toBe('totp-invalid')
  })

  it('are none where the last passkey is removed while TOTP is being switched off', async () => {
    let meanwhile = async () => {}
    const host = await startAsking((store) => ({
      async deactivate(...given) {
        await meanwhile()
        return store.deactivate(...given)
      },
    }))
    const token = await host.logIn()
    const { app } = await setUpTotp(host, token)
    const { passkey } = await host.add(token)
    meanwhile = async () => {
      expect((await removeKey(host, passkey.id, token)).status).toBe(200)
    }
    expect((await switchOff(host, app(), token)).status).toBe(200)
    expect(await host.stores.secondFactors.countRecoveryCodes('u-alice')).toBe(0)
    expect(await statusOf(host, token)).toEqual({ enabled: false, recoveryCodesLeft: 0 })
  })

  it('are none of a user without a passkey', async () => {
    const host = await startAsking()
    const token = await host.logIn()
    const { app } = await setUpTotp(host, token)
    expect((await switchOff(host, app(), token)).status).toBe(200)
    expect(await statusOf(host, token)).toEqual({ enabled: false, recoveryCodesLeft: 0 })
  })

  it.each(['secondFactors', 'passkeys'] as const)('go with auth.%s.reset', async (which) => {
    const host = await startAsking()
    const { codes } = await keepsCodes(host)
    await host.auth[which].reset('u-alice')
    if (which === 'passkeys') await host.add(await host.logIn())
    expect((await signInBy(host, codes[0])).body.error).toBe('totp-invalid')
  })

  it('let nobody in while the store cannot be asked for a passkey: 503, and TOTP stays', async () => {
    let fails = false
    const host = await startPasskeys({
      passkeys: { asSecondFactor: 'always' },
      store: (store) => ({
        ...store,
        async listForUser(userId) {
          if (fails) throw new Error('the database is gone')
          return store.listForUser(userId)
        },
      }),
    })
    const token = await host.logIn()
    const { app } = await setUpTotp(host, token)
    await host.add(token)
    fails = true
    expect((await switchOff(host, app(), token)).status).toBe(503)
    fails = false
    expect((await statusOf(host, token))['enabled']).toBe(true)
  })
})
