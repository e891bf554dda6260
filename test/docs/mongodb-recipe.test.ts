import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { type StoresUnderTest, storeContract } from '../../src/testing/testing.js'
import { fakeMongo } from './fake-mongo.js'

// The adapter that docs/adapters.md shows is run as it stands there. Without a MongoDB at hand its calls go to a fake, which knows no
// more than the operators that the adapter uses; types are checked against the real driver by check-docs.mjs.

const page = readFileSync(new URL('../../docs/adapters.md', import.meta.url), 'utf8')
const files = new Map(
  [...page.matchAll(/^```ts\n(\/\/ (mongo-[\w-]+)\.ts\n[\s\S]*?)^```$/gm)].map(([, code, name]) => [name, code]),
)
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

type Recipe = (client: object, database: string) => Required<StoresUnderTest> & { createIndexes(): Promise<void> }
type Edit = (code: string, file: string) => string

async function recipe(edit: Edit = (code) => code): Promise<Recipe> {
  const folder = mkdtempSync(join(tmpdir(), 'mongo-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const [name = '', code = ''] of files) {
    const { outputText } = ts.transpileModule(edit(code, name), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, verbatimModuleSyntax: true },
    })
    writeFileSync(join(folder, `${name}.js`), outputText)
  }
  const { mongoStores } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'mongo-stores.js')).href)
  return mongoStores
}

const contracts = ['codes', 'sessions', 'secondFactors', 'tickets', 'keys'] as const

storeContract(
  { describe, it },
  {
    name: 'the MongoDB adapter of docs/adapters.md',
    contracts,
    stores: async () => (await recipe())(fakeMongo().client, 'chat'),
    rounds: 10,
  },
)

describe('the MongoDB adapter of docs/adapters.md', () => {
  it('asks for durable writes and for the primary, in transactions too', async () => {
    const { client, databaseOptions, transactionOptions } = fakeMongo()
    const { secondFactors } = (await recipe())(client, 'chat')
    await secondFactors.deactivate('u')
    const durable = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' }
    expect(databaseOptions).toEqual([durable])
    expect(transactionOptions).toEqual([{ ...durable, readConcern: { level: 'snapshot' } }])
  })

  it('has an index for each question it asks of many rows', async () => {
    const { client, indexes } = fakeMongo()
    await (await recipe())(client, 'chat').createIndexes()
    expect(indexes).toEqual([
      ['auth_sessions', 'userId,endedAt'],
      ['auth_sessions', 'endedAt'],
      ['auth_sessions', 'idleExpiresAt'],
      ['auth_sessions', 'expiresAt'],
      ['auth_codes', 'expiresAt'],
      ['auth_codes', 'retainUntil'],
      ['auth_tickets', 'expiresAt'],
      ['auth_recovery_codes', '_id.userId'],
    ])
  })

  it.each([
    ['an operator', { $gt: '' }],
    ['half a character', 'a\ud800'],
    ['longer than 1024 bytes', '\u00e9'.repeat(513)],
  ])('refuses an id that is %s', async (_what, id) => {
    const { sessions, codes, secondFactors, tickets } = (await recipe())(fakeMongo().client, 'chat')
    const userId = id as string
    await expect(sessions.find(userId)).rejects.toThrow(TypeError)
    await expect(sessions.endAllForUser(userId, 'revoked', new Date())).rejects.toThrow(TypeError)
    await expect(codes.redemption?.redeem(userId, {} as never, new Date())).rejects.toThrow(TypeError)
    await expect(secondFactors.consumeRecoveryCode(userId, 'hash')).rejects.toThrow(TypeError)
    await expect(tickets.consume(userId, new Date())).rejects.toThrow(TypeError)
  })
})

// The fake is worth something only if it shows the faults that an adapter may have.
describe('the same adapter with one fault', () => {
  const { sessions, codes, tickets } = { sessions: 'mongo-sessions', codes: 'mongo-codes', tickets: 'mongo-tickets' }
  const factors = 'mongo-second-factors'
  it.each([
    ['codes', codes, 'consumedAt: null, expiresAt: { $gt: now } }', 'expiresAt: { $gt: now } }'],
    ['codes', codes, 'expiresAt: { $gt: now } }', 'createdAt: { $lte: now } }'],
    ['codes', codes, 'sessions.rows, session, within)', 'sessions.rows, session)'],
    ['sessions', sessions, '_id: { $eq: key(id) }, endedAt: null }', '_id: { $eq: key(id) } }'],
    ['sessions', sessions, ", 'refresh.hash': { $eq: key(presentedHash) }", ''],
    ['sessions', sessions, 'userId: { $eq: key(userId) }, endedAt: null }', 'userId: { $eq: key(userId) } }'],
    ['sessions', sessions, 'endedBy: { $eq: endedBy } }', 'endedAt: { $ne: null } }'],
    ['sessions', sessions, 'expiresAt: { $gt: now } })', 'expiresAt: { $ne: null } })'],
    ['tickets', tickets, 'rows.findOneAndDelete(', 'rows.findOne('],
    ['secondFactors', factors, 'lastStep: { $lt: step }', 'lastStep: { $ne: step }'],
    ['secondFactors', factors, 'recoveryCodes.deleteMany(', 'recoveryCodes.findOne('],
  ] as const)('fails the contract of %s', async (contract, file, right, wrong) => {
    const faulty = await recipe((code, name) => {
      if (name !== file) return code
      expect(code).toContain(right)
      return code.replace(right, wrong)
    })
    const stores = faulty(fakeMongo().client, 'chat')
    const tests: (() => Promise<void>)[] = []
    storeContract(
      { describe: (_name, body) => body(), it: (_name, body) => tests.push(body) },
      { name: 'faulty', contracts: [contract], stores: () => stores, rounds: 5 },
    )
    let failures = 0
    for (const test of tests) await test().catch(() => (failures += 1))
    expect(failures).toBeGreaterThan(0)
  })
})
