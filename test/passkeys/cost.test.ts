// What passkeys cost: nothing to a host without them, and to one with them little at a time.
import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { encryptionKey, password, passwordHash } from '../support/host.js'
import { loadedDoing, packagesOf } from '../support/loaded-files.js'
import { stepsUntil } from '../support/steps.js'
import { origin, rpId } from './authenticator.js'
import { startPasskeys } from './passkey-host.js'

const late = ['@simplewebauthn/server', 'reflect-metadata', 'tslib']

/**
 * A host that serves, in a process of its own. What it puts off for up to six seconds when it is
 * made, and the warm-up, which is loaded then, comes after `wait` milliseconds.
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
  let isMade = false
  globalThis.setTimeout = (work, ms, ...given) => {
    const isPutOff = ms <= 6000 && (!isMade || new Error().stack.includes('warmUp'))
    return later(work, isPutOff ? ${wait} : ms, ...given)
  }
  const auth = createAuthRouter({ users, ...stores, signer, encryptionKeys, ${options} })
  isMade = true
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
  })

  it('is nothing of them with the option, before the first ceremony', () => {
    expect(loadedLate('passkeys', 60_000, `${options}; ${add("'AAAA'")}; ${pause}`)).toEqual([])
  })

  it('is the library with the first ceremony', () => {
    expect(loadedLate('passkeys', 60_000, `${options}; ${add('begun.data.challenge')}`)).toEqual(
      late,
    )
  })

  it('is the library some seconds after the start, for whoever comes first', () => {
    expect(loadedLate('passkeys', 1, `${options}; ${until}`)).toEqual(late)
  })
})

describe('a sign-in by a passkey', () => {
  it('takes a bounded number of steps, and the second hundred as many as the first', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    const sign = async () => expect((await host.signIn(passkey)).status).toBe(200)
    for (let round = 0; round < 5; round += 1) await sign()
    const hundred = () =>
      stepsUntil(async () => {
        for (let round = 0; round < 100; round += 1) await sign()
      })
    const [first, second] = [await hundred(), await hundred()]
    expect(second / first).toBeLessThan(1.1)
    expect(second / 100).toBeLessThan(3_000_000)
  })
})
