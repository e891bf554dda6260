// What works once works once, however many ask at the same moment, in two processes wherever they
// can share a store.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey } from '../../src/index.js'
import { databaseKind, openDatabase, openSqlite, temporaryFolder } from '../support/databases.js'
import { everyEngine } from '../support/engines.js'
import { encryptionKey, password, passwordHash } from '../support/host.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'
import { assertion, creation, newPasskey, origin, rpId, type TestPasskey } from './authenticator.js'

const callers = 50
const rounds = 3
const signingKey = await generateSigningKey()

/** Where processes find the same rows. */
interface Reached {
  readonly engine: string
  readonly address: string
  readonly prefix: string
  readonly redis: string | null
}

async function inServer(name: string, address: string): Promise<Reached> {
  const kind = databaseKind(name)
  const { prefix, close } = await openDatabase(kind)
  onTestFinished(close)
  return { engine: kind.engine, address, prefix, redis: null }
}

async function inFile(redis: string | null = null): Promise<Reached> {
  const address = join(temporaryFolder(), 'auth.db')
  const kind = { name: 'file', engine: 'sqlite', isServer: false } as const
  const opening = { ...kind, open: () => openSqlite(address) }
  // Also that of the keys in Redis, which everybody shares.
  const { prefix, close } = await openDatabase(opening)
  onTestFinished(close)
  return { engine: 'sqlite', address, prefix, redis }
}

const kinds: [string, boolean, processes: 1 | 2, () => Promise<Reached>][] = [
  ['memory', true, 1, async () => ({ engine: 'memory', address: '', prefix: '', redis: null })],
  ['SQLite', true, 2, inFile],
  ['PostgreSQL', postgresUrl !== null, 2, () => inServer('PostgreSQL', postgresUrl ?? '')],
  ['MariaDB', everyEngine && mysqlUrl !== null, 2, () => inServer('MariaDB', mysqlUrl ?? '')],
  ['Redis, with passkeys in SQLite', redisUrl !== null, 2, () => inFile(redisUrl)],
]

async function urlOf(process: ChildProcess): Promise<string> {
  const ended = once(process, 'exit').then(() => Promise.reject(new Error('it did not start')))
  const [{ port }] = (await Promise.race([once(process, 'message'), ended])) as [{ port: number }]
  return `http://127.0.0.1:${port}`
}

async function endOf(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return
  const ended = once(process, 'exit')
  process.disconnect()
  await ended
}

interface Answer {
  readonly status: number
  readonly error: string | undefined
  readonly data: {
    readonly authToken: string
    readonly challenge: string
    readonly recoveryCodes?: readonly string[]
    readonly user: { readonly id: string }
    readonly passkeys: readonly { readonly id: string }[]
    readonly sessions: readonly object[]
  }
  readonly details: { readonly passkeyOptions?: { readonly challenge: string } }
}

/** Servers on one set of stores, and requests that go to one after the other. */
async function start(processes: number, open: () => Promise<Reached>) {
  const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash }
  const settings = { ...(await open()), encryptionKey, signingKey, alice, site: { rpId, origin } }
  const script = new URL('../support/passkey-process.mjs', import.meta.url)
  const children = Array.from({ length: processes }, () => fork(script, [JSON.stringify(settings)]))
  onTestFinished(async () => {
    await Promise.all(children.map(endOf))
  })
  const urls = await Promise.all(children.map(urlOf))
  let asked = 0

  async function ask(method: string, path: string, body?: object, token?: string): Promise<Answer> {
    asked += 1
    const answer = await fetch(`${urls[asked % urls.length]}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { error, data = {}, details = {} } = JSON.parse(await answer.text())
    return { status: answer.status, error, data, details }
  }

  const post = (path: string, body: object = {}, token?: string) => ask('POST', path, body, token)
  const logIn = (more: object = {}) => post('/login', { username: 'alice', password, ...more })
  async function optionsFor(token: string) {
    const { data } = await post('/auth/passkeys/options', {}, token)
    return { challenge: data.challenge, userHandle: data.user.id }
  }
  return {
    ask,
    post,
    logIn,
    optionsFor,
    async add(token: string) {
      const passkey = newPasskey()
      const { challenge, userHandle } = await optionsFor(token)
      passkey.userHandle = userHandle
      const added = await post('/auth/passkeys', { response: creation(passkey, challenge) }, token)
      expect(added.status, added.error).toBe(200)
      return { passkey, codes: added.data.recoveryCodes ?? [] }
    },
    challenge: async () => (await post('/auth/passkey/options')).data.challenge,
    /** The challenge of a password login. */
    due: async () => (await logIn()).details.passkeyOptions?.challenge as string,
    sessions: async (token: string) =>
      (await ask('GET', '/auth/sessions', undefined, token)).data.sessions.length,
  }
}

/** The same from everybody at once. */
const race = (send: () => Promise<Answer>) => Promise.all(Array.from({ length: callers }, send))
const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)
/** The different answers, for whoever has to find out why a test fails. */
const told = (answers: readonly Answer[]) =>
  [...new Set(answers.map(({ status, error }) => `${status} ${error}`))].join(', ')
/** Nobody is told of an outage, and nobody of a failure. */
const isRefused = ({ status }: Answer) => [400, 401, 403, 404, 409, 429].includes(status)

function expectOne(answers: readonly Answer[]): Answer {
  expect(won(answers), told(answers)).toHaveLength(1)
  expect(answers.filter(isRefused), told(answers)).toHaveLength(callers - 1)
  return won(answers)[0] as Answer
}

describe.each(kinds)('50 at once on %s', (_name, isThere, processes, open) => {
  it.skipIf(!isThere)(
    'add one passkey, and sign in by one challenge: one is let in',
    async () => {
      const { post, logIn, optionsFor, challenge, sessions } = await start(processes, open)
      const token = (await logIn()).data.authToken
      const passkey: TestPasskey = newPasskey({ flags: { be: false, bs: false }, counter: 1 })
      const options = await optionsFor(token)
      passkey.userHandle = options.userHandle
      const added = { response: creation(passkey, options.challenge) }
      const first = expectOne(await race(() => post('/auth/passkeys', added, token)))
      expect(first.data.recoveryCodes).toHaveLength(10)
      for (let round = 0; round < rounds; round += 1) {
        const before = await sessions(token)
        const response = assertion(passkey, await challenge(), { counter: 2 + round })
        const { data } = expectOne(await race(() => post('/auth/passkey/login', { response })))
        expect(await sessions(data.authToken)).toBe(before + 1)
      }
    },
    120_000,
  )

  it.skipIf(!isThere)(
    'show one passkey, or one recovery code, besides a password: one is let in',
    async () => {
      const { logIn, add, due, sessions } = await start(processes, open)
      const token = (await logIn()).data.authToken
      const { passkey, codes } = await add(token)
      for (let round = 0; round < rounds; round += 1) {
        const before = await sessions(token)
        const response = assertion(passkey, await due())
        expectOne(await race(() => logIn({ passkey: response })))
        expectOne(await race(() => logIn({ code: codes[round] })))
        expect(await sessions(token)).toBe(before + 2)
      }
    },
    120_000,
  )

  it.skipIf(!isThere)(
    'prove anew by one challenge, and remove one passkey: one does',
    async () => {
      const { ask, post, logIn, add } = await start(processes, open)
      const token = (await logIn()).data.authToken
      const { passkey } = await add(token)
      const { data } = await post('/auth/passkey/options', {}, token)
      const shown = { passkey: assertion(passkey, data.challenge) }
      expectOne(await race(() => post('/auth/reauthenticate', shown, token)))
      expectOne(await race(() => ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)))
      const left = await ask('GET', '/auth/passkeys', undefined, token)
      expect(left.data.passkeys).toEqual([])
    },
    120_000,
  )
})
