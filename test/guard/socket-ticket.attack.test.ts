import { describe, expect, it } from 'vitest'
import { bearer, logIn, obtainCode, post } from '../support/client.js'
import { startHost } from '../support/host.js'

describe('a socket that a ticket has opened', () => {
  it('ends with the access token that bought it, and not with the session', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { authorizationCode, codeVerifier } = await obtainCode(host, authToken)
    const { body: pair } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    const ends = host.clock().getTime() + pair.expires_in * 1000
    host.clock.advance(300)
    const bought = await post(host, '/auth/socket-ticket', undefined, bearer(pair.access_token))
    const protocols = `auth.ticket, ${bought.body.data.ticket}`
    const principal = await host.auth.sockets.authenticate({
      headersDistinct: { 'sec-websocket-protocol': [protocols] },
      headers: {},
      socket: {},
    } as never)
    expect(principal.kind).toBe('pkce')
    // A token says its end in whole seconds.
    expect(Math.abs(principal.expiresAt.getTime() - ends)).toBeLessThan(1000)
  })
})
