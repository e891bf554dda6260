// Breaks the code of a sign-in in every way it can think of, and asks the tests whether they
// notice: `npm run test:mutation`, which takes hours the first time. One area:
// `npm run test:mutation -- throttle`. With SAMPLE=8, an eighth of the functions is drawn; the seed
// is printed, and SEED=<seed> draws the same again.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import ts from 'typescript'
import { filesBelow, root } from './support.mjs'

/**
 * What is broken, and how the files of the tests begin that are asked: those of the same area, so
 * that what nobody notices does not cost all there are.
 */
const areas = {
  'sign-in': {
    mutate: [
      'src/{sign-in,sign-in-factor}.ts',
      'src/login/{login,log-in,login-request,verify-password,replace-hash}.ts',
      'src/account/prove-password.ts',
      'src/pkce/{pkce,authorization-code}.ts',
      'src/host-sign-in/*.ts',
    ],
    tests: [
      'login/',
      'pkce/',
      'host-sign-in/',
      'acting/',
      'users/',
      'account/',
      'host-failures/',
      'two-factor/',
      'sessions/in-flight',
      'throttle/second-factor',
      'passkeys/',
      'accounts/sent-codes',
      'email-sign-in/',
      'rocketchat/login',
    ],
  },
  guard: {
    mutate: ['src/guard/*.ts', 'src/tokens/access-token.ts'],
    // Cookies, named tokens, pairs of tokens and tokens for other APIs are the guard's as well.
    tests: [
      'guard/',
      'acting/',
      'signers/',
      'sessions/in-flight',
      'cookie/{cookie,browser-session,page-socket,request-origin}',
      'named-tokens/',
      'refresh/{refresh,stolen}',
      'oauth/{introspect,revoke}',
      'account/revoke-by-token',
    ],
  },
  rotation: {
    mutate: ['src/sessions/*.ts', 'src/refresh/*.ts', 'src/tokens/refresh-token.ts'],
    // Sessions are those of cookies, named tokens, apps and the host's own sign-ins as well.
    tests: [
      'refresh/{refresh,stolen}',
      'sessions/',
      'host-failures/',
      'guard/',
      'account/',
      'cookie/{cookie,browser-session,page-socket,request-origin}',
      'login/rehash-marks',
      'named-tokens/',
      'oauth/{token,revoke,ends-everywhere}',
      'pkce/',
      'router/health',
      'host-sign-in/',
    ],
  },
  // The limits of mails are those of accounts.
  throttle: { mutate: ['src/throttle/*.ts'], tests: ['throttle/', 'accounts/limits'] },
  accounts: {
    mutate: ['src/accounts/*.ts'],
    tests: ['accounts/', 'pages/account/', 'router/map', 'docs/http-api'],
  },
  registration: {
    mutate: ['src/registration/*.ts'],
    tests: ['registration/', 'pages/account/', 'rocketchat/accounts', 'docs/http-api'],
  },
  'provider-sign-in': {
    mutate: ['src/provider-sign-in/*.ts'],
    tests: ['provider-sign-in/', 'pages/mounted/providers', 'docs/http-api'],
  },
  providers: {
    mutate: ['src/providers/*.ts', 'src/lib/outgoing.ts'],
    tests: ['providers/', 'lib/outgoing'],
  },
  directories: { mutate: ['src/directories/*.ts'], tests: ['directories/'] },
  'directory-sign-in': {
    mutate: ['src/directory-sign-in/*.ts', 'src/throttle/directory-limit.ts'],
    tests: ['directory-sign-in/', 'regressions/doors.attack'],
  },
  'device-links': {
    mutate: ['src/device-links/*.ts'],
    tests: ['device-links/', 'pages/account/', 'docs/http-api'],
  },
  'device-grant': {
    mutate: ['src/oauth/device/*.ts', 'src/oauth/token.endpoint.ts'],
    tests: ['oauth/device/'],
  },
  'back-channel-logout': {
    mutate: ['src/oauth/backchannel-logout.ts'],
    tests: ['oauth/{backchannel,told}'],
  },
}

/** Percent of the mutants that some test must notice. */
const aim = 85

const asked = process.argv.slice(2)
const unknown = asked.find((area) => !(area in areas))
if (unknown !== undefined)
  throw new Error(`No area ${unknown}. There are: ${Object.keys(areas).join(', ')}.`)

const share = Number(process.env['SAMPLE'] || 1)
const seed = Number(process.env['SEED'] || Math.floor(Math.random() * 1e9))
if (!(share >= 1) || !Number.isInteger(seed)) throw new Error('SAMPLE or SEED is no number')
if (share > 1) process.stdout.write(`one of ${share} functions; SEED=${seed}\n`)

const results = []
for (const area of asked.length > 0 ? asked : Object.keys(areas))
  results.push(...(await breakArea(area, areas[area])))
const score = scoreOf(results)
process.stdout.write(
  `In all ${score} % of ${results.length} mutants were noticed; the aim is ${aim} %.\n`,
)
process.exitCode = Number(score) >= aim ? 0 : 1

function breakArea(area, { mutate, tests }) {
  // Read by mutation-tests.config.ts, in the processes that run the tests.
  // By a character that no pattern has: a comma stands between braces.
  process.env.MUTATION_TESTS = tests.join(';')
  return new Stryker({
    testRunner: 'vitest',
    // Every test imports the whole router: to look for related ones costs time and leaves none out.
    vitest: { configFile: 'test/rules/mutation-tests.config.ts', related: false },
    plugins: [
      '@stryker-mutator/vitest-runner',
      new URL('./log-texts.mjs', import.meta.url).pathname,
    ],
    ignorers: ['log-texts'],
    mutate: share > 1 ? drawn(mutate) : mutate,
    coverageAnalysis: 'perTest',
    // What runs while a module is loaded belongs to no test, so all of them would have to run for
    // each such mutant: half of the time for a twentieth of the mutants, which are the schemas and
    // patterns that the attack tests feed by the hundred.
    ignoreStatic: true,
    concurrency: 2,
    // A machine that is busy with something else must not look like a test that noticed.
    timeoutMS: 20_000,
    // What was not drawn would count as what has gone.
    incremental: share === 1,
    incrementalFile: `.stryker/${area}.incremental.json`,
    tempDirName: '.stryker/sandboxes',
    cleanTempDir: 'always',
    ignorePatterns: [
      '/.stryker',
      '/coverage',
      // The tiers of the tests are drawn from its promises.
      '/docs/*',
      '!/docs/security.md',
      '/example-app/build',
      '/example-app/data',
      '/test/openapi-clients/build',
      '/test/rules/.scratch',
    ],
    reporters: ['clear-text', 'html', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `.stryker/${area}.html` },
  }).runMutationTest()
}

/**
 * Functions of these patterns' files, drawn by their names alone: a function that has moved into
 * another file is drawn there as well, so that two commits are compared by the code they share.
 */
function drawn(patterns) {
  const files = filesBelow('src').filter((file) => patterns.some((one) => asRegExp(one).test(file)))
  return files.flatMap((file) =>
    innerFunctions(file)
      .filter(({ name }) => isDrawn(name))
      .map(({ first, last }) => `${file}:${first}-${last}`),
  )
}

function isDrawn(name) {
  const hash = createHash('sha256').update(`${seed} ${name}`).digest()
  return hash.readUInt32BE() / 2 ** 32 < 1 / share
}

/** The lines of the named functions that have none of their own. */
function innerFunctions(file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), 99, true)
  const line = (at) => source.getLineAndCharacterOfPosition(at).line + 1
  const found = []
  visit(source)
  return found
  function visit(node) {
    const before = found.length
    ts.forEachChild(node, visit)
    if (node.name === undefined || !ts.isFunctionLike(node) || !node.body) return
    if (found.length > before) return
    found.push({
      name: node.name.getText(),
      first: line(node.getStart()),
      last: line(node.end),
    })
  }
}

// Of the patterns above, which know `*` and `{a,b}`.
function asRegExp(pattern) {
  const source = pattern
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*')
    .replaceAll(/\{([^}]*)\}/g, (_, names) => `(?:${names.replaceAll(',', '|')})`)
  return new RegExp(`^${source}$`)
}

function scoreOf(mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length
  const noticed = count('Killed', 'Timeout')
  return ((100 * noticed) / (noticed + count('Survived', 'NoCoverage'))).toFixed(1)
}
