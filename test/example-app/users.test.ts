// The example's table of users, over each database that it can be started on.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../example-app/database.js'
import { createTables } from '../../example-app/tables.js'
import { createUserTable } from '../../example-app/users.js'
import { userStoreContract } from '../../src/testing/testing.js'
import { temporaryFolder } from '../support/example.js'
import { type FreshDatabase, freshMysql, freshPostgres } from '../support/fresh-database.js'
import { mysqlUrl, postgresUrl } from '../support/services.js'

const file = (): FreshDatabase => ({
  url: `sqlite:${join(temporaryFolder(), 'chat.db')}`,
  drop: async () => {},
})
const databases = [
  { name: 'SQLite', fresh: file, isThere: true },
  { name: 'PostgreSQL', fresh: freshPostgres, isThere: postgresUrl !== null },
  { name: 'MariaDB', fresh: freshMysql, isThere: mysqlUrl !== null },
]

for (const { name, fresh, isThere } of databases) {
  describe.skipIf(!isThere)(`the users of the example, on ${name}`, () => {
    let dropped: FreshDatabase['drop']
    let database: Database
    beforeAll(async () => {
      const { url, drop } = await fresh()
      dropped = drop
      database = await openDatabase(url)
      await createTables(database)
    })
    afterAll(async () => {
      await database?.kysely.destroy()
      await dropped?.()
    })

    const tests = userStoreContract(() => {
      const users = createUserTable(database.kysely)
      return {
        users,
        async addUser({ email, ...user }) {
          if (email === null) throw new Error('every user has an address')
          const id = randomUUID()
          await users.add({ ...user, id, email, emailFactor: false })
          return id
        },
      }
    })
    for (const test of tests) it(test.name, test.run)

    it('keep whether codes by mail are wanted', async () => {
      const users = createUserTable(database.kysely)
      const contact = { email: 'Dora@mail.example', emailVerified: true }
      const dora = { id: randomUUID(), username: 'dora', name: 'Dora', passwordHash: null }
      await users.add({ ...dora, ...contact, emailFactor: false })
      for (const emailFactor of [true, false]) {
        await users.setEmailFactor?.(dora.id, emailFactor)
        const phone = { phone: null, phoneVerified: false, phoneFactor: false }
        expect(await users.findContact?.(dora.id)).toEqual({ ...contact, ...phone, emailFactor })
      }
    })

    it('make no tables where there are some, and refuse those of an older example', async () => {
      await createTables(database)
      await database.kysely.schema.alterTable('chat_users').dropColumn('email_factor').execute()
      await expect(createTables(database)).rejects.toThrow('it is of an older example')
    })
  })
}
