import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/timing/**/*.test.ts'],
    // One measurement at a time: the work of another file would be part of the figures.
    fileParallelism: false,
    // The lines with the figures, as they are.
    disableConsoleIntercept: true,
    // Three runs of 840 passwords, on a machine that is slower than most.
    testTimeout: 300_000,
  },
})
