import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/hosts/*.test.ts'],
    // Each host is a process of its own, and two at once are enough for a small machine.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
