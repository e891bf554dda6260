import { describe, expect, it } from 'vitest'
import { startPasskeys } from './passkey-host.js'

describe('a session that was proved anew in another process', () => {
  it('is fresh here at once, though its row is remembered as it was', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const [session] = await host.sessionsOf()
    const { id = '', methods = [] } = session ?? {}
    const options = async () => (await host.post('/auth/passkeys/options', {}, token)).status
    host.clock.advance(601)
    expect(await options()).toBe(403)
    // As the other process writes it.
    const authenticatedAt = host.clock()
    await host.stores.sessions.setAuthenticated?.(id, { methods, authenticatedAt })
    expect(await options()).toBe(200)
  })
})
