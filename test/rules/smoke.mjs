// One of each of what `npm run test:all` does at length: each kind of database goes away once under
// load and comes back, processes are killed while they sign users in, the clock is asked once
// whether it tells two refusals apart, and whether it would. `npm run test:smoke`
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './support.mjs'

/** `titles` must be passed by so many tests, so that a new title leaves nothing out unseen. */
const smokes = [
  {
    suite: 'outages',
    file: 'test/outages/restart.test.ts',
    titles: '(PostgreSQL|MariaDB|Redis).* (immediate|SIGKILL): clients see 503',
    tests: 3,
  },
  {
    suite: 'outages',
    file: 'test/outages/killed-sign-in.test.ts',
    titles: "over '(SQLite|PostgreSQL|MariaDB)'",
    tests: 3,
    // Some must come before the step and some after it, which three for a database do not always.
    env: { SIGN_IN_KILLS: '45' },
  },
  {
    suite: 'timing',
    file: 'test/timing/login.attack.test.ts',
    titles: 'clock of a refused login whether a user name belongs to a user$',
    tests: 1,
  },
  { suite: 'timing', file: 'test/timing/controls.test.ts', titles: 'finds 0.1 ms', tests: 1 },
]

const folder = mkdtempSync(join(tmpdir(), 'smoke-'))
try {
  const problems = smokes.flatMap(problemsOf)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function problemsOf({ suite, file, titles, tests, env = {} }) {
  const report = join(folder, 'report.json')
  const args = ['run', '--root', '.', '--config', `test/${suite}/vitest.config.ts`]
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    [...args, ...reporters, file, '-t', titles],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  )
  if (status !== 0) return [`${file}: failed`]
  const { numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
  return numPassedTests === tests
    ? []
    : [`${file}: ${numPassedTests} tests are called /${titles}/, and ${tests} should be`]
}
