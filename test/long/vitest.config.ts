import { defineConfig } from 'vitest/config'
import { longTests } from './long-tests.js'

export default defineConfig({
  test: {
    include: [...longTests],
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: ['test/support/patience.ts'],
    expect: { poll: { timeout: 20_000 } },
  },
})
