// Reads that are asked for in one turn of the event loop may be one statement. Nobody notices it by
// an answer.
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { sqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, openDatabase } from '../support/databases.js'
import { at, factorRecord, randomKey, sessionRecord } from '../support/records.js'
import { mysqlUrl } from '../support/services.js'

describe.each(databaseKinds)('reads of one turn on $name', (kind) => {
  async function open() {
    const asked: string[] = []
    const database = await openDatabase(kind, { onQuery: (sql) => void asked.push(sql) })
    onTestFinished(() => database.close())
    const { sessions, secondFactors } = database.stores
    const [userId, nobody] = [randomKey(), randomKey()]
    const session = sessionRecord({
      userId,
      clientId: 'an app',
      lifetime: { idle: 60, absolute: 600 },
      formerSecret: { hash: 'former', until: at(9) },
      secretHash: 'secret',
    })
    const factor = factorRecord({ userId })
    await sessions.create(session)
    await sessions.create(sessionRecord({ userId }))
    await secondFactors.activate(factor, [])
    asked.length = 0
    return { ...database, asked, userId, nobody, session, factor }
  }

  it.skipIf(kind.open === null)('answer as each of them alone, and at once', async () => {
    const { asked, stores, userId, nobody, session, factor } = await open()
    const { sessions, secondFactors } = stores
    const ask = (id: string, user: string) => [
      sessions.find(id),
      secondFactors.find(user),
      sessions.countForUser?.(user, at(1)),
    ]
    expect(await Promise.all(ask(session.id, userId))).toEqual([session, factor, 2])
    expect(await Promise.all(ask(nobody, userId))).toEqual([null, factor, 2])
    expect(await Promise.all(ask(session.id, nobody))).toEqual([session, null, 0])
    expect(await Promise.all(ask(nobody, nobody))).toEqual([null, null, 0])
    // PostgreSQL answers several at once.
    expect(asked).toHaveLength(kind.engine === 'postgres' ? 12 : 4)
  })

  it.skipIf(kind.open === null)('of many users answer each what is theirs', async () => {
    const { stores } = await open()
    const { sessions, secondFactors } = stores
    const users = Array.from({ length: 20 }, () => sessionRecord({ userId: randomKey() }))
    const factors = users.map(({ userId }) => factorRecord({ userId }))
    await Promise.all(users.map((session) => sessions.create(session)))
    await Promise.all(factors.map((factor) => secondFactors.activate(factor, [])))
    const found = users.map(({ id }) => sessions.find(id))
    const counted = users.map(({ userId }) => sessions.countForUser?.(userId, at(1)))
    const ofFactors = users.map(({ userId }) => secondFactors.find(userId))
    expect(await Promise.all(found)).toEqual(users)
    expect(await Promise.all(counted)).toEqual(users.map(() => 1))
    expect(await Promise.all(ofFactors)).toEqual(factors)
  })

  it.skipIf(kind.open === null)('fail together, each with an error of its own call', async () => {
    const { kysely, prefix, stores, session, factor } = await open()
    const { sessions, secondFactors } = stores
    await kysely.schema.alterTable(`${prefix}second_factors`).renameTo(`${prefix}gone`).execute()
    const ask = () => [secondFactors.find(factor.userId), sessions.find(session.id)]
    expect((await Promise.allSettled(ask())).map(({ status }) => status)).toEqual(
      kind.engine === 'postgres' ? ['rejected', 'fulfilled'] : ['rejected', 'rejected'],
    )
    // The next turn is none the worse for it.
    expect(await sessions.find(session.id)).toEqual(session)
    await kysely.schema.alterTable(`${prefix}gone`).renameTo(`${prefix}second_factors`).execute()
    expect(await Promise.all(ask())).toEqual([factor, session])
  })

  it.skipIf(kind.open === null)('see what was written before they were asked for', async () => {
    const { kysely, prefix, stores, userId, session, factor } = await open()
    await stores.sessions.endAllForUser(userId, 'revoked', at(1), session.id)
    expect(await stores.sessions.countForUser?.(userId, at(2))).toBe(1)
    await kysely.transaction().execute(async (transaction) => {
      const { sessions, secondFactors } = sqlStores(transaction, { prefix })
      await sessions.end(session.id, 'logout', at(1))
      const both = [sessions.find(session.id), secondFactors.find(userId)]
      expect(await Promise.all(both)).toMatchObject([{ endReason: 'logout' }, factor])
    })
  })

  // Fake timers of Jest stop these, too. SQLite needs neither, and drivers of others do.
  it.skipIf(kind.open === null || kind.engine !== 'sqlite')(
    'are answered in a test that has stopped the clock',
    async () => {
      const { stores, session, factor } = await open()
      const stopped = [
        vi.spyOn(process, 'nextTick').mockReturnValue(),
        vi.spyOn(globalThis, 'queueMicrotask').mockReturnValue(),
      ]
      onTestFinished(() => stopped.forEach((one) => void one.mockRestore()))
      const reads = [stores.sessions.find(session.id), stores.secondFactors.find(factor.userId)]
      const both = await Promise.race([Promise.all(reads), setTimeout(20_000, 'no answer')])
      for (const one of stopped) one.mockRestore()
      expect(both).toEqual([session, factor])
    },
  )

  it.skipIf(kind.open === null || kind.engine !== 'mysql')(
    'find the tables by their schema',
    async () => {
      const { kysely, prefix, session, factor } = await open()
      const schema = new URL(mysqlUrl ?? '').pathname.slice(1)
      const { sessions, secondFactors } = sqlStores(kysely, { prefix, schema })
      const both = [sessions.find(session.id), secondFactors.find(factor.userId)]
      expect(await Promise.all(both)).toEqual([session, factor])
    },
  )
})
