// Requests of frameworks that imitate Node's: what they have of a request's headers is read.
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { logIn } from '../support/client.js'
import { startHost } from '../support/host.js'

/** As serverless-http makes it: headers, and no raw ones. */
function imitated(headers: Record<string, string>): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  return Object.assign(request, { method: 'GET', url: '/api/v1/me', headers })
}

describe('a request with headers and no raw ones', () => {
  it('is signed in by Authorization, and by X-Auth-Token and X-User-Id', async () => {
    const host = await startHost()
    const { authToken, userId } = await logIn(host)
    for (const headers of [
      { authorization: `Bearer ${authToken}` },
      { 'x-auth-token': authToken, 'x-user-id': userId },
    ])
      expect((await host.auth.authenticate(imitated(headers))).userId).toBe('u-alice')
  })

  it('is refused with both, as any other', async () => {
    const host = await startHost()
    const { authToken, userId } = await logIn(host)
    const both = {
      authorization: `Bearer ${authToken}`,
      'x-auth-token': authToken,
      'x-user-id': userId,
    }
    await expect(host.auth.authenticate(imitated(both))).rejects.toMatchObject({ status: 400 })
  })
})
