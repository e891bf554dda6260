// Two nodes over one database: each link is opened, approved and collected once.
import { randomBytes } from 'node:crypto'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouterOptions } from '../../src/index.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { sqlStores } from '../../src/stores/sql/sql-stores.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { databaseKinds, openDatabase } from '../support/databases.js'
import { tally } from '../support/guessing.js'
import type { TestHost } from '../support/host.js'
import { randomKey } from '../support/records.js'
import { redisUrl } from '../support/services.js'
import { begin, checkCodeOn, deviceOf, type NewDevice, startLinks, tv } from './link-host.js'

type Stores = Pick<AuthRouterOptions, 'codes' | 'sessions' | 'deviceCodes'>

interface Kind {
  readonly name: string
  readonly isThere: boolean
  readonly open: () => Promise<Stores>
}

async function openSql(kind: (typeof databaseKinds)[number]): Promise<Stores> {
  const { kysely, prefix, close } = await openDatabase(kind)
  onTestFinished(close)
  const { codes, sessions, deviceCodes } = sqlStores(kysely, { prefix })
  return { codes, sessions, deviceCodes }
}

async function openRedis(): Promise<Stores> {
  const client = createClient({ url: redisUrl ?? '' })
  await client.connect()
  onTestFinished(() => void client.destroy())
  const prefix = `links-${randomKey()}:`
  const { codes, sessions, deviceCodes } = redisStores(client, { prefix })
  return { codes, sessions, deviceCodes }
}

const kinds: readonly Kind[] = [
  ...databaseKinds
    .filter(({ name }) => name !== 'PGlite')
    .map((kind) => {
      return { name: kind.name, isThere: kind.open !== null, open: () => openSql(kind) }
    }),
  { name: 'Redis', isThere: redisUrl !== null, open: openRedis },
]

/** Two nodes, with the same users and one clock. */
async function startTwo(
  { open }: Kind,
  keys: readonly (readonly string[])[] = [],
): Promise<readonly [TestHost, TestHost]> {
  const stores = await open()
  const [ofOne, ofOther] = keys.map((encryptionKeys) => ({ encryptionKeys }))
  const one = await startLinks({ options: { ...stores, ...ofOne } })
  const shared = { ...stores, users: one.users, clock: one.clock }
  return [one, await startLinks({ options: { ...shared, ...ofOther } })]
}

async function raced(send: (turn: number) => PromiseLike<{ status: number }>) {
  const answers = await Promise.all(Array.from({ length: 50 }, (_none, turn) => send(turn)))
  return tally(answers.map(({ status }) => status))
}

const collectAt = (host: TestHost, { linkId, codeVerifier }: NewDevice) =>
  post(host, '/auth/device-links/collect', { linkId, codeVerifier }, tv)

describe.each(kinds)('two nodes over $name', (kind) => {
  it.skipIf(!kind.isThere)('link a device once, and give a lost answer again', async () => {
    const [one, other] = await startTwo(kind)
    const { authToken } = await logIn(one)
    const users = [deviceOf(one, authToken), deviceOf(other, authToken)] as const
    const device = await begin(one)
    await users[1].open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    const approvals = await raced((turn) =>
      users[turn % 2 === 0 ? 0 : 1].approve(device.linkId, checkCode),
    )
    expect(approvals).toEqual({ 200: 1, 400: 49 })
    one.clock.advance(2)
    const first = await collectAt(other, device)
    expect(first.status).toBe(200)
    one.clock.advance(2)
    const again = await collectAt(one, device)
    expect(again.body.data.refreshToken).toBe(first.body.data.refreshToken)
    await get(one, '/me', bearer(again.body.data.authToken)).expect(200)
    expect(await other.auth.sessions.list('u-alice')).toHaveLength(2)
  })

  it.skipIf(!kind.isThere)('agree on the check code while their keys are changed', async () => {
    const [former, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
    const keys = [
      [former, next],
      [next, former],
    ] as string[][]
    for (const [shows, asks] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const nodes = await startTwo(kind, keys)
      const [device, { authToken }] = [await begin(nodes[shows]), await logIn(nodes[asks])]
      const user = deviceOf(nodes[asks], authToken)
      await user.open(device.link).expect(200)
      await user.approve(device.linkId, await checkCodeOn(device)).expect(200)
    }
  })

  it.skipIf(!kind.isThere)('open one session for fifty that collect at once', async () => {
    const [one, other] = await startTwo(kind)
    const { authToken } = await logIn(one)
    const device = await begin(other)
    const user = deviceOf(one, authToken)
    await user.open(device.link).expect(200)
    await user.approve(device.linkId, await checkCodeOn(device)).expect(200)
    one.clock.advance(2)
    const answers = await raced((turn) => collectAt(turn % 2 === 0 ? one : other, device))
    expect(answers).toEqual({ 200: 1, 400: 49 })
    expect(await one.auth.sessions.list('u-alice')).toHaveLength(2)
  })
})
