// Breaks the code of a sign-in in every way it can think of, and asks the tests whether they notice: `npm run test:mutation`, which takes
// a quarter of an hour the first time. One file: `npm run test:mutation -- -m src/sign-in.ts`.
/** @type {import('@stryker-mutator/core').PartialStrykerOptions} */
const config = {
  testRunner: 'vitest',
  // Every test imports the whole router: to look for related ones costs time and leaves none out.
  vitest: { configFile: 'test/rules/mutation-tests.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner', new URL('./log-texts.mjs', import.meta.url).pathname],
  ignorers: ['log-texts'],
  mutate: [
    'src/sign-in.ts',
    'src/login/login.endpoint.ts',
    'src/login/verify-password.ts',
    'src/login/prove-password.ts',
    'src/guard/*.ts',
    'src/sessions/sessions.ts',
    'src/sessions/refresh.endpoint.ts',
    'src/tokens/refresh-token.ts',
    'src/tokens/access-token.ts',
    'src/pkce/token.endpoint.ts',
    'src/pkce/authorization-code.ts',
    'src/throttle/*.ts',
  ],
  coverageAnalysis: 'perTest',
  // What runs while a module is loaded belongs to no test, so all of them would have to run for each such mutant: half of the time for
  // a twentieth of the mutants, which are the schemas and patterns that the attack tests feed by the hundred.
  ignoreStatic: true,
  thresholds: { high: 95, low: 90, break: 85 },
  concurrency: 2,
  incremental: true,
  incrementalFile: '.stryker/incremental.json',
  tempDirName: '.stryker/sandboxes',
  cleanTempDir: 'always',
  ignorePatterns: ['/.stryker', '/coverage', '/docs', '/example-app/build', '/example-app/data', '/test/rules/.scratch'],
  reporters: ['clear-text', 'html', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: '.stryker/report.html' },
  jsonReporter: { fileName: '.stryker/report.json' },
}

export default config
