// How often a request asks the database: the table of docs/databases.md is what is counted here, on
// each engine.
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { databaseKinds, openDatabase } from '../support/databases.js'
import { startHost, type TestHost } from '../support/host.js'
import { openPair, type Pair, refreshed } from '../support/pairs.js'
import { libraries } from '../support/redis-clients.js'
import { redisUrl } from '../support/services.js'

const documented = readFileSync(new URL('../../docs/databases.md', import.meta.url), 'utf8')
const columns = ['PostgreSQL', 'SQLite', 'MySQL, MariaDB', 'Redis'] as const
type Column = (typeof columns)[number]

/** The row of a request, by its first words. */
function rowOf(request: string): Record<Column, number> {
  const cells = documented
    .split('\n')
    .find((line) => line.startsWith(`| ${request}`))
    ?.split('|')
    .slice(2, -1)
  if (cells?.length !== columns.length) throw new Error(`no row of ${request}`)
  return Object.fromEntries(columns.map((name, i) => [name, Number(cells[i])])) as never
}

interface Counting {
  readonly host: TestHost
  /** What a look for a session that is not there takes. */
  readonly lookForNobody: number
  /** Statements since it was called before. */
  taken(): number
}

// What is written in the background comes after the answer: as many as are documented are waited
// for, and one more would be there when another question has been answered.
async function expectCount(counting: Counting, request: string, column: Column) {
  const { host, lookForNobody, taken } = counting
  const expected = rowOf(request)[column]
  let count = 0
  await vi.waitFor(() => {
    count += taken()
    expect(count, request).toBeGreaterThanOrEqual(expected)
  })
  await host.stores.sessions.find('nobody')
  expect(count + taken() - lookForNobody, request).toBe(expected)
}

async function expectAll(given: Omit<Counting, 'lookForNobody'>, column: Column) {
  const { host, taken } = given
  // The first of each makes the store show what it keeps.
  const before = await openPair(host)
  await refreshed(host, before.refresh_token)
  await host.stores.sessions.find('nobody')
  taken()
  await host.stores.sessions.find('nobody')
  const counting = { host, taken, lookForNobody: taken() }

  const { authToken } = await logIn(host)
  await expectCount(counting, '`POST /login`', column)
  const code = await obtainCode(host, authToken)
  await expectCount(counting, '`POST /auth/pkce/authorize`', column)
  const first = (await post(host, '/auth/pkce/token', code)).body as Pair
  await expectCount(counting, '`POST /auth/pkce/token`', column)
  await get(host, '/me', bearer(first.access_token))
  await expectCount(counting, 'a guarded request, token first seen', column)
  const second = await refreshed(host, first.refresh_token)
  await expectCount(counting, '`POST /auth/refresh`', column)
  await get(host, '/me', bearer(second.access_token))
  await expectCount(counting, 'a guarded request, new pair', column)
  await get(host, '/me', bearer(second.access_token))
  await expectCount(counting, 'a guarded request, token known', column)
}

const columnOf = { postgres: 'PostgreSQL', sqlite: 'SQLite', mysql: 'MySQL, MariaDB' } as const

describe('the statements of a request are those of docs/databases.md', () => {
  it.each(databaseKinds.filter(({ open }) => open !== null))('on $name', async (kind) => {
    let count = 0
    const note = () => {
      count += 1
    }
    const database = await openDatabase(kind, { onQuery: note })
    onTestFinished(() => database.close())
    const { keys: _keys, ...stores } = database.stores
    const host = await startHost({ options: stores })
    const taken = () => {
      const counted = count
      count = 0
      return counted
    }
    await expectAll({ host: { ...host, stores: stores as never }, taken }, columnOf[kind.engine])
  })

  it.skipIf(redisUrl === null)('on Redis, in calls', async () => {
    const { client, close } = await (libraries[0] as (typeof libraries)[number])[1](redisUrl ?? '')
    onTestFinished(close)
    let count = 0
    const counted = new Proxy(client, {
      get(real, name) {
        const member = Reflect.get(real, name)
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          if (/^eval/.test(String(name))) count += 1
          return Reflect.apply(member, real, given)
        }
      },
    })
    const stores = redisStores(counted, { prefix: `t${Date.now()}:` })
    const host = await startHost({ options: { ...stores, secondFactors: undefined } as never })
    const taken = () => {
      const before = count
      count = 0
      return before
    }
    await expectAll({ host: { ...host, stores: stores as never }, taken }, 'Redis')
  })
})
