import { defineConfig } from 'vitest/config'
import { outsideNpmTest, ownProcess, testsWith } from './test/long/suites.js'

// The ones stop and kill database servers, the others need the machine for themselves, or are long,
// or need packages of their own: npm run test:outages, test:timing, test:long, test:hosts,
// test:oauth-clients, test:recipes.
const elsewhere = [
  '**/node_modules/**',
  'test/outages/**',
  'test/recipes/**',
  'test/timing/**',
  'test/hosts/**',
  'test/oauth-clients/**',
  ...(process.env['COVER_ALL'] ? [] : outsideNpmTest),
]

// Whoever replaces a module must not replace it for others, and whoever counts steps must be there
// before what is counted is compiled.
const needsOwnProcess = [...testsWith(ownProcess)]

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
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...needsOwnProcess],
        },
      },
      { extends: true, test: { name: 'isolated', include: needsOwnProcess, exclude: elsewhere } },
    ],
    // Two more than the cores of a small machine: files that wait for a database leave room for
    // those that do not.
    maxWorkers: 4,
    // What has been compiled once is read from node_modules/ next time.
    experimental: { fsModuleCache: true },
    // No promise of speed: a time-out only ends what hangs. What is promised of cost is counted in
    // steps, and the milliseconds are figures of `npm run bench`. Tests start databases, processes
    // and browsers, in hooks too, and a machine that is busy with something else is no reason to
    // fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/support/patience.ts'],
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
