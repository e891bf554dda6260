import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/outages/**/*.test.ts'],
    globalSetup: ['test/outages/left-behind.ts'],
    // One file after the other: they measure how long an outage lasts, and other servers' work
    // would be part of the figure.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
