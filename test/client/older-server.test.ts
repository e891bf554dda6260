// The client against the server of an earlier release, out of its tarball. What that one does not
// know yet must not keep anybody from signing in.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { memoryStore } from '../../src/client/token-store.js'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { manualClock } from '../../src/testing/manual-clock.js'
import { cheapHasher, encryptionKey, password, passwordHash } from '../support/host.js'
import { testUsers } from '../support/users.js'

const tarball = new URL('./older/messaging-auth-router-0.1.0.tgz', import.meta.url)
// Within the project, so that it finds its dependencies here.
const folder = new URL('../../node_modules/.cache/older-release/', import.meta.url)
const unpacked = `${fileURLToPath(folder)}${process.pid}`

beforeAll(() => {
  mkdirSync(unpacked, { recursive: true })
  execFileSync('tar', ['-xzf', fileURLToPath(tarball), '-C', unpacked])
})
afterAll(() => rmSync(unpacked, { recursive: true, force: true }))

type Index = typeof import('../../src/index.js')
type Memory = typeof import('../../src/stores/memory-stores.js')

const load = async <Module>(path: string): Promise<Module> =>
  import(pathToFileURL(`${unpacked}/package/dist/${path}`).href) as Promise<Module>

/** A server of that release with alice, and clients of it. */
async function startOlder() {
  const { createAuthRouter } = await load<Index>('index.js')
  const { memoryStores } = await load<Memory>('stores/memory-stores.js')
  const clock = manualClock(new Date('2030-01-01T12:00:10Z'))
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice', name: 'Alice A.', passwordHash })
  const keys = [await generateSigningKey()]
  const auth = createAuthRouter({
    users,
    ...memoryStores(),
    signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys, clock }),
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    clock,
  })
  const server = createServer(express().use('/api/v1', auth))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await auth.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const clientOf = (storage = memoryStore()) => {
    const client = createAuthClient({ baseUrl, clock, storage })
    onTestFinished(() => client.close())
    return client
  }
  return { clock, clientOf }
}

describe('a client of the server of an earlier release', () => {
  it('signs in, refreshes, keeps its session over a reload, and signs out', async () => {
    const { clock, clientOf } = await startOlder()
    const storage = memoryStore()
    const client = clientOf(storage)
    expect(await client.signIn({ user: 'alice', password })).toMatchObject({ status: 'signed-in' })
    const first = await client.accessToken()
    clock.advance(700)
    expect((await client.me()).username).toBe('alice')
    expect(await client.accessToken()).not.toBe(first)
    const reloaded = clientOf(storage)
    expect((await reloaded.sessions.list()).map(({ current }) => current)).toEqual([true])
    await reloaded.signOut()
    await expect(client.me()).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(client.state.status).toBe('signed-out')
  })

  it('hands a session to another device by a code', async () => {
    const { clientOf } = await startOlder()
    const [phone, laptop] = [clientOf(), clientOf()]
    await phone.signIn({ user: 'alice', password })
    const codeVerifier = 'a-verifier-of-43-characters-and-no-less-0123'
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(codeVerifier))
    const challenge = Buffer.from(digest).toString('base64url')
    const { authorizationCode } = await phone.authorizationCode(challenge)
    const me = await laptop.exchangeCode({ authorizationCode, codeVerifier })
    expect(me.username).toBe('alice')
  })

  it('is told by a name that it knows what is not there', async () => {
    const { clientOf } = await startOlder()
    const client = clientOf()
    await client.signIn({ user: 'alice', password })
    const wrong = clientOf().signIn({ user: 'alice', password: 'wrong' })
    await expect(wrong).rejects.toMatchObject({ code: 'Unauthorized', status: 401 })
    // A route of a later release: Express answers with a page of its own.
    await expect(client.tokens.list()).rejects.toMatchObject({ status: 404 })
    expect((await client.me()).username).toBe('alice')
  })
})
