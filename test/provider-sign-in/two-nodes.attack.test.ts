// Two nodes over one database: each answer, ticket and account of a provider counts once.
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions, IdentityStore } from '../../src/index.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, logIn, pkcePair, post, remove } from '../support/client.js'
import { databaseKinds, openDatabase } from '../support/databases.js'
import { tally } from '../support/guessing.js'
import { password } from '../support/host.js'
import { randomKey } from '../support/records.js'
import { redisUrl } from '../support/services.js'
import {
  ada,
  type Begun,
  begin,
  browser,
  comeBack,
  finish,
  lead,
  type ProviderHost,
  returnTo,
  startProviders,
} from './provider-host.js'

type Stores = Pick<AuthRouterOptions, 'codes' | 'sessions' | 'proofs'> & {
  readonly identities: IdentityStore
}

interface Kind {
  readonly name: string
  readonly isThere: boolean
  readonly open: () => Promise<Stores>
}

async function openSql(kind: (typeof databaseKinds)[number]): Promise<Stores> {
  const { kysely, prefix, close } = await openDatabase(kind)
  onTestFinished(close)
  const { codes, sessions, proofs, identities } = sqlStores(kysely, { prefix })
  return { codes, sessions, proofs, identities }
}

const inSql = databaseKinds
  .filter(({ name }) => name !== 'PGlite')
  .map((kind): Kind => {
    return { name: kind.name, isThere: kind.open !== null, open: () => openSql(kind) }
  })
// Identities must last, so they are in SQL there as well.
const inRedis: Kind = {
  name: 'Redis',
  isThere: redisUrl !== null && inSql.some(({ isThere }) => isThere),
  async open() {
    const client = createClient({ url: redisUrl ?? '' })
    await client.connect()
    onTestFinished(() => void client.destroy())
    const { codes, sessions, proofs } = redisStores(client, { prefix: `nodes-${randomKey()}:` })
    const there = inSql.find(({ isThere }) => isThere) as Kind
    return { codes, sessions, proofs, identities: (await there.open()).identities }
  },
}

/** Two nodes, with the same users. */
async function startTwo({ open }: Kind) {
  const stores = await open()
  const one = await startProviders({ options: stores })
  const other = await startProviders({ options: { ...stores, users: one.users } })
  return { one, other, stores }
}

async function raced(send: (turn: number) => PromiseLike<{ status: number }>, times = 50) {
  const answers = await Promise.all(Array.from({ length: times }, (_none, turn) => send(turn)))
  return tally(answers.map(({ status }) => status))
}

const link = ({ stores }: { stores: Stores }, userId: string) =>
  stores.identities.link({
    issuer: ada.issuer,
    subject: ada.subject,
    userId,
    id: `i-${userId}`,
    provider: 'fake',
    label: null,
    createdAt: new Date(),
    lastUsedAt: null,
  })

describe.each([...inSql, inRedis])('two nodes over $name', (kind) => {
  it.skipIf(!kind.isThere)('take one of 50 answers, and one of 50 tickets', async () => {
    const two = await startTwo(kind)
    const { one, other } = two
    await link(two, 'u-alice')
    const begun = await begin(one)
    const elsewhere = browser(other)
    elsewhere.cookie = begun.browser.cookie
    const answers = raced((turn) =>
      (turn % 2 === 0 ? begun.browser : elsewhere).open(begun.callback),
    )
    expect(await answers).toEqual({ 303: 1, 400: 49 })
    const again = await begin(other)
    const asked = { ticket: (await comeBack(again)).ticket, codeVerifier: again.codeVerifier }
    const statuses = await raced((turn) => finish(turn % 2 === 0 ? one : other, asked))
    expect(statuses[200]).toBe(1)
    const opened = [one, other].flatMap(({ events }) =>
      events.filter(({ type }) => type === 'login.succeeded'),
    )
    expect(opened).toHaveLength(1)
  })

  it.skipIf(!kind.isThere)('connect an account with one of two users', async () => {
    const two = await startTwo(kind)
    const { one, other, stores } = two
    const { passwordHash = null } = one.users.rows.get('u-alice') ?? {}
    one.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const ready = await Promise.all([readyToLink(one, 'alice'), readyToLink(other, 'bob')])
    const answers = await Promise.all(ready.map((send) => send()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const [first] = answers
    const owner = (await stores.identities.find(ada.issuer, ada.subject))?.userId
    expect(owner).toBe(first?.status === 200 ? 'u-alice' : 'u-bob')
  })

  it.skipIf(!kind.isThere)('leave one of two accounts that are removed at once', async () => {
    const two = await startTwo(kind)
    const { one, other, stores } = two
    one.users.add({ id: 'u-bob', passwordHash: null })
    await link(two, 'u-bob')
    const second = { ...ada, subject: 'second', userId: 'u-bob', id: 'i-second' }
    const { issuer, subject, userId, id } = second
    const more = { provider: 'fake', label: null, createdAt: new Date(), lastUsedAt: null }
    await stores.identities.link({ issuer, subject, userId, id, ...more })
    const headers = await Promise.all([signedIn(one), signedIn(one)])
    const answers = await Promise.all([
      remove(one, '/auth/identities/i-u-bob', headers[0]),
      remove(other, '/auth/identities/i-second', headers[1]),
    ])
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2)
    expect(await stores.identities.listForUser('u-bob')).toHaveLength(1)
  })
})

async function signedIn(host: ProviderHost): Promise<Record<string, string>> {
  const begun = await begin(host)
  const { ticket } = await comeBack(begun)
  const { body } = await finish(host, { ticket, codeVerifier: begun.codeVerifier })
  return bearer(body.data.authToken)
}

/** Somebody is back from the provider, and about to connect what it says. */
async function readyToLink(host: ProviderHost, username: string) {
  const { authToken } = await logIn(host, { username, password })
  const headers = bearer(authToken as string)
  const { codeVerifier, codeChallenge } = pkcePair()
  const asked = { returnTo, codeChallenge }
  const { body } = await post(host, '/auth/identities/fake', asked, headers).expect(200)
  const begun: Begun = { codeVerifier, ...(await lead(host, body.data.url, browser(host))) }
  const { ticket } = await comeBack(begun)
  return () => post(host, '/auth/identities', { ticket, codeVerifier }, headers)
}
