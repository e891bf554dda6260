// While jose cannot be loaded, no token can be read: that is an outage, and signs nobody out.
import { expect, it, vi } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { startHost } from '../support/host.js'

vi.mock('jose/jwt/verify', () => {
  throw new Error('EMFILE')
})

it('a token is answered 503, never 401, and asks to try again', async () => {
  const host = await startHost()
  const { authToken } = await logIn(host)
  const { status, headers } = await get(host, '/me', bearer(authToken))
  expect([status, Number(headers['retry-after']) > 0]).toEqual([503, true])
})
