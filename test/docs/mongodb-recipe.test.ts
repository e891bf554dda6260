import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, it } from 'vitest'
import { type StoresUnderTest, storeContract } from '../../src/testing/testing.js'
import { fakeMongo } from './fake-mongo.js'

// The adapter of docs/adapters.md is run as it stands in docs/examples. Without a MongoDB at hand
// its calls go to a fake, which knows no more than the operators that the adapter uses; types are
// checked against the real driver by check-docs.mjs.

const examples = new URL('../../docs/examples/mongodb/', import.meta.url)
const files = new Map(
  readdirSync(examples).map((file) => [
    basename(file, '.ts'),
    readFileSync(new URL(file, examples), 'utf8'),
  ]),
)
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

type Recipe = (
  client: object,
  database: string,
) => Required<StoresUnderTest> & { createIndexes(): Promise<void> }
type Edit = (code: string, file: string) => string

async function recipe(edit: Edit = (code) => code): Promise<Recipe> {
  const folder = mkdtempSync(join(tmpdir(), 'mongo-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const [name, code] of files) {
    const { outputText } = ts.transpileModule(edit(code, name), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ES2022,
        verbatimModuleSyntax: true,
      },
    })
    writeFileSync(join(folder, `${name}.js`), outputText)
  }
  const { mongoStores } = await import(
    /* @vite-ignore */ pathToFileURL(join(folder, 'mongo-stores.js')).href
  )
  return mongoStores
}

const contracts = ['codes', 'sessions', 'secondFactors', 'tickets', 'proofs', 'keys'] as const

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
      ['auth_proofs', 'userId,purpose'],
      ['auth_proofs', 'expiresAt'],
      ['auth_enrolments', 'expiresAt'],
      ['auth_recovery_codes', '_id.userId'],
    ])
  })

  it.each([
    ['an operator', { $gt: '' }],
    ['half a character', 'a\ud800'],
    ['longer than 1024 bytes', '\u00e9'.repeat(513)],
  ])('refuses an id that is %s', async (_what, id) => {
    const { sessions, codes, secondFactors, tickets, proofs } = (await recipe())(
      fakeMongo().client,
      'chat',
    )
    const userId = id as string
    await expect(sessions.find(userId)).rejects.toThrow(TypeError)
    await expect(sessions.endAllForUser(userId, 'revoked', new Date())).rejects.toThrow(TypeError)
    await expect(codes.redemption?.redeem(userId, {} as never, new Date())).rejects.toThrow(
      TypeError,
    )
    await expect(secondFactors.consumeRecoveryCode(userId, 'hash')).rejects.toThrow(TypeError)
    await expect(tickets.consume(userId, new Date())).rejects.toThrow(TypeError)
    await expect(proofs.find(userId, 'reset')).rejects.toThrow(TypeError)
    await expect(proofs.takeTry('hash', userId, new Date())).rejects.toThrow(TypeError)
    await expect(proofs.voidForUser(userId, ['reset'], new Date())).rejects.toThrow(TypeError)
  })
})

// The fake is worth something only if it shows the faults that an adapter may have.
describe('the same adapter with one fault', () => {
  const { sessions, codes, tickets } = {
    sessions: 'mongo-sessions',
    codes: 'mongo-codes',
    tickets: 'mongo-stores',
  }
  const [factors, proofs] = ['mongo-second-factors', 'mongo-proofs'] as const
  it.each([
    ['sessions', 'mongo-database', ' <= 1024 &&\n    !/\\p{Surrogate}/u.test(value)', ' <= 1024'],
    ['codes', codes, 'consumedAt: null, expiresAt: { $gt: now } }', 'expiresAt: { $gt: now } }'],
    ['codes', codes, 'expiresAt: { $gt: now } }', 'createdAt: { $lte: now } }'],
    ['codes', codes, 'sessions.rows, session, within)', 'sessions.rows, session)'],
    ['sessions', sessions, '_id: { $eq: key(id) }, endedAt: null }', '_id: { $eq: key(id) } }'],
    ['sessions', sessions, "'refresh.hash': { $eq: key(presentedHash) },", ''],
    [
      'sessions',
      sessions,
      'userId: { $eq: key(userId) }, endedAt: null }',
      'userId: { $eq: key(userId) } }',
    ],
    ['sessions', sessions, 'endedBy: { $eq: endedBy } }', 'endedAt: { $ne: null } }'],
    ['sessions', sessions, ' expiresAt: { $gt: now }', ' expiresAt: { $ne: null }'],
    ['tickets', tickets, 'rows.findOneAndDelete(', 'rows.findOne('],
    ['proofs', proofs, ', triesLeft: { $gt: 0 } }', ' }'],
    ['proofs', proofs, 'consumedAt: null,\n    expiresAt: { $gt: now }', 'consumedAt: null'],
    ['proofs', proofs, '    consumedAt: null,\n    expiresAt', '    expiresAt'],
    ['proofs', proofs, 'purpose: { $in: purposes.map(key) }, ', ''],
    ['proofs', proofs, 'purposes.map(key) }, consumedAt: null }', 'purposes.map(key) } }'],
    ['proofs', proofs, '    purpose: { $eq: key(purpose) },\n', ''],
    ['secondFactors', factors, 'lastStep: { $lt: step }', 'lastStep: { $ne: step }'],
    ['sessions', sessions, '{ endedAt: { $lte: now } }', '{ endedAt: { $ne: null } }'],
    [
      'secondFactors',
      factors,
      'recoveryCodes.deleteMany(ofUser(userId), within)\n  const codes',
      'recoveryCodes.findOne(ofUser(userId), within)\n  const codes',
    ],
    ['secondFactors', factors, '...seed, expiresAt: { $gt: now } }', '...seed }'],
    ['secondFactors', factors, ', sealedSeed: { $eq: key(factor.sealedSeed) } }', ' }'],
    ['secondFactors', factors, ', sealedSeed: { $eq: key(from) } }', ' }'],
    ['secondFactors', factors, 'if (modifiedCount === 0)', 'if (modifiedCount > 1)'],
    ['secondFactors', factors, 'await pending.deleteMany(ofUser(userId), within)', ''],
    ['secondFactors', factors, 'if (!isDuplicate(error)) throw error', 'throw error'],
    ['secondFactors', factors, '[{ expiresAt: { $lte: now } }]', '[{ expiresAt: { $ne: null } }]'],
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
    let failed = false
    for (const test of tests) {
      if (!failed)
        failed = await test().then(
          () => false,
          () => true,
        )
    }
    expect(failed).toBe(true)
  })
})
