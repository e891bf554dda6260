import { defineConfig } from 'vitest/config'
import { engineTests, filesOf, roundTests, testFiles, testsWith } from './test/rules/tiers.mjs'

const tiers: Readonly<Record<string, readonly string[]>> = {
  test: filesOf('test'),
  rest: filesOf('rest'),
  long: filesOf('long'),
  further: filesOf('further'),
  engines: engineTests,
  rounds: roundTests,
  all: testFiles,
}
const tier = process.env['TIER'] ?? 'test'
const files = tiers[tier]
if (files === undefined)
  throw new Error(`TIER=${tier} is none of ${Object.keys(tiers).join(', ')}`)

// A module or a timer that one file replaces must not be replaced for others, and what counts steps
// must be there before that is compiled which it counts.
const isolated = testsWith(
  /\bvi\.(?:mock|doMock|hoisted|resetModules|spyOn\(globalThis)\b|import '.*\/steps\.js'/,
)

export default defineConfig({
  test: {
    // To import the router anew costs each file a second of the processor, so files that run in one
    // process share it: a third of the time of all. No test leaves anything behind in a module.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: files.filter((file) => !isolated.includes(file)),
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: files.filter((file) => isolated.includes(file)) },
      },
    ],
    // Two more than the cores of a small machine: files that wait for a database leave room for
    // those that do not.
    maxWorkers: 4,
    // What has been compiled once is read from node_modules/ next time.
    experimental: { fsModuleCache: true },
    env: { engines: { ENGINES: 'all' }, rounds: { ROUNDS: '10' } }[tier] ?? {},
    // Only so that what hangs ends: tests start databases, processes and browsers, in hooks too,
    // and a machine that is busy with something else is no reason to fail.
    testTimeout: tier === 'rounds' ? 900_000 : 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/support/every-file.ts'],
    expect: { poll: { timeout: 120_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Contracts and option types hold no code.
      exclude: ['src/**/contract.ts', 'src/options.ts', 'src/index.ts', 'src/testing/testing.ts'],
      reporter: ['text-summary', 'text', 'html'],
      thresholds: { lines: 95, branches: 95, functions: 95, statements: 95 },
    },
  },
})
