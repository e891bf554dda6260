// The host may say that its own word for a second factor, `mfa`, counts. Then it counts where a
// policy is to be satisfied, and nowhere where the router answers for what it has judged itself.
import { describe, expect, it } from 'vitest'
import { startPasskeys } from './passkey-host.js'

const request = { headers: {}, socket: { remoteAddress: '203.0.113.7' } } as never

/** A session of alice's, for whom the host vouches by `mfa`. */
async function openByHost(acceptHostMfa: boolean) {
  const host = await startPasskeys({ options: { secondFactor: { acceptHostMfa } } })
  const asked = { userId: 'u-alice', request, methods: ['pwd', 'mfa'] } as const
  const { token, session } = await host.auth.sessions.open(asked)
  const methods = async () => (await host.stores.sessions.find(session.id))?.methods
  return { host, token, methods }
}

describe('mfa, for which the host vouches', () => {
  it('lets a passkey be added beside TOTP only where the host has said that it counts', async () => {
    for (const acceptHostMfa of [true, false]) {
      const { host, token } = await openByHost(acceptHostMfa)
      await host.importTotp()
      const { status, body } = await host.post('/auth/passkeys/options', {}, token)
      expect([status, body.error]).toEqual(
        acceptHostMfa ? [200, undefined] : [403, 'reauthentication-required'],
      )
      expect(await host.store.listForUser('u-alice')).toEqual([])
    }
  })

  it('is no factor of the router: it stays when the last passkey takes its own away', async () => {
    for (const acceptHostMfa of [true, false]) {
      const { host, token, methods } = await openByHost(acceptHostMfa)
      const { passkey, added } = await host.add(token)
      expect(added.status).toBe(200)
      expect(await methods()).toEqual(['pwd', 'mfa', 'passkey'])
      expect((await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, {}, token)).status).toBe(200)
      expect(await methods()).toEqual(['pwd', 'mfa'])
    }
  })
})
