import { defineConfig } from 'vitest/config'
import { engineTests, longTests, roundTests } from './suites.js'

const suites = {
  long: { include: [...longTests], testTimeout: 120_000 },
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
