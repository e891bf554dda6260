import { describe, expect, it } from 'vitest'
import type { PasskeyVerifier } from '../../src/passkeys/contract.js'
import { memoryPasskeyStore } from '../../src/stores/memory-sign-in-methods.js'
import { memoryOAuthStores } from '../../src/stores/memory-stores.js'
import { moments, newPasskeyRecord } from '../../src/stores/new-records.js'
import { assertion, newPasskey, origin, rpId } from '../passkeys/authenticator.js'
import { expectSameTime } from './measure.js'
import { startTimedHost } from './timed-host.js'

/** None is shown that would have to be verified. */
const verifier: PasskeyVerifier = {
  verifyCreation: async () => null,
  verifyAssertion: async () => null,
}

/** A host that demands alice's passkey besides her password. */
async function start() {
  const store = memoryPasskeyStore()
  const { id: credentialId } = newPasskey()
  const passkey = newPasskeyRecord(moments(), { credentialId, userId: 'u-alice' })
  await store.create(passkey, { most: 20, recoveryCodeHashes: [] })
  const { once } = memoryOAuthStores()
  const passkeys = { rpId, origins: [origin], verifier, store, once, asSecondFactor: 'always' }
  const { url } = await startTimedHost({ options: { passkeys: passkeys as never } })
  const shown = { ...newPasskey(), id: credentialId }
  return { url, shown }
}

describe('no clock tells', () => {
  it('who has a passkey, by the options of a sign-in', async () => {
    const { url } = await start()
    const path = '/auth/passkey/options'
    await expectSameTime({
      name: 'the options of a sign-in, for alice or for nobody',
      url,
      one: { path, body: { username: 'alice' } },
      other: { path, body: { username: 'nobdy' } },
      hashes: false,
      status: 200,
      // Each has a challenge of its own.
      read: (body) => body.replace(/"challenge":"[\w-]+"/, ''),
    })
  })

  it('who has a passkey, by a wrong password with one beside it', async () => {
    const { url, shown } = await start()
    const body = { password: 'wrong', passkey: assertion(shown, 'AAAA') }
    await expectSameTime({
      name: 'a wrong password with a passkey beside it, of alice or of nobody',
      url,
      one: { path: '/login', body: { ...body, username: 'alice' } },
      other: { path: '/login', body: { ...body, username: 'nobdy' } },
      hashes: true,
      status: 401,
    })
  })

  it('which passkeys there are, to who has no challenge', async () => {
    const { url, shown } = await start()
    const path = '/auth/passkey/login'
    const unknown = { ...shown, id: newPasskey().id }
    expect(unknown.id).toHaveLength(shown.id.length)
    await expectSameTime({
      name: 'a passkey without a challenge, that is known or not',
      url,
      one: { path, body: { response: assertion(shown, 'AAAA') } },
      other: { path, body: { response: assertion(unknown, 'AAAA') } },
      hashes: false,
      status: 401,
    })
  })
})
