// What passkeys cost: nothing to a host without them, and to one with them little at a time.
import { describe, expect, it } from 'vitest'
import { encryptionKey, password, passwordHash } from '../support/host.js'
import { loadedDoing, packagesOf } from '../support/loaded-files.js'
import { inOneMemory, openServers } from '../support/server-processes.js'
import { assertion, creation, newPasskey, origin, rpId } from './authenticator.js'

const late = ['@simplewebauthn/server', 'reflect-metadata', 'tslib']

/**
 * A host that serves, in a process of its own. What it puts off for up to six seconds when it is
 * made comes after `wait` milliseconds.
 */
const host = (options: string, wait: number, then: string) => `
  const later = globalThis.setTimeout
  const { createServer } = await import('node:http')
  const { createAuthRouter, generateSigningKey, joseSigner } = await import('./dist/index.js')
  const { memoryStores, memoryOAuthStores, memoryPasskeyStore } =
    await import('./dist/stores/memory.js')
  const { simpleWebAuthn } = await import('./dist/passkeys.js')
  const alice = { id: 'a', username: 'alice', name: 'Alice', passwordHash: '${passwordHash}' }
  const users = { findByIdentifier: async () => alice, findById: async () => alice }
  const keys = [await generateSigningKey()]
  const signer = joseSigner({ issuer: '${origin}', audience: 'chat', keys })
  const encryptionKeys = ['${encryptionKey}']
  const { once } = memoryOAuthStores()
  const store = memoryPasskeyStore()
  const origins = ['${origin}']
  const passkeys = { rpId: '${rpId}', origins, verifier: simpleWebAuthn(), store, once }
  const stores = memoryStores()
  globalThis.setTimeout = (work, ms, ...given) => later(work, ms > 6000 ? ms : ${wait}, ...given)
  const auth = createAuthRouter({ users, ...stores, signer, encryptionKeys, ${options} })
  globalThis.setTimeout = later
  const { default: express } = await import('express')
  const server = createServer(express().use(auth)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const post = async (path, body, headers = {}) => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return [answer.status, answer.status === 404 ? {} : await answer.json()]
  }
  const [status, { data }] = await post('/login', { username: 'alice', password: '${password}' })
  if (status !== 200) throw new Error('no login')
  const [asked] = await post('/auth/passkey/options', {})
  ${then}
  server.closeAllConnections()
  server.close()
  await auth.close()
  process.exit()`

const nothing = "if (asked !== 404) throw new Error('passkeys answer')"
const options = "if (asked !== 200) throw new Error('passkeys do not answer')"
const pause = 'await new Promise((resolve) => later(resolve, 500))'
const until = `for (let n = 0; n < 400 && !('decorate' in Reflect); n += 1)
  await new Promise((resolve) => later(resolve, 50))`
/** Sends a passkey that is none, for a challenge that is none, or for one of the server's. */
const add = (challenge: string) => `
  const headers = { Authorization: 'Bearer ' + data.authToken }
  const [, begun] = await post('/auth/passkeys/options', {}, headers)
  const clientData = { type: 'webauthn.create', challenge: ${challenge}, origin: '${origin}' }
  const clientDataJSON = Buffer.from(JSON.stringify(clientData)).toString('base64url')
  const response = { clientDataJSON, attestationObject: 'AAAA' }
  const none = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response }
  const [refused] = await post('/auth/passkeys', { response: none }, headers)
  if (refused !== 400) throw new Error('it was added')`

describe('what a process loads', () => {
  const loadedLate = (...given: Parameters<typeof host>) =>
    late.filter((name) => packagesOf(loadedDoing(host(...given))).has(name))

  it('is nothing of passkeys without the option, also once it has been up for long', () => {
    expect(loadedLate('', 1, `${nothing}; ${pause}`)).toEqual([])
  }, 30_000)

  it('is nothing of them with the option, before the first ceremony', () => {
    expect(loadedLate('passkeys', 60_000, `${options}; ${add("'AAAA'")}; ${pause}`)).toEqual([])
  }, 30_000)

  it('is the library with the first ceremony', () => {
    expect(loadedLate('passkeys', 60_000, `${options}; ${add('begun.data.challenge')}`)).toEqual(
      late,
    )
  }, 60_000)

  it('is the library some seconds after the start, for whoever comes first', () => {
    expect(loadedLate('passkeys', 1, `${options}; ${until}`)).toEqual(late)
  }, 60_000)
})

describe('a sign-in by a passkey', () => {
  it('takes a few milliseconds of the server’s time', async () => {
    const { post, call } = await (await openServers(inOneMemory)).start()
    /** Microseconds that the server has computed for so far. */
    async function cpu(): Promise<number> {
      const { user, system } = await call<NodeJS.CpuUsage>('process.cpuUsage')
      return user + system
    }

    const token = (await post('/login', { username: 'alice', password })).data.authToken
    const passkey = newPasskey()
    const { data } = await post('/auth/passkeys/options', {}, token)
    passkey.userHandle = data.user.id
    await post('/auth/passkeys', { response: creation(passkey, data.challenge) }, token)
    const taken: number[] = []
    for (let round = 0; round < 220; round += 1) {
      const before = await cpu()
      const { challenge } = (await post('/auth/passkey/options', {})).data
      const response = assertion(passkey, challenge)
      expect((await post('/auth/passkey/login', { response })).status).toBe(200)
      // The first ones are those of a cold process.
      if (round >= 20) taken.push(((await cpu()) - before) / 1000)
    }
    const median = taken.toSorted((one, other) => one - other)[taken.length / 2] as number
    process.stdout.write(`a sign-in by a passkey: ${median.toFixed(2)} ms of computing\n`)
    // 15 are promised; a machine that has much else to do takes longer for the same.
    expect(median).toBeLessThan(30)
  }, 120_000)
})
