// Does what the guides tell a new reader to do: for each page, starts the example,
// and runs the commands between <!-- walk --> and <!-- /walk --> in one shell, exactly as they are
// written: once in bash as a script, and once in an interactive zsh, which takes them from its
// input as it would from the clipboard, and knows no comments. Each curl command has a numbered
// line of the text before it, which holds the status it should get, as in `2. sign in (200)`; the
// statuses that came are compared with those.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const pages = ['docs/getting-started.md', 'docs/second-factor.md']
const root = fileURLToPath(new URL('../../', import.meta.url))
const writtenUrl = 'http://127.0.0.1:3000'
/**
 * What may be said on stderr: in a fresh clone that it is compiled first, by the server that a user
 * has switched the second factor off; npm speaks of its own settings.
 */
const expectedOnStderr = new RegExp(
  [
    '^npm (warn|notice)\\b',
    '^compiling, once',
    '^second-factor\\.disabled: ',
    // In two shells a factor changes more often than mails tell of it.
    '^login\\.throttled(: \\{"scope":"mail"| mail x )',
  ].join('|'),
)
/** Seconds. */
const patience = { start: 300, walk: 120, stop: 10 }

// Headers go to a file of their own, so that the reader's command keeps its output, and its own
// --write-out if it has one. No header at all, as after a refused connection, counts as status 000.
const shellPrelude = `
curl() {
  local headers outcome=0 code
  headers=$(mktemp "$WALK_FOLDER/headers.XXXXXX")
  command curl --dump-header "$headers" "$@" || outcome=$?
  code=$(sed -n 's/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p' "$headers" | tail -n 1)
  echo "\${code:-000}" >> "$WALK_FOLDER/statuses"
  return "$outcome"
}
`

// What a shell of a person does not do by itself: it goes on after a command that failed. Here that
// is told.
const inZsh = {
  command: 'zsh',
  args: ['-f', '-i'],
  before:
    'PS1= PS2= PROMPT_EOL_MARK=; TRAPZERR() { echo "failed: $?" >> "$WALK_FOLDER/failures"; }',
  isTyped: true,
}
const shells = [
  { command: 'bash', args: ['-euo', 'pipefail'], before: '', isTyped: false },
  inZsh,
].filter(isInstalled)

function isInstalled({ command }) {
  if (spawnSync(command, ['--version']).status === 0) return true
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`${command} is not installed`)
  process.stderr.write(`skipped: ${command} is not installed\n`)
  return false
}

/** The commands of a page's walk, and the statuses they promise. */
function readWalk(page) {
  const text = readFileSync(join(root, page), 'utf8')
  const walks = [...text.matchAll(/<!-- walk -->([\s\S]*?)<!-- \/walk -->/g)].map(
    ([, walk]) => walk,
  )
  const blocks = walks.flatMap((walk) =>
    [...walk.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block),
  )
  const script = blocks.join('\n')
  const promised = walks.flatMap((walk) =>
    [...walk.matchAll(/^\d+\. .*\((\d{3})\)/gm)].map(([, status]) => status),
  )
  if (promised.length === 0)
    throw new Error(`${page}: there is no command between <!-- walk --> and <!-- /walk -->`)
  return { script, promised }
}

/**
 * Starts a program as the leader of a process group of its own, so that all that it starts can be
 * ended with it.
 */
function start(command, args, env, input = '') {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}).end(input)
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', (chunk) => {
      said[stream] += chunk
    })
  }
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  return { child, said, ended, group: child.pid }
}

async function within(seconds, what, promise) {
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} took more than ${seconds} s`)),
      seconds * 1000,
    )
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The address that the server says it listens on. */
function listening({ child, said, ended }) {
  const announced = new Promise((resolve) => {
    child.stdout.on('data', () => {
      const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(said.stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const died = ended.then(({ code }) => {
    throw new Error(`npm start ended with ${code}\n${said.stdout}${said.stderr}`)
  })
  return Promise.race([announced, died])
}

async function walk({ command, args, before, isTyped }, script, url) {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'))
  const [file, statuses, failures] = ['walk.sh', 'statuses', 'failures'].map((name) =>
    join(folder, name),
  )
  try {
    const text = `${before}\n${shellPrelude}\n${script.replaceAll(writtenUrl, url)}`
    for (const [path, content] of [
      [file, text],
      [statuses, ''],
      [failures, ''],
    ])
      writeFileSync(path, content)
    const shell = start(
      command,
      isTyped ? args : [...args, file],
      { WALK_FOLDER: folder },
      isTyped ? text : '',
    )
    const { code } = await within(patience.walk, 'the walk', shell.ended).finally(() =>
      signal(-shell.group, 'SIGKILL'),
    )
    const { stdout, stderr } = shell.said
    // An interactive shell says what it did not understand, and goes on.
    const misunderstood = stderr.split('\n').filter((line) => line.includes('zsh: '))
    return {
      code,
      output: stdout + stderr,
      failures: [...readFileSync(failures, 'utf8').split('\n').slice(0, -1), ...misunderstood],
      statuses: readFileSync(statuses, 'utf8').split('\n').slice(0, -1),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sends a signal to a process, or to a group by its negative id, that may have ended already. */
function signal(id, name) {
  try {
    process.kill(id, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

// npm and its shell would die of a signal to the whole group before they could tell how the server
// ended. So the signal goes to the one process of the group that has no children, which is the
// server, and its exit code comes up through the others.
async function stop({ group, ended, said }) {
  const rows = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
  const members = rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, , pgid]) => pgid === group)
  const leaves = members.filter(([pid]) => !members.some(([, parent]) => parent === pid))
  for (const [pid] of leaves) signal(pid, 'SIGTERM')
  const { code, signal: by } = await within(patience.stop, 'stopping the server', ended)
  return code === 0 ? [] : [`the server ended with ${code ?? by} on SIGTERM\n${said.stderr}`]
}

function judge({ code, output, failures, statuses }, promised) {
  const problems = promised.flatMap((status, index) =>
    statuses[index] === status
      ? []
      : [`command ${index + 1}: promised ${status}, got ${statuses[index] ?? 'nothing'}`],
  )
  if (statuses.length > promised.length)
    problems.push(`${statuses.length - promised.length} curl commands promise no status`)
  if (code !== 0) problems.push(`the commands ended with ${code}`)
  problems.push(...failures)
  return problems.length === 0 ? [] : [...problems, `what they printed:\n${output}`]
}

/** Walks through one page in each shell, against a server of its own; answers what went wrong. */
async function tryOut({ script, promised }) {
  const data = mkdtempSync(join(tmpdir(), 'walk-data-'))
  // With a database of its own: what the reader has in theirs must not decide, and must not be
  // touched.
  const environment = {
    REDIS_URL: '',
    SECOND_FACTOR_REQUIRED: '',
    AUTH_ENCRYPTION_KEYS: '',
    DATABASE_URL: `sqlite:${join(data, 'walk.db')}`,
    AUTH_ENCRYPTION_KEY_FILE: join(data, 'encryption.key'),
  }
  const server = start('npm', ['start'], { PORT: '0', ...environment })
  try {
    const url = await within(patience.start, 'starting the server', listening(server))
    const problems = []
    for (const shell of shells) {
      const found = judge(await walk(shell, script, url), promised)
      problems.push(...found.map((problem) => `in ${shell.command}: ${problem}`))
    }
    problems.push(...(await stop(server)))
    const complaints = server.said.stderr
      .split('\n')
      .filter((line) => line !== '' && !expectedOnStderr.test(line))
    return [...problems, ...complaints.map((line) => `the server said: ${line}`)]
  } finally {
    signal(-server.group, 'SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
}

const names = shells.map(({ command }) => command).join(' and ')
for (const page of pages) {
  const steps = readWalk(page)
  const problems = await tryOut(steps)
  for (const problem of problems) process.stderr.write(`${page}: ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
  else
    process.stdout.write(
      `${page}: ${steps.promised.length} commands got the statuses they promise, in ${names}\n`,
    )
}
