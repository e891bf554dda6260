import type { Server } from 'socket.io'
import { describe, expect, it, vi } from 'vitest'
import { logIn } from '../support/client.js'
import { rounds } from '../support/rounds.js'
import {
  connectTo,
  next,
  openRaw,
  refusalOf,
  startSocketIoHost,
  warningsOf,
} from '../support/socket-io.js'

describe('one connection', () => {
  it('joins and leaves a thousand times and leaves nothing behind', {
    timeout: 300_000,
  }, async () => {
    const host = await startSocketIoHost()
    host.io.of('/chat').use(host.auth.sockets.socketIo())
    let left = () => {}
    host.io.of('/chat').on('connection', (socket) => socket.on('disconnect', () => left()))
    const { authToken: token } = await logIn(host)
    const { socket: raw } = await openRaw(host)
    const joined = () => new Promise<void>((resolve) => raw.once('message', () => resolve()))
    const joinAndLeave = async () => {
      const gone = new Promise<void>((resolve) => {
        left = resolve
      })
      const answer = joined()
      raw.send(`40/chat,${JSON.stringify({ token })}`)
      await answer
      raw.send('41/chat,')
      await gone
    }
    const listeners = () => listenersOf(host.io)
    const warnings = await warningsOf(async () => {
      for (let join = 0; join < 500; join += 1) await joinAndLeave()
      const [heapBefore, listenersBefore] = [await heap(), listeners()]
      for (let join = 0; join < rounds(1000); join += 1) await joinAndLeave()
      expect(listeners()).toEqual(listenersBefore)
      // Less than what one closure for each join would keep, which is 3 KB.
      expect((await heap()) - heapBefore).toBeLessThan(rounds(1000) * 2 ** 11)
    })
    expect(warnings).toEqual([])
    expect(host.auth.stats().sockets).toEqual({ open: 0, sessions: 0 })
  })

  it(
    'is refused 300 times by a middleware after the guard, and not one of the refused is ' +
      'counted',
    async () => {
      const host = await startSocketIoHost()
      host.io.use(host.auth.sockets.socketIo())
      host.io
        .of('/admin')
        .use(host.auth.sockets.socketIo())
        .use((_socket, goOn) => goOn(new Error('not an admin')))
      const { authToken: token } = await logIn(host)
      const own = connectTo(host, { auth: { token }, transports: ['websocket'] })
      await next(own, 'connect')
      const before = listenersOf(host.io)
      const warnings = await warningsOf(async () => {
        for (let join = 0; join < 300; join += 1) {
          const admin = own.io.socket('/admin', { auth: { token } })
          expect((await refusalOf(admin)).message).toBe('not an admin')
          admin.disconnect()
        }
      })
      expect(warnings).toEqual([])
      expect(listenersOf(host.io)).toEqual(before)
      expect(host.auth.stats().sockets).toEqual({ open: 1, sessions: 1 })
      expect((await host.auth.sessions.list('u-alice'))[0]?.liveSockets).toBe(1)
    },
  )

  it(
    'that joins a namespace twice at once has two sockets there, and neither outlives the ' +
      'session',
    async () => {
      const host = await startSocketIoHost()
      host.io.of('/live').use(host.auth.sockets.socketIo())
      const { authToken: token } = await logIn(host)
      const { socket, packets } = await openRaw(host)
      for (let join = 0; join < 2; join += 1) socket.send(`40/live,${JSON.stringify({ token })}`)
      await vi.waitFor(() =>
        expect(packets.filter((packet) => packet.startsWith('40/live'))).toHaveLength(2),
      )
      expect(host.auth.stats().sockets).toEqual({ open: 2, sessions: 1 })
      await host.auth.sessions.revokeAllForUser('u-alice')
      expect(host.auth.stats().sockets.open).toBe(0)
      await vi.waitFor(() =>
        expect(packets.filter((packet) => packet.startsWith('41/live'))).toHaveLength(2),
      )
      expect(host.io.of('/live').sockets.size).toBe(0)
    },
  )
})

/** Collected first. */
async function heap(): Promise<number> {
  const { setFlagsFromString } = await import('node:v8')
  const { runInNewContext } = await import('node:vm')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

/** How many listen to each connection and to what becomes of it. */
function listenersOf(io: Server): number[] {
  const { clients } = io.engine as unknown as { clients: Record<string, NodeJS.EventEmitter> }
  return Object.values(clients).flatMap((connection) =>
    ['close', 'error', 'data'].map((event) => connection.listenerCount(event)),
  )
}
