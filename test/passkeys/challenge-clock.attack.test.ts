import { describe, expect, it } from 'vitest'
import { assertion } from './authenticator.js'
import { startPasskeys } from './passkey-host.js'

describe('a challenge of a process whose clock is ahead', () => {
  it.each([
    [60, 200],
    [61, 401],
  ])('by %i seconds is answered %i', async (ahead, status) => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    host.clock.advance(ahead)
    const response = assertion(passkey, await host.challenge())
    host.clock.advance(-ahead)
    expect((await host.post('/auth/passkey/login', { response })).status).toBe(status)
    expect(host.reasons()).toEqual(status === 200 ? [] : ['unknown-challenge'])
  })
})
