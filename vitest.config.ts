import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They stop and kill database servers, and take minutes: npm run test:faults.
    exclude: ['test/outages/**'],
    // Hashing saturates a core; more files at once than cores would only make the slow ones slower.
    maxWorkers: 2,
    testTimeout: 20_000,
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
