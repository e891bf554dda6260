import { defineConfig } from 'vitest/config'

// npm run test:all -- --only recipes, which first installs what the examples import.
export default defineConfig({
  test: {
    include: ['*.test.ts'],
    maxWorkers: 2,
    // The examples log to the console.
    silent: 'passed-only',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
