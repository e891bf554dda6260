import type { Socket } from 'socket.io-client'
import { describe, expect, it } from 'vitest'
import type { AuthClient } from '../../src/client/client.js'
import {
  type SocketIoAuthOptions,
  socketIoAuth,
} from '../../src/client/socket-io/socket-io-auth.js'
import { type HostSettings, password, passwordHash } from '../support/host.js'
import { connectTo, type SocketIoHost, startSocketIoHost } from '../support/socket-io.js'
import { alice, signedIn, tap } from './recorded.js'

async function start(settings: HostSettings = {}): Promise<SocketIoHost> {
  const host = await startSocketIoHost(settings)
  host.io.use(host.auth.sockets.socketIo(host.io))
  host.io.on('connection', (socket) => {
    socket.on('renew', (token: string) => void socket.data.authSocket.renew(token))
  })
  return host
}

interface Watched {
  readonly socket: Socket
  readonly told: string[]
}

function connect(host: SocketIoHost, client: AuthClient, options: SocketIoAuthOptions = {}) {
  const told: string[] = []
  const onEnded = () => void told.push('ended')
  const { auth, watch } = socketIoAuth(client, { onEnded, ...options })
  const socket = connectTo(host, { auth, autoConnect: false })
  socket.on('connect', () => void told.push('connect'))
  socket.on('disconnect', () => void told.push('disconnect'))
  watch(socket).connect()
  return { socket, told } satisfies Watched
}

describe('Socket.IO', () => {
  it('connects with the token of the moment, and again with a newer one when it ends', async () => {
    const host = await start()
    const client = await signedIn(host)
    host.clock.advance(700)
    const { told } = connect(host, client)
    await expect.poll(() => told).toEqual(['connect'])
    host.clock.advance(700)
    await expect.poll(() => told).toEqual(['connect', 'disconnect', 'connect'])
    expect(client.state.status).toBe('signed-in')
  })

  it('outlives its token where it may hand newer ones over', async () => {
    const host = await start()
    const client = await signedIn(host)
    const renew = (socket: object, token: string) => void (socket as Socket).emit('renew', token)
    const { told } = connect(host, client, { renew })
    await expect.poll(() => told).toEqual(['connect'])
    for (let round = 0; round < 3; round += 1) {
      host.clock.advance(500)
      const before = await client.accessToken()
      await expect.poll(() => client.accessToken()).not.toBe(before)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    host.clock.advance(90)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(told).toEqual(['connect'])
  })

  it('ends with the session, and the client is signed out', async () => {
    const host = await start()
    const client = await signedIn(host)
    const { told, socket } = connect(host, client)
    await expect.poll(() => told).toEqual(['connect'])
    await host.auth.sessions.revokeAllForUser('u-alice')
    await expect.poll(() => told).toEqual(['connect', 'ended', 'disconnect'])
    await expect.poll(() => client.state.status).toBe('signed-out')
    expect(socket.connected).toBe(false)
  })

  it('of nobody ends, and is not tried again', async () => {
    const host = await start()
    const client = await signedIn(host)
    await client.signOut()
    const { told } = connect(host, client)
    await expect.poll(() => told).toEqual(['ended'])
  })

  it('is tried again after an outage, and nobody is signed out', async () => {
    const host = await start()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    host.clock.advance(700)
    const away = () => Promise.reject(new TypeError('fetch failed'))
    for (let i = 0; i < 4; i += 1) wire.next('/auth/refresh', away)
    const { told } = connect(host, client)
    await expect.poll(() => told).toEqual(['connect'])
    expect(client.state.status).toBe('signed-in')
  })

  it('stays with its user: where somebody else has signed in, it ends', async () => {
    const host = await start()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const here: (string | undefined)[] = []
    host.io.on('connection', (socket) => void here.push(socket.data.authSocket.principal.userId))
    const client = await signedIn(host)
    const { told, socket } = connect(host, client)
    await expect.poll(() => told).toEqual(['connect'])
    socket.io.engine.close()
    await client.signIn({ user: 'bob', password })
    // As socket.io-client does by itself after a while.
    socket.connect()
    await expect.poll(() => told).toEqual(['connect', 'disconnect', 'ended'])
    expect(here).toEqual(['u-alice'])
    socket.connect()
    await expect.poll(() => here).toEqual(['u-alice', 'u-bob'])
    // The server knows of it first: a socket that is still connecting tells of no disconnect.
    await expect.poll(() => socket.connected).toBe(true)
    socket.disconnect()
    await client.signIn(alice)
    socket.connect()
    await expect.poll(() => here).toEqual(['u-alice', 'u-bob', 'u-alice'])
  })
})
