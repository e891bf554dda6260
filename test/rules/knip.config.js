// What knip takes for used: the entries of the package and of the tests.
import { entries, programs, workers } from './bundle.mjs'

/**
 * Sources of what is published; `!` is for the run without the tests. The first is found through
 * package.json.
 */
const published = Object.values({ ...entries, ...workers, ...programs })
  .filter((source) => source !== entries.index)
  .map((source) => `src/${source}.ts!`)

// biome-ignore lint/style/noDefaultExport: knip reads it so.
export default {
  workspaces: {
    '.': {
      entry: [
        ...published,
        'test/**/*.test.ts',
        'test/rules/check-*.mjs',
        // Started by test/rules/suites.mjs, and by `.ci/run`.
        'test/rules/{ci,smoke,test-alone}.mjs',
        'test/{recipes,openapi-clients}/run.mjs',
        'test/surface/**/*.{mjs,cjs}',
        'test/surface/hosts/*.ts',
        'test/testing/*.mjs',
        'test/contract/*.mjs',
        'test/outages/*.mjs',
        'test/soak/*.mjs',
        'test/support/*.mjs',
        'example-app/server.ts',
        'example-app/cli/cli.ts',
        'example-app/wiki/wiki.ts',
      ],
      project: [
        'src/**/*.ts!',
        'test/**/*.{ts,mjs,cjs}',
        '!test/rules/.scratch/**',
        'example-app/**/*.ts',
      ],
      // A package of its own, which imports what is copied into it first; and types that are made.
      ignore: ['test/recipes/**', 'test/openapi/generated/**'],
      vitest: {
        config: [
          'vitest.config.ts',
          'test/outages/vitest.config.ts',
          'test/timing/vitest.config.ts',
          'test/rules/mutation-tests.config.ts',
        ],
      },
    },
    // A package of its own. Contestants and what grows are loaded by name, in other processes.
    'test/bench': {
      entry: ['contestants/*.mjs', 'growth/*.mjs', 'processes/*-process.mjs'],
      project: ['**/*.mjs'],
    },
    // Another: hosts and clients of others, most of them started by their paths.
    'test/hosts': {
      entry: ['run.mjs', '*.test.ts', 'processes/*.mjs'],
      project: ['**/*.{ts,mjs}'],
      vitest: { config: ['vitest.config.ts'] },
      // Started by its path; imported by the files that docs/passport-strategies.md shows, or
      // without types.
      ignoreDependencies: ['thelounge', '@node-saml/passport-saml', '@types/passport', 'passport'],
    },
    // Another: OAuth clients of others.
    'test/oauth-clients': {
      entry: ['run.mjs', '*.test.ts'],
      project: ['**/*.{ts,mjs}'],
      vitest: { config: ['vitest.config.ts'] },
      // Started by their paths.
      ignoreDependencies: [
        '@modelcontextprotocol/conformance',
        '@modelcontextprotocol/inspector',
        'mcp-remote',
      ],
    },
  },
  // A type that an exported function names is exported with it: its callers can name it too.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // check-package.mjs, check-openapi.mjs and check.mjs run the first three by the names of their
  // commands, and mutation.mjs names the fourth to Stryker; the others are imported by examples in
  // the README, which check-docs.mjs compiles.
  ignoreDependencies: [
    '@arethetypeswrong/cli',
    '@redocly/cli',
    '@biomejs/biome',
    '@stryker-mutator/vitest-runner',
    'mongodb',
    'mongoose',
  ],
  // Bench and soak start a Redis of its own; a client of the interface is in Perl; `script` is a
  // terminal for a program that asks.
  ignoreBinaries: ['tsc!', 'redis-server', 'perl', 'script'],
}
