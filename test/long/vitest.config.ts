import { defineConfig } from 'vitest/config'
import { engineTests, furtherTests, longTests, roundTests, slowTests } from './suites.js'

const suites = {
  long: {
    // Each project adds its files to these.
    include: [],
    testTimeout: 120_000,
    projects: [
      { extends: true as const, test: { name: 'alone', include: [...longTests] } },
      // As in `npm test`: to import the router anew costs a second of the processor.
      { extends: true as const, test: { name: 'shared', isolate: false, include: [...slowTests] } },
    ],
  },
  further: { include: [...furtherTests], testTimeout: 120_000 },
  engines: { include: [...engineTests], testTimeout: 120_000, env: { ENGINES: 'all' } },
  rounds: { include: [...roundTests], testTimeout: 900_000, env: { ROUNDS: '10' } },
}

export default defineConfig({
  test: {
    ...suites[(process.env['SUITE'] ?? 'long') as keyof typeof suites],
    maxWorkers: 3,
    experimental: { fsModuleCache: true },
    hookTimeout: 120_000,
    setupFiles: ['test/support/patience.ts'],
    expect: { poll: { timeout: 20_000 } },
  },
})
