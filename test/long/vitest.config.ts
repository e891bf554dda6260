import { defineConfig } from 'vitest/config'
import {
  engineTests,
  furtherTests,
  longTests,
  ownProcess,
  roundTests,
  slowTests,
  testsWith,
} from './suites.js'

const alone = testsWith(ownProcess)

const suites = {
  long: {
    // Each project adds its files to these.
    include: [],
    testTimeout: 300_000,
    projects: [
      {
        extends: true as const,
        test: {
          name: 'alone',
          include: [...longTests, ...slowTests.filter((path) => alone.includes(path))],
        },
      },
      // As in `npm test`: to import the router anew costs a second of the processor.
      {
        extends: true as const,
        test: { name: 'shared', isolate: false, include: [...slowTests], exclude: [...alone] },
      },
    ],
  },
  further: { include: [...furtherTests], testTimeout: 300_000 },
  engines: { include: [...engineTests], testTimeout: 300_000, env: { ENGINES: 'all' } },
  rounds: { include: [...roundTests], testTimeout: 900_000, env: { ROUNDS: '10' } },
}

export default defineConfig({
  test: {
    ...suites[(process.env['SUITE'] ?? 'long') as keyof typeof suites],
    maxWorkers: 3,
    experimental: { fsModuleCache: true },
    hookTimeout: 300_000,
    setupFiles: ['test/support/patience.ts'],
    expect: { poll: { timeout: 120_000 } },
  },
})
