// What the administration asks databases that no server asks.
import { describe, expect, it, onTestFinished } from 'vitest'
import { newFactor } from '../../src/stores/new-records.js'
import { sqlMigrations } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, dropTables, openDatabase } from '../support/databases.js'
import { latest } from '../support/sql-version.js'

describe.each(databaseKinds)('$name', (kind) => {
  it.skipIf(kind.open === null)('counts seeds by the key that has sealed them', async () => {
    const { stores, close } = await openDatabase(kind)
    onTestFinished(close)
    const seal = (sealedSeed: string) => ({ ...newFactor(() => new Date()), sealedSeed })
    for (const [key, owner] of ['abcdefgh.a', 'abcdefgh.b', 'ABCDEFGH.c'].entries())
      await stores.secondFactors.activate(seal(`v1.${owner}${key}`), [])
    const counted = (await stores.secondFactors.countSealed?.()) ?? []
    expect([...counted].sort((a, b) => a.count - b.count)).toEqual([
      { mark: 'v1.ABCDEFGH', count: 1 },
      { mark: 'v1.abcdefgh', count: 2 },
    ])
  })

  it.skipIf(kind.open === null)('tells what is missing, makes it, and prints it', async () => {
    if (kind.open === null) return
    const kysely = kind.open()
    const prefix = `p${Date.now().toString(36)}_`
    onTestFinished(async () => {
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    const migrations = sqlMigrations(kysely, { prefix, audit: true })
    const missing = await migrations.pending()
    expect(missing).toEqual(expect.arrayContaining([`${prefix}sessions`, `${prefix}audit`]))
    expect(migrations.print()).toContain(`${prefix}sessions`)
    expect(await migrations.migrate()).toEqual({ from: 0, to: latest })
    expect(await migrations.pending()).toEqual([])
    await kysely.schema.dropTable(`${prefix}audit`).execute()
    expect(await migrations.pending()).toContain(`${prefix}audit`)
    expect(await sqlMigrations(kysely, { prefix }).pending()).toEqual([])
  })
})
