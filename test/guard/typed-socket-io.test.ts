import { Server } from 'socket.io'
import { expect, it } from 'vitest'
import type { Principal, TrackedSocket } from '../../src/index.js'
import { startHost } from '../support/host.js'

interface ToServer {
  say(text: string): void
  renew(token: string, answer: (ok: boolean) => void): void
}
interface ToClient {
  said(text: string, by: string): void
  'auth.ended'(end: { code: number; reason: string }): void
}
interface Data {
  auth: Principal
  authSocket: TrackedSocket
  room?: string
}
type NoData = Record<string, never>

// That this file compiles is the test: an interface has no index signature, and events of one's own
// accept no other.
it(
  'the guard of Socket.IO fits a server with types of its own, whose handlers then know who is ' +
    'there',
  async () => {
    const { auth } = await startHost()
    const io = new Server<ToServer, ToClient, NoData, Data>()
    io.use(auth.sockets.socketIo(io))
    io.of('/admin').use(auth.sockets.socketIo())
    io.of(/^\/room-\d+$/).use(auth.sockets.socketIo())
    io.on('connection', (socket) => {
      const userId: string = socket.data.auth.userId
      socket.on('say', (text) => io.emit('said', text, userId))
      socket.on('renew', (token, answer) =>
        socket.data.authSocket.renew(token).then(
          () => answer(true),
          () => answer(false),
        ),
      )
    })
    expect(io.of('/').listenerCount('connection')).toBe(1)
  },
)
