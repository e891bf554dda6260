// The router replaces hashes itself. Under `watchPasswordHash` that must not look like another
// password.
import { describe, expect, it, vi } from 'vitest'
import {
  type AuthRouterOptions,
  combinedHasher,
  type PasswordHasher,
  preDigestedBcrypt,
} from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import {
  cheapHasher,
  password,
  passwordHash,
  startHost,
  type TestHost,
  workerUrl,
} from '../support/host.js'
import { open as openByHost, startSigningHost } from '../support/host-sign-in.js'
import { meteorHash } from '../support/old-hashes.js'
import { sharedKinds } from '../support/shared-stores.js'

const newPassword = 'another horse, another battery'
const newHash = await cheapHasher.hash(newPassword)
/** Of the same password, by another prefix. */
const oldHash = passwordHash.replace('$2b$', '$2a$')
/** Finds the old hash too old, when the test says so. */
const hasher = { isOutdated: true }
const passwords: PasswordHasher = {
  ...cheapHasher,
  needsRehash: (hash) => hasher.isOutdated && hash.startsWith('$2a$'),
}
const plenty = { points: 100_000, duration: 900 }
const watch: Partial<AuthRouterOptions> = {
  watchPasswordHash: true,
  passwords,
  maxSessionsPerUser: 1000,
  maxPasswordWait: 30,
  throttle: { account: plenty, network: plenty, unknownNetworks: plenty, knownNetwork: plenty },
}

const me = (host: TestHost, token: string) => get(host, '/me', bearer(token))
const statusOf = async (host: TestHost, token: string) => (await me(host, token)).status
const statuses = (host: TestHost, tokens: readonly string[]) =>
  Promise.all(tokens.map((token) => statusOf(host, token)))
const attempt = (host: TestHost, given: string) =>
  post(host, '/login', { username: 'alice', password: given })
const hashOf = (host: TestHost) => host.users.rows.get('u-alice')?.passwordHash
const ended = (host: TestHost) => host.events.filter(({ type }) => type === 'session.ended')
const all = (status: number, tokens: readonly string[]) => tokens.map(() => status)
const forget = (...hosts: TestHost[]) => {
  for (const host of hosts) host.clock.advance(5)
}

/** What the sessions were answered, looked up anew again and again until some work is done. */
async function statusesUntil(
  work: Promise<unknown>,
  hosts: readonly TestHost[],
  tokens: readonly string[],
): Promise<Set<number>> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  const seen = new Set<number>()
  while (!isDone) {
    forget(...hosts)
    const asked = await Promise.all(hosts.map((host) => statuses(host, tokens)))
    for (const status of asked.flat()) seen.add(status)
  }
  return seen
}

/** Signs in while the old hash is good enough. */
async function logInBefore(host: TestHost): Promise<string> {
  hasher.isOutdated = false
  const { authToken } = await logIn(host)
  hasher.isOutdated = true
  return authToken
}

describe.each(sharedKinds)('a hash that 50 logins bring up at once, over $name', (kind) => {
  const rounds = kind.name === 'memory' ? 3 : 1
  /** Two processes, whose user has an old hash and two sessions under it. */
  async function startTwo() {
    const storesOf = await kind.open()
    const here = await startHost({ options: { ...watch, ...storesOf() } })
    const there = await startHost({ options: { ...watch, ...storesOf(), users: here.users } })
    here.users.change('u-alice', { passwordHash: oldHash })
    const earlier = [await logInBefore(here), await logInBefore(there)]
    return { here, there, both: [here, there] as const, earlier }
  }

  it.skipIf(!kind.isThere)(
    'ends no session, earlier or new, on neither of two processes',
    { timeout: 120_000 },
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const { here, there, both, earlier } = await startTwo()
        const answers = Promise.all(
          Array.from({ length: 50 }, (_, turn) => attempt(both[turn % 2] as TestHost, password)),
        )
        // Meanwhile the earlier sessions are looked up again and again.
        const seen = await statusesUntil(answers, both, earlier)
        expect([...seen]).toEqual([200])
        const logins = await answers
        expect(logins.map(({ status }) => status)).toEqual(logins.map(() => 200))
        expect(hashOf(here)).toMatch(/^\$2b\$/)
        forget(here, there)
        const tokens = [...earlier, ...logins.map(({ body }) => body.data.authToken)]
        for (const host of both) expect(await statuses(host, tokens)).toEqual(all(200, tokens))
        expect([...ended(here), ...ended(there)]).toEqual([])
      }
    },
  )

  it.skipIf(!kind.isThere)(
    'keeps no session of a password that is changed in the middle, and ends none of the new one',
    { timeout: 120_000 },
    async () => {
      for (const changeAfter of [5, 0, 25].slice(0, rounds)) {
        const { here, there, both, earlier } = await startTwo()
        let finished = 0
        const change = () => here.users.change('u-alice', { passwordHash: newHash })
        if (changeAfter === 0) setTimeout(change, 2)
        const olds = Array.from({ length: 50 }, async (_, turn) => {
          const answer = await attempt(both[turn % 2] as TestHost, password)
          finished += 1
          if (finished === changeAfter) change()
          return answer
        })
        await vi.waitFor(() => expect(hashOf(here)).toBe(newHash), { interval: 1 })
        const news = await Promise.all(
          Array.from({ length: 10 }, (_, turn) => attempt(both[turn % 2] as TestHost, newPassword)),
        )
        const before = await Promise.all(olds)
        forget(here, there)

        const tokensOf = (answers: typeof before) =>
          answers.flatMap(({ status, body }) => (status === 200 ? [body.data.authToken] : []))
        const dishonest = [...earlier, ...tokensOf(before)]
        const honest = tokensOf(news)
        expect(honest).toHaveLength(10)
        expect(hashOf(here)).toBe(newHash)
        for (const host of both) {
          expect(await statuses(host, honest)).toEqual(all(200, honest))
          expect(await statuses(host, dishonest)).toEqual(all(401, dishonest))
        }
        await afterAttack(here, [])
      }
    },
  )
})

describe('while the router replaces a hash', () => {
  /** A login that waits with the new hash in its hand: marked, and not yet stored. */
  async function startReplacing(options: Partial<AuthRouterOptions> = {}) {
    const host = await startSigningHost({ options: { ...watch, ...options } })
    host.users.change('u-alice', { passwordHash: oldHash })
    const earlier = await logInBefore(host)
    const door = gate()
    const { sessions } = host.stores
    const { addPasswordMark } = sessions
    sessions.addPasswordMark = async (...given) => {
      await addPasswordMark?.(...given)
      await door.pass()
    }
    const held = door.shut()
    const login = attempt(host, password).then((answer) => answer)
    await held
    return { host, earlier, login, door }
  }

  it('both marks are good: sessions of before live under either hash', async () => {
    const { host, earlier, login, door } = await startReplacing()
    forget(host)
    expect([await statusOf(host, earlier), hashOf(host)]).toEqual([200, oldHash])
    door.open()
    const { authToken } = (await login).body.data
    forget(host)
    expect(hashOf(host)).not.toBe(oldHash)
    expect(await statuses(host, [earlier, authToken])).toEqual([200, 200])
    // A replica or a backup may answer the old one for a while.
    host.users.change('u-alice', { passwordHash: oldHash })
    forget(host)
    expect(await statuses(host, [earlier, authToken])).toEqual([200, 200])
  })

  it('a session that is opened then lives on: by the host, by a code, by another login', async () => {
    const { host, earlier, login, door } = await startReplacing()
    const { token } = (await openByHost(host)).body
    const code = await post(host, '/auth/pkce/token', await obtainCode(host, earlier))
    const elsewhere = await startHost({
      options: { ...host.stores, users: host.users, watchPasswordHash: true },
    })
    const { authToken } = await logIn(elsewhere)
    door.open()
    await login
    expect(hashOf(host)).not.toBe(oldHash)
    forget(host, elsewhere)
    const tokens = [token, code.body.access_token, authToken]
    for (const at of [host, elsewhere]) expect(await statuses(at, tokens)).toEqual([200, 200, 200])
  })

  it('a password of the host’s wins, and every session of the old one ends', async () => {
    const { host, earlier, login, door } = await startReplacing()
    host.users.change('u-alice', { passwordHash: newHash })
    door.open()
    const answer = await login
    expect([answer.status, hashOf(host)]).toEqual([401, newHash])
    forget(host)
    expect(await statusOf(host, earlier)).toBe(401)
    await afterAttack(host, [answer])
  })

  it('a session of before lives on where the store cannot mark it: the hash stays as it is', async () => {
    const host = await startHost({ options: watch })
    host.users.change('u-alice', { passwordHash: oldHash })
    const earlier = await logInBefore(host)
    vi.spyOn(host.stores.sessions, 'addPasswordMark').mockRejectedValueOnce(new Error('away'))
    const { authToken } = await logIn(host)
    expect(hashOf(host)).toBe(oldHash)
    forget(host)
    expect(await statuses(host, [earlier, authToken])).toEqual([200, 200])
    await logIn(host)
    expect(hashOf(host)).not.toBe(oldHash)
    forget(host)
    expect(await statuses(host, [earlier, authToken])).toEqual([200, 200])
    await afterAttack(host, [])
  })
})

describe('a session that was begun under a hash which is replaced before the session is stored', () => {
  /** A host in which somebody else signs in, and replaces the hash, in the middle of a sign-in. */
  async function startOvertaken(overtakenDoor: string) {
    const host = await startSigningHost({
      options: {
        ...watch,
        beforeLogin: async ({ door }) => {
          if (door === overtakenDoor && hashOf(host) === oldHash) await logIn(host)
          return undefined
        },
      },
    })
    host.users.change('u-alice', { passwordHash: oldHash })
    return { host, earlier: await logInBefore(host) }
  }

  it('is caught up by the session that asked for its code', async () => {
    const { host, earlier } = await startOvertaken('code-exchange')
    const answer = await post(host, '/auth/pkce/token', await obtainCode(host, earlier))
    expect(hashOf(host)).not.toBe(oldHash)
    forget(host)
    const { access_token, refresh_token } = answer.body
    expect(await statuses(host, [earlier, access_token])).toEqual([200, 200])
    expect((await post(host, '/auth/refresh', { refresh_token })).status).toBe(200)
  })

  it('is not opened for the host, who may ask again: 503', async () => {
    const { host } = await startOvertaken('host')
    expect((await openByHost(host)).status).toBe(503)
    const { status, body } = await openByHost(host)
    expect(status).toBe(200)
    forget(host)
    expect(await statusOf(host, body.token)).toBe(200)
    await afterAttack(host, [])
  })

  it('lives on where it was a login by a row of before, read from a cache', async () => {
    const host = await startHost({ options: watch })
    host.users.change('u-alice', { passwordHash: oldHash })
    const { findByIdentifier } = host.users
    const stale = await findByIdentifier({ kind: 'username', value: 'alice' })
    await logIn(host)
    host.users.findByIdentifier = async () => stale
    const { authToken } = await logIn(host)
    forget(host)
    expect(await statusOf(host, authToken)).toBe(200)
  })
})

describe('a hash of another system, which combinedHasher brings up', () => {
  it('ends no session, and no other password lives on by it', async () => {
    const legacy = preDigestedBcrypt('sha256-hex', { threads: 1, workerUrl })
    const combined = combinedHasher({ current: cheapHasher, legacy: [legacy] })
    const options = { ...watch, passwords: { ...combined, needsRehash: () => false } }
    const before = await startHost({ options })
    before.users.change('u-alice', { passwordHash: meteorHash })
    const earlier = (await logIn(before)).authToken
    const { users, stores } = before
    const host = await startHost({ options: { ...watch, ...stores, users, passwords: combined } })
    const { authToken } = await logIn(host)
    expect(hashOf(host)).toMatch(/^\$2b\$/)
    expect(hashOf(host)).not.toBe(meteorHash)
    forget(host)
    expect(await statuses(host, [earlier, authToken])).toEqual([200, 200])
    users.change('u-alice', { passwordHash: newHash })
    forget(host)
    expect(await statuses(host, [earlier, authToken])).toEqual([401, 401])
    await afterAttack(before, [])
    await legacy.close?.()
  })
})
