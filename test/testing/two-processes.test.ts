import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { createProcessSide } from '../../src/testing/store-contract/races/process-side.js'
import {
  type StoreContractName,
  type StoresUnderTest,
  storeContract,
} from '../../src/testing/testing.js'
import { badStores } from './bad-stores.js'
import { collect, failuresOf } from './collect.js'
import { memoryKeyStore } from './memory-key-store.js'

/** The children run compiled code; the build comes before the tests. */
const workerUrl = new URL('../../dist/process-worker.js', import.meta.url)
const contracts = [
  'codes',
  'sessions',
  'secondFactors',
  'tickets',
  'keys',
  'consents',
  'once',
  'clients',
  'proofs',
  'identities',
  'deviceCodes',
] as const

type Methods = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>

/**
 * Makes these stores a database that other processes reach, and answers the address of the module
 * that does.
 */
async function serve(stores: StoresUnderTest): Promise<URL> {
  const server = createServer(async (request, response) => {
    const [, contract, method] = (request.url ?? '').split('/')
    const store = stores[contract as StoreContractName] as unknown as Methods
    const given = deserialize(await buffer(request)) as unknown[]
    const answer = await store[method ?? '']?.(...given).then(
      (value) => ({ value }),
      (error: unknown) => ({ problem: String(error) }),
    )
    response.end(serialize(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return new URL(
    `./remote-stores.mjs?port=${(server.address() as AddressInfo).port}`,
    import.meta.url,
  )
}

const isOfProcesses = ({ name }: { readonly name: string }) => name.includes('two processes')

const good: StoresUnderTest = {
  ...memoryStores(),
  ...memoryOAuthStores(),
  clients: memoryOAuthStores().clients,
  keys: memoryKeyStore(),
}
const goodModule = await serve(good)
const onlyProcesses = {
  describe,
  it: (name: string, body: () => Promise<void>) =>
    isOfProcesses({ name }) ? it(name, body) : undefined,
}
storeContract(onlyProcesses, {
  name: 'good',
  contracts,
  stores: () => good,
  processes: goodModule,
  workerUrl,
  rounds: 3,
})

const bad = [
  'codes: GET and DEL',
  'sessions: rotate reads, then writes',
  'secondFactors: confirm reads, then writes',
  'tickets: GET and DEL',
  'keys: insert reads, then writes',
  'consents: revoke reads, then writes',
  'once: reads, then writes',
  'clients: replaceSecrets reads, then writes',
  'proofs: takeTry reads, then writes',
  'identities: link reads, then writes',
] as const
const served = await Promise.all(
  bad.map(async (name) => {
    const stores = badStores[name]()
    return [name, stores, await serve(stores)] as const
  }),
)

describe('two processes', () => {
  it('race the operations that are worth most to a thief', () => {
    const tests = collect({
      name: 'all',
      contracts,
      stores: () => good,
      processes: goodModule,
    }).filter(isOfProcesses)
    const races = tests.filter(({ name }) => name.includes('50 callers'))
    expect(
      races.map(({ name }) => name.replace(' is won by one of 50 callers in two processes', '')),
    ).toEqual([
      'codes: consume',
      'sessions: rotateRefresh',
      'sessions: end',
      'sessions: endAllForClient',
      'sessions: endChildren',
      'sessions: replaceSecret',
      'secondFactors: confirm',
      'secondFactors: advanceStep',
      'secondFactors: consumeRecoveryCode',
      'tickets: consume',
      'keys: insert',
      'consents: revoke',
      'once: claim',
      'once: claim of a key whose note has expired',
      'clients: replaceSecrets',
      'proofs: takeTry of the last try',
      'proofs: consume',
      'proofs: voidForUser',
      'identities: link',
      'identities: link of one that was unlinked',
      'identities: unlink unless it is the last',
      'identities: unlink',
      'deviceCodes: claim',
      'deviceCodes: takeTry of the last try',
      'deviceCodes: decide',
      'deviceCodes: poll',
    ])
  })

  it.each(served)(
    'find out a store that breaks its promise: %s',
    async (name, stores, processes) => {
      const contract = name.split(':')[0] as StoreContractName
      const options = {
        name,
        contracts: [contract],
        stores: () => stores,
        processes,
        workerUrl,
        rounds: 3,
      }
      const [test] = collect(options).filter(isOfProcesses)
      await expect(test?.body()).rejects.toThrow(/of 50 callers .*winners per round: \d+ \d+ \d+\./)
    },
  )

  it.each(['caches what it finds', 'indexes users by itself'])(
    'find out a store of which each process %s',
    async (fault) => {
      const { storesOf } = await import(
        /* @vite-ignore */ new URL('./remote-stores.mjs', import.meta.url).href
      )
      const processes = new URL(`${goodModule.href}&fault=${encodeURIComponent(fault)}`)
      const options = {
        name: fault,
        contracts: ['sessions'] as const,
        stores: () => storesOf(processes),
        processes,
        workerUrl,
        rounds: 3,
      }
      // In one process nothing is wrong with it.
      const alone = await failuresOf(
        options,
        (name) => /endAllForUser|comes back/.test(name) && !/processes|under way/.test(name),
      )
      const together = await failuresOf(options, (name) => name.includes('the other sees at once'))
      expect(alone).toEqual(new Map())
      expect([...together.values()].join()).toMatch(
        /another process has (created|refreshed|touched).*Keep nothing in the memory of a process/,
      )
    },
  )

  const firstOf = (module: string, worker: URL | undefined = workerUrl) => {
    const processes = new URL(module, import.meta.url)
    const options = {
      name: 'none',
      contracts: ['tickets'] as const,
      stores: () => good,
      processes,
      workerUrl: worker,
    }
    return collect(options).filter(isOfProcesses)[0]
  }

  it('that have no module are told of before one starts, with the remedy', async () => {
    const told = firstOf('./not-there.mjs')?.body()
    await expect(told).rejects.toThrow(
      /^There is no file .*not-there\.mjs\. .*plain Node: name the compiled file/,
    )
  })

  it('that cannot open the stores say why, with the remedy, and are started once', async () => {
    const counter = join(mkdtempSync(join(tmpdir(), 'starts-')), 'starts')
    onTestFinished(() => rmSync(dirname(counter), { recursive: true }))
    const module =
      `data:text/javascript,import fs from 'node:fs';fs.appendFileSync('${counter}','.');throw ` +
      `new Error('no TypeScript')`
    const options = {
      name: 'none',
      contracts,
      stores: () => good,
      processes: new URL(module),
      workerUrl,
    }
    for (const { body } of collect(options).filter(isOfProcesses)) {
      await expect(body()).rejects.toThrow(
        /could not be opened\. .*name the compiled file.*no TypeScript/s,
      )
    }
    expect(readFileSync(counter, 'utf8').length).toBeLessThanOrEqual(2)
  })

  it('that crash fail the test with what they said', async () => {
    const crash = "data:text/javascript,console.error('out of luck');process.exit(3)"
    await expect(firstOf(crash)?.body()).rejects.toThrow(
      /ended \(3\) before it answered\. It said: out of luck/,
    )
    await expect(firstOf('data:text/javascript,process.kill(process.pid)')?.body()).rejects.toThrow(
      /ended \(SIGTERM\)/,
    )
  })

  /** Tests over the good stores, whose processes write their ids into a file as they start. */
  const counted = () => {
    const folder = mkdtempSync(join(tmpdir(), 'starts-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'pids')
    const code = `
      import fs from 'node:fs'
      fs.appendFileSync('${file}', process.pid + ' ')
      export { default } from '${goodModule.href}'`
    const tests = collect({
      name: 'counted',
      contracts: ['tickets', 'once'],
      stores: () => good,
      processes: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
      workerUrl,
      rounds: 1,
    }).filter(isOfProcesses)
    return { tests, pids: () => readFileSync(file, 'utf8').trim().split(' ').map(Number) }
  }
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  it('are started once for all tests of a run, and end with the last of them', async () => {
    const { tests, pids } = counted()
    expect(tests.length).toBeGreaterThan(3)
    for (const { body } of tests.slice(0, -1)) await body()
    expect(pids().map(isAlive)).toEqual([true, true])
    await tests.at(-1)?.body()
    expect(pids().map(isAlive)).toEqual([false, false])
  })

  it('that end between two tests fail the second one, and the third gets others', async () => {
    const { tests, pids } = counted()
    const [first, second, third] = tests
    await first?.body()
    for (const pid of pids()) process.kill(pid)
    await expect(second?.body()).rejects.toThrow(/^A process of the race ended \(SIGTERM\)/)
    await third?.body()
    expect(pids()).toHaveLength(4)
    for (const { body } of tests.slice(3)) await body()
    expect(pids().map(isAlive)).toEqual([false, false, false, false])
  })

  it('do not keep a runner alive whose filter leaves the last test out', async () => {
    const script = fileURLToPath(new URL('./under-node-test.mjs', import.meta.url))
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env
    const child = spawn(
      process.execPath,
      ['--test-name-pattern=50 callers', script, 'processes', goodModule.href],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const output = await buffer(child.stdout)
    expect(String(output)).toMatch(
      /^ *ok \d+ - consume is won by one of 50 callers in two processes$/m,
    )
  })

  it('whose file is not there fail the test', async () => {
    await expect(
      firstOf(goodModule.href, new URL('./no-worker.js', import.meta.url))?.body(),
    ).rejects.toThrow(/^There is no file .*no-worker\.js\. .*`workerUrl`/)
  })
})

describe('one process of two', () => {
  it('races its share of the callers, by the numbers it was given', async () => {
    const carryOut = createProcessSide()
    onTestFinished(() => void vi.unstubAllGlobals())
    vi.stubGlobal('storesOfThisTest', { keys: memoryKeyStore() })
    const module = 'data:text/javascript,export default () => globalThis.storesOfThisTest'
    expect(await carryOut({ kind: 'open', module })).toEqual({ kind: 'open' })
    const generation = '950000'
    const order = {
      kind: 'race',
      contract: 'keys',
      name: 'insert',
      subject: generation,
      first: 25,
      callers: 5,
      startAt: 0,
    } as const
    const report = await carryOut(order)
    expect(report).toEqual({
      kind: 'raced',
      winners: [expect.toSatisfy((caller: number) => caller >= 25 && caller < 30)],
    })
    expect(await carryOut(order)).toEqual({ kind: 'raced', winners: [] })
  })

  it('answers what went wrong', async () => {
    const carryOut = createProcessSide()
    const race = {
      kind: 'race',
      contract: 'keys',
      name: 'forge',
      subject: '1',
      first: 0,
      callers: 1,
      startAt: 0,
    } as const
    expect(await carryOut(race)).toMatchObject({
      kind: 'failed',
      stack: expect.stringContaining('no operation keys.forge'),
    })
    const module = 'data:text/javascript,export default 1'
    expect(await carryOut({ kind: 'open', module })).toMatchObject({
      stack: expect.stringContaining('no default export'),
    })
    const throws = 'data:text/javascript,throw 1'
    expect(await carryOut({ kind: 'open', module: throws })).toEqual({ kind: 'failed', stack: '1' })
  })
})
