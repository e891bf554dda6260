import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { logIn, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'

/** One socket of a Socket.IO connection that may carry others; `next` gets what the middleware decided. */
function socketOn(host: TestHost, auth: object, readyState = 'open', headers: Record<string, string> = {}) {
  const conn = Object.assign(new EventEmitter(), { readyState, close: vi.fn() })
  const request = { headers, socket: { remoteAddress: '10.0.0.1' } }
  const disconnect = vi.fn()
  const socket = Object.assign(new EventEmitter(), { request, conn, handshake: { auth }, data: {}, disconnect })
  const next = new Promise<(Error & { data?: { status: number } }) | undefined>((resolve) => {
    host.auth.sockets.socketIo()(socket as never, resolve as never)
  })
  return { socket, next }
}
const count = async (host: TestHost) => (await host.auth.sessions.list('u-alice'))[0]?.liveSockets

describe('a Socket.IO socket', () => {
  it('that leaves is not counted, although its connection goes on for others; nor is one whose connection closed before', async () => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const { socket, next } = socketOn(host, { token })
    expect(await next).toBeUndefined()
    expect(await count(host)).toBe(1)
    socket.emit('disconnect')
    expect(await count(host)).toBe(0)
    expect(await socketOn(host, { token }, 'closed').next).toBeUndefined()
    expect(await count(host)).toBe(0)
  })

  it('whose session ends takes the whole connection with it: each socket on it was admitted by the same client', async () => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const { socket, next } = socketOn(host, { token })
    await next
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect(socket.disconnect).toHaveBeenCalledExactlyOnceWith(true)
  })

  it.each([[7], [['u-alice']], [null]])('with %j for a user id is a stranger', async (userId) => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    expect((await socketOn(host, { token, userId }).next)?.data).toEqual({ code: 'Unauthorized', status: 401 })
    expect(await count(host)).toBe(0)
  })

  it('with a token in its options and another in its headers is refused: two parts of a system could pick different ones', async () => {
    const host = await startHost()
    const { authToken: token } = await logIn(host)
    const { next } = socketOn(host, { token }, 'open', { authorization: 'Bearer another' })
    expect((await next)?.data).toEqual({ code: 'invalid-request', status: 400 })
    expect(await socketOn(host, { token }, 'open', { authorization: 'Basic YTpi' }).next).toBeUndefined()
  })

  it('does not bring news of an address: what is beneath it knows nothing of the proxies in front', async () => {
    const host = await startHost()
    const { authToken: token } = (await post(host, '/login', { username: 'alice', password })).body.data
    host.clock.advance(61)
    expect(await socketOn(host, { token }).next).toBeUndefined()
    const [session] = await host.auth.sessions.list('u-alice')
    expect(session).toMatchObject({ lastSeenAt: host.clock(), ip: '127.0.0.1' })
  })
})
