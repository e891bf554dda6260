import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe as nodeDescribe, it as nodeIt } from 'node:test'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { fileKeyStore } from '../../src/signers/file-key-store.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { type ContractRunner, type StoreContractName, type StoresUnderTest, storeContract } from '../../src/testing/testing.js'
import { badStores } from './bad-stores.js'
import { caught } from './caught.js'
import { collect, failuresOf } from './collect.js'
import { memoryKeyStore } from './memory-key-store.js'

const contracts = ['codes', 'sessions', 'secondFactors', 'tickets', 'keys'] as const

function goodStores(): StoresUnderTest {
  const stores = memoryStores()
  const { codes, sessions } = stores
  const redemption: NonNullable<typeof codes.redemption> = {
    sessions,
    async redeem(codeHash, session, now) {
      if ((await codes.find(codeHash))?.consumedAt === null && (await sessions.find(session.id)) !== null)
        throw new Error('duplicate')
      const answer = await codes.consume(codeHash, now)
      if (answer.outcome === 'consumed') await sessions.create(session)
      return answer
    },
  }
  return { ...stores, codes: { ...codes, redemption }, keys: memoryKeyStore() }
}

storeContract({ describe, it }, { name: 'good stores in memory', contracts, stores: goodStores })
storeContract({ describe, it }, { name: 'memoryStores() alone', contracts: ['codes', 'sessions'], stores: () => memoryStores() })

const folder = await mkdtemp(join(tmpdir(), 'keys-'))
afterAll(() => rm(folder, { recursive: true }))
storeContract({ describe, it }, { name: 'fileKeyStore()', contracts: ['keys'], stores: () => ({ keys: fileKeyStore(folder) }) })

describe('the store contract finds out a store that', () => {
  it.each(Object.entries(badStores))('breaks its promise: %s', async (name, stores) => {
    const contract = name.split(':')[0] as StoreContractName
    const [test, message] = caught[name as keyof typeof badStores]
    const failures = await failuresOf({ name, contracts: [contract], stores, rounds: 5 })
    expect([...failures.keys()]).toContain(`${contract}: ${test}`)
    expect(failures.get(`${contract}: ${test}`)).toContain(message)
  })

  it('is not there, although it was promised', async () => {
    const failures = await failuresOf({ name: 'none', contracts: ['tickets'], stores: () => ({}) })
    expect(new Set(failures.values())).toEqual(new Set(["TypeError: contracts names 'tickets', but stores() gave no tickets"]))
  })

  it('cannot be opened: each test says why, and it is tried once', async () => {
    let calls = 0
    const stores = () => {
      calls += 1
      throw new Error('no connection')
    }
    const failures = await failuresOf({ name: 'none', contracts: ['keys'], stores })
    expect(new Set(failures.values())).toEqual(new Set(['Error: no connection']))
    expect(calls).toBe(1)
  })
})

describe('the store contract', () => {
  it('opens no store before a test runs', () => {
    let calls = 0
    const stores = () => {
      calls += 1
      return goodStores()
    }
    const tests = collect({ name: 'lazy', contracts: [...contracts, 'codes'], stores })
    expect(calls).toBe(0)
    expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length)
  })

  it.each([[[]], [['codes', 'users']]])('refuses contracts that are none: %j', (given) => {
    const options = { name: 'none', contracts: given as unknown as StoreContractName[], stores: goodStores }
    expect(() => collect(options)).toThrow(/^contracts: name one or more of codes, sessions, secondFactors, tickets, keys/)
  })

  it.each([0, 1.5, Number.NaN])('refuses %d rounds, which would prove nothing', (rounds) => {
    expect(() => collect({ name: 'none', contracts, stores: goodStores, rounds })).toThrow(/^rounds: not a whole number/)
  })

  it('takes the functions of vitest, node:test and jest as they are', () => {
    // As @types/jest has them.
    type JestTest = ((done: (problem?: unknown) => unknown) => undefined) | (() => PromiseLike<unknown>)
    interface Jest {
      readonly describe: (name: number | string, fn: () => void) => void
      readonly it: (name: string, fn?: JestTest, timeout?: number) => void
    }
    const jest: Jest = { describe: (_name, body) => body(), it: () => {} }
    const runners: readonly ContractRunner[] = [{ describe, it }, { describe: nodeDescribe, it: nodeIt }, jest]
    expect(runners).toHaveLength(3)
  })

  it.each([
    ['good', 0],
    ['bad', 1],
  ])('runs under node:test, with %s stores', async (kind, expected) => {
    const script = fileURLToPath(new URL('./under-node-test.mjs', import.meta.url))
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env
    const child = spawn(process.execPath, [script, kind], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const [code] = await once(child, 'close')
    expect(code, output).toBe(expected)
    expect(output).toMatch(kind === 'good' ? /# fail 0/ : /10 of 10 callers ended one session/)
  })
})
