// A store or a verifier that fails, hangs or answers anything at all: 503, never a sign-in and
// never a refusal that looks like one.
import { describe, expect, it } from 'vitest'
import type { PasskeyVerifier } from '../../src/passkeys/contract.js'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import type { PasskeyStore } from '../../src/stores/passkey-contract.js'
import { assertion, creation, newPasskey } from './authenticator.js'
import { type PasskeySettings, startPasskeys } from './passkey-host.js'

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>

/** A part whose methods can be replaced while it runs. */
function replaceable<Part extends object>(part: Part) {
  const broken: Methods = {}
  const proxy = new Proxy(part, {
    get: (target, name) =>
      typeof Reflect.get(target, name) !== 'function'
        ? Reflect.get(target, name)
        : (...given: unknown[]) =>
            (broken[String(name)] ?? (Reflect.get(target, name) as Methods[string]))(...given),
  })
  return { proxy, broken }
}

async function start(settings: PasskeySettings = {}) {
  let breaking: Methods = {}
  const verifier = replaceable<PasskeyVerifier>(simpleWebAuthn())
  const host = await startPasskeys({
    ...settings,
    verifier: verifier.proxy,
    store(store: PasskeyStore) {
      const { proxy, broken } = replaceable(store)
      breaking = broken
      return proxy
    },
  })
  const token = await host.logIn()
  const { passkey, added } = await host.add(token)
  expect(added.status).toBe(200)
  const requests = {
    login: async () =>
      host.post('/auth/passkey/login', { response: assertion(passkey, await host.challenge()) }),
    options: () => host.post('/auth/passkeys/options', {}, token),
    add: async (challenge?: string) => {
      const response = creation(newPasskey(), challenge ?? '')
      return host.post('/auth/passkeys', { response }, token)
    },
    list: () => host.ask('GET', '/auth/passkeys', undefined, token),
    rename: () => host.post(`/auth/passkeys/${passkey.id}`, { name: 'Other' }, token),
    remove: () => host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token),
  }
  return { host, token, passkey, requests, store: breaking, verifier: verifier.broken }
}

type Request = keyof Awaited<ReturnType<typeof start>>['requests']
const places: readonly (readonly [method: string, request: Request])[] = [
  ['find', 'login'],
  ['use', 'login'],
  ['listForUser', 'login'],
  ['listForUser', 'options'],
  ['claimHandle', 'options'],
  ['create', 'add'],
  ['listForUser', 'list'],
  ['rename', 'rename'],
  ['listForUser', 'remove'],
  ['remove', 'remove'],
]
type Failing = readonly [what: string, answer: () => Promise<unknown>]
const answers: readonly Failing[] = [
  ['rejects', () => Promise.reject(new Error('connection refused'))],
  ['answers undefined', async () => undefined],
  ['answers true for an outcome, or a text for a flag', async () => ({ outcome: true })],
  ['answers a list that holds nothing', async () => [null]],
]

describe('a store that fails', () => {
  it.each(places)('in %s is a 503 to %s, and it goes on afterwards', async (method, request) => {
    const { host, token, passkey, requests, store } = await start()
    for (const [what, answer] of answers) {
      const { data } = await requests.options()
      const sessions = (await host.sessionsOf()).length
      store[method] = answer
      const asked = request === 'add' ? requests.add(data.challenge) : requests[request]()
      const { status, body } = await asked
      expect({ what, status, body, why: host.reasons() }).toMatchObject({
        status: 503,
        body: { error: 'temporarily-unavailable' },
        why: [],
      })
      delete store[method]
      expect(await host.sessionsOf()).toHaveLength(sessions)
      expect((await host.ask('GET', '/me', undefined, token)).status).toBe(200)
    }
    const { status } = await host.signIn(passkey)
    expect({ status, why: host.reasons() }).toEqual({ status: 200, why: [] })
  })
})

it('a store or a verifier that hangs is a 503', async () => {
  const { host, passkey, requests, store, verifier } = await start({
    options: { storeTimeout: 1500 },
  })
  const hang = () => new Promise(() => {})
  store['find'] = hang
  expect((await requests.login()).status).toBe(503)
  delete store['find']
  verifier['verifyAssertion'] = hang
  expect((await requests.login()).status).toBe(503)
  delete verifier['verifyAssertion']
  expect((await host.signIn(passkey)).status).toBe(200)
})

describe('a verifier that', () => {
  it.each<Failing>([
    ...answers,
    ['answers a row of half its members', async () => ({ counter: 1 })],
    ['counts below zero', async () => ({ counter: -1, backedUp: true, userVerified: true })],
    ['answers the text "false"', async () => 'false'],
  ])('%s signs nobody in: 503', async (_what, answer) => {
    const { host, passkey, requests, verifier } = await start()
    verifier['verifyAssertion'] = answer
    verifier['verifyCreation'] = answer
    const refused = await requests.login()
    expect({ status: refused.status, why: host.reasons() }).toEqual({ status: 503, why: [] })
    const { data } = await requests.options()
    expect((await requests.add(data.challenge)).status).toBe(503)
    delete verifier['verifyAssertion']
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('answers a passkey of another user’s is not believed', async () => {
    const { host, requests, store, passkey } = await start()
    const row = await host.store.find(passkey.id)
    store['find'] = async () => ({ ...row, credentialId: 'other' })
    expect((await requests.login()).status).toBe(503)
  })
})

describe('where challenges are used up', () => {
  it('an outage is a 503, and the passkey is not looked at', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    const claim = host.once.claim
    Object.assign(host.once, { claim: () => Promise.reject(new Error('connection refused')) })
    expect((await host.signIn(passkey)).status).toBe(503)
    Object.assign(host.once, { claim })
    expect((await host.signIn(passkey)).status).toBe(200)
  })
})

it('a passkey of which a copy is suspected is not let in where that cannot be noted', async () => {
  const { host, token, store } = await start()
  const { passkey } = await host.add(
    token,
    newPasskey({ flags: { be: false, bs: false }, counter: 5 }),
  )
  store['suspectClone'] = () => Promise.reject(new Error('read-only'))
  expect((await host.signIn(passkey, { counter: 4 })).status).toBe(503)
})
