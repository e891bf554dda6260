import { describe, expect, it } from 'vitest'
import { generateSigningKey, type JoseSignerOptions, joseSigner } from '../../src/index.js'
import { manualClock } from '../../src/testing/testing.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost } from '../support/host.js'

const key = await generateSigningKey()

/** A host with such a signer, and an access token whose age past its end can be chosen. */
async function withToken(options: Partial<JoseSignerOptions>) {
  const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
  const signer = joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [key],
    clock,
    ...options,
  })
  const host = await startHost({ options: { clock, signer } })
  const { body } = await post(
    host,
    '/auth/pkce/token',
    await obtainCode(host, (await logIn(host)).authToken),
  )
  const end = clock().getTime() + body.expires_in * 1000
  return async (secondsPastItsEnd: number) => {
    clock.set(new Date(end + secondsPastItsEnd * 1000))
    return (await get(host, '/me', bearer(body.access_token))).status
  }
}

describe.each([
  [{ clockTolerance: 60 }, [30, 59], [60, 61, 62, 120]],
  [{}, [0, 4], [5, 6, 30, 61]],
  [{ clockTolerance: 0 }, [-1], [0, 1]],
])('a token of joseSigner(%j), through the router', (options, accepted, refused) => {
  it.each(accepted)(
    'is accepted %i seconds past its end, first seen then or used before',
    async (seconds) => {
      expect(await (await withToken(options))(seconds)).toBe(200)
      const use = await withToken(options)
      for (const before of [-300, seconds - 10, seconds - 3, seconds])
        expect(await use(before)).toBe(200)
    },
  )

  it.each(refused)(
    'is refused %i seconds past its end, first seen then or used before',
    async (seconds) => {
      expect(await (await withToken(options))(seconds)).toBe(401)
      const use = await withToken(options)
      const last = Math.max(...accepted)
      for (const before of [-1, last]) expect(await use(before)).toBe(200)
      expect(await use(seconds)).toBe(401)
    },
  )
})
