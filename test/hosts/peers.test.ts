// Hosts of one's own, with peers of the age that running servers have.
import type express from 'express'
import express4 from 'express4-16'
import { Redis } from 'ioredis'
import type { RevocationBus, SessionEnded } from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisUrl } from '../support/services.js'
import { type Chat, password, startChat } from './support/chat.js'
import { bearer, get, openSocket, refresh, signIn, signOut } from './support/client.js'

const alice = { username: 'alice', password }

/** From the login to the logout, on one process or on two that share their stores. */
async function walk({ api, origin }: Chat, other: Pick<Chat, 'api'> = { api }) {
  const signedIn = await signIn(api, alice)
  expect((await get(`${other.api}/rooms`)).status).toBe(401)
  const rooms = await get(`${other.api}/rooms`, bearer(signedIn.authToken))
  expect(rooms).toMatchObject({ status: 200, json: { for: 'u-alice' } })
  const renewed = await refresh(other.api, signedIn.refreshToken)
  const { first, closed } = await openSocket(`${origin}/ws`, renewed.authToken)
  expect(await first).toBe('hello u-alice')
  expect((await signOut(other.api, renewed.authToken)).status).toBe(200)
  expect(await closed).toBe(4401)
  for (const token of [signedIn.authToken, renewed.authToken])
    expect((await get(`${api}/rooms`, bearer(token))).status).toBe(401)
}

describe('a host on Express 4.16', () => {
  it('signs in, guards, refreshes, and closes the socket at the logout', async () => {
    await walk(await startChat({ express: express4 as typeof express }))
  })

  it('may parse bodies before the router', async () => {
    const before = (app: ReturnType<typeof express>) => void app.use(express4.json())
    await walk(await startChat({ express: express4 as typeof express, before }))
  })
})

describe.skipIf(redisUrl === null)('two processes of a host', () => {
  const url = redisUrl ?? ''
  const name = `hosts-${process.pid}-${Date.now()}:`

  /** Two routers on the same Redis, each with a connection of its own. */
  async function walkOnTwo(connect: () => Promise<Parameters<typeof redisBus>[0]>) {
    const heard: SessionEnded[] = []
    const start = async () => {
      const client = await connect()
      const bus = redisBus(client, { channel: name })
      const recording: RevocationBus = {
        ...bus,
        subscribe: (listener) =>
          bus.subscribe((ended) => {
            if ('sessionId' in ended) heard.push(ended)
            listener(ended)
          }),
      }
      const stores = redisStores(client, { prefix: name, logger: { warn: () => {} } })
      return startChat({ options: { ...stores, bus: recording } })
    }
    const [first, second] = [await start(), await start()]
    await walk(first, second)
    // Without the bus, the process of the socket would look by itself, seconds later.
    const { sessionId } = heard[0] ?? {}
    expect(heard).toEqual(
      [0, 1].map(() => expect.objectContaining({ sessionId, reason: 'logout' })),
    )
  }

  it('share sessions, and the end of their sockets, over redis 5', async () => {
    await walkOnTwo(async () => {
      const client = createClient({ url })
      await client.connect()
      onTestFinished(() => client.destroy())
      return client
    })
  })

  it('share sessions, and the end of their sockets, over ioredis 5', async () => {
    await walkOnTwo(async () => {
      const client = new Redis(url)
      onTestFinished(() => client.disconnect())
      return client
    })
  })
})
