import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/outages/**/*.test.ts'],
    globalSetup: ['test/outages/left-behind.ts'],
    // One file after the other: they measure how long an outage lasts, and other servers' work
    // would be part of the figure.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
