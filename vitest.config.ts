import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The ones stop and kill database servers, the others need the machine for themselves, and both take minutes: npm run test:faults,
    // npm run test:timing.
    exclude: ['**/node_modules/**', 'test/outages/**', 'test/timing/**'],
    // One more than the cores of a small machine: files that wait for a database or a browser leave room for one that does not.
    maxWorkers: 3,
    testTimeout: 20_000,
    // Databases and clusters are made in hooks.
    hookTimeout: 20_000,
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
