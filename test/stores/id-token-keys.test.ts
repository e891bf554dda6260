// The keys of ID tokens have a table of their own beside those of access tokens.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { joseSigner, keyRing, type StoredSigningKey } from '../../src/index.js'
import { storeContract } from '../../src/testing/testing.js'
import {
  databaseKind,
  databaseKinds,
  openDatabase,
  type TestDatabase,
} from '../support/databases.js'
import { encryptionKey } from '../support/host.js'

const encryptionKeys = [encryptionKey]

const generation = (made: number): StoredSigningKey => ({
  generation: made,
  kid: `kid-${made}`,
  sealedKey: 'sealed',
  createdAt: new Date('2030-01-01T00:00:00Z'),
  activatesAt: new Date('2030-01-01T00:10:00Z'),
})

for (const kind of databaseKinds)
  describe.skipIf(kind.open === null)(`idTokenKeys on ${kind.name}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database.close())

    storeContract(
      { describe, it },
      {
        name: 'idTokenKeys',
        contracts: ['keys'],
        stores: () => ({ keys: database.oauthStores.idTokenKeys }),
      },
    )

    it('shares no row with the keys of access tokens', async () => {
      const { keys } = database.stores
      const { idTokenKeys } = database.oauthStores
      expect(await keys.insert(generation(1))).toEqual({ outcome: 'inserted' })
      expect(await idTokenKeys.insert(generation(1))).toEqual({ outcome: 'inserted' })
      await idTokenKeys.insert(generation(2))
      await keys.remove(2)
      await idTokenKeys.remove(1)
      expect(await keys.list()).toEqual([generation(1)])
      // Of this test: the tests come in any order.
      const own = (await idTokenKeys.list()).filter((key) => key.generation <= 2)
      expect(own).toEqual([generation(2)])
    })

    it('grants a generation to one of 50 that come at once', async () => {
      const { idTokenKeys } = database.oauthStores
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => idTokenKeys.insert(generation(50))),
      )
      expect(answers.filter(({ outcome }) => outcome === 'inserted')).toHaveLength(1)
    })
  })

describe('two rings in one database', () => {
  it('sign access tokens and ID tokens, each with keys of its own, as all processes agree', async () => {
    const database = await openDatabase(databaseKind('SQLite (libsql)'))
    onTestFinished(() => database.close())
    const processes = Array.from({ length: 2 }, () => {
      const keys = keyRing({ store: database.stores.keys, encryptionKeys })
      const { idTokenKeys } = database.oauthStores
      const rs256 = keyRing({ algorithm: 'RS256', store: idTokenKeys, encryptionKeys })
      return joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys, rs256 })
    })
    const published = []
    for (const signer of processes) {
      await signer.ready?.()
      published.push(await signer.publicKeys?.())
    }
    expect(published[0]?.keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256'])
    expect(published[1]).toEqual(published[0])
  })
})
