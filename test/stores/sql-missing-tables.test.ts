// A `migrateSql` that was forgotten, which drivers tell as they tell a bug.
import { CompiledQuery } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AuthConfigError, keyRing, probeStores } from '../../src/index.js'
import { migrateSql, sqlOAuthStores, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { logIn, post } from '../support/client.js'
import { databaseKinds, dropTables } from '../support/databases.js'
import { encryptionKey, password, startHost } from '../support/host.js'
import { randomKey, sessionRecord } from '../support/records.js'

const remedy = /run migrateSql\(kysely\)/
const newPrefix = () =>
  `m${randomKey()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')}_`.slice(0, 20)

describe.each(databaseKinds)('on $name, without its tables', ({ open }) => {
  function openStores() {
    if (open === null) throw new Error('skipped')
    const kysely = open()
    const prefix = newPrefix()
    onTestFinished(async () => {
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    return { kysely, prefix, ...sqlStores(kysely, { prefix }) }
  }

  it.skipIf(open === null)('every call says what to do', async () => {
    const { kysely, prefix, keys, codes, sessions, secondFactors } = openStores()
    const { once } = sqlOAuthStores(kysely, { prefix })
    const now = new Date()
    const calls = [
      () => sessions.find('x'),
      () => sessions.create(sessionRecord()),
      () => codes.consume('x', now),
      () => codes.redemption?.redeem('x', sessionRecord(), now),
      () => secondFactors.find('u-alice'),
      () => once.claim('x', now, now),
      () => probeStores({ codes, sessions }),
      () => keyRing({ store: keys, encryptionKeys: [encryptionKey] }).ready(),
    ]
    for (const call of calls) {
      const error = await Promise.resolve(call()).catch((thrown: unknown) => thrown)
      expect(error, String(call)).toBeInstanceOf(AuthConfigError)
      expect((error as AuthConfigError).remedy).toMatch(remedy)
    }
  })

  it.skipIf(open === null)('a login is 503, and the log says what to do', async () => {
    const { keys: _keys, kysely: _kysely, prefix: _prefix, ...stores } = openStores()
    const host = await startHost({ options: stores })
    const { status, body } = await post(host, '/login', { username: 'alice', password })
    expect([status, body.error]).toEqual([503, 'temporarily-unavailable'])
    expect(JSON.stringify(body)).not.toContain('migrateSql')
    const told = host.events.find(({ type }) => type === 'host.failed')
    expect(told).toMatchObject({ hint: expect.stringMatching(remedy) })
  })

  it.skipIf(open === null)(
    'so does one with a column too few, and none once they are there',
    async () => {
      const { kysely, prefix, keys: _keys, ...stores } = openStores()
      await migrateSql(kysely, { prefix })
      const host = await startHost({ options: stores })
      await logIn(host)
      const drop = `alter table ${prefix}sessions drop column scope`
      await kysely.executeQuery(CompiledQuery.raw(drop))
      const { status } = await post(host, '/login', { username: 'alice', password })
      expect(status).toBe(503)
      const told = host.events.find(({ type }) => type === 'host.failed')
      expect(told).toMatchObject({ hint: expect.stringMatching(remedy) })
    },
  )
})
