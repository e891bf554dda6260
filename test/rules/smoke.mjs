// One of each of what the suite `outages` does at length: each kind of database goes away once
// under load and comes back, processes are killed while they sign users in, the example starts
// again. How long any of it takes is not judged here.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './support.mjs'

/** `titles` must be passed by so many tests, so that a new title leaves nothing out unseen. */
const smokes = [
  {
    file: 'test/outages/restart.test.ts',
    titles: '(PostgreSQL|MariaDB|Redis).* (immediate|SIGKILL): clients see 503',
    tests: 3,
  },
  {
    file: 'test/outages/killed-sign-in.test.ts',
    titles: "over '(SQLite|PostgreSQL|MariaDB)'",
    tests: 3,
    env: { SIGN_IN_KILLS: '15' },
  },
  { file: 'test/outages/example-restart.test.ts', titles: '', tests: 10 },
]

const folder = mkdtempSync(join(tmpdir(), 'smoke-'))
try {
  const problems = smokes.flatMap(problemsOf)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function problemsOf({ file, titles, tests, env = {} }) {
  const report = join(folder, 'report.json')
  const args = ['run', '--root', '.', '--config', 'test/outages/vitest.config.ts']
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    [...args, ...reporters, file, '-t', titles],
    { cwd: root, stdio: 'inherit', env: { ...process.env, JUDGE_TIMES: 'no', ...env } },
  )
  if (status !== 0) return [`${file}: failed`]
  const { numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
  return numPassedTests === tests
    ? []
    : [`${file}: ${numPassedTests} tests are called /${titles}/, and ${tests} should be`]
}
