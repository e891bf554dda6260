// Does what the README tells a new reader to do: starts the example, and runs the commands between <!-- walk --> and <!-- /walk -->
// in one shell, exactly as they are written. Each curl command comes after a comment that ends with the status it should get, as in
// `# 2. sign in (200)`; the statuses that came are compared with those that were promised.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const writtenUrl = 'http://127.0.0.1:3000'
/** What may be said on stderr: nothing by the server; npm speaks of its own settings. */
const expectedOnStderr = /^npm (warn|notice)\b/
/** Seconds. */
const patience = { start: 120, walk: 120, stop: 10 }

// Headers go to a file of their own, so that the reader's command keeps its output, and its own --write-out if it has one. No
// header at all, as after a refused connection, counts as status 000.
const shellPrelude = `
curl() {
  local headers outcome=0 status
  headers=$(mktemp "$WALK_FOLDER/headers.XXXXXX")
  command curl --dump-header "$headers" "$@" || outcome=$?
  status=$(sed -n 's/^HTTP[^ ]* \\([0-9]*\\).*/\\1/p' "$headers" | tail -n 1)
  echo "\${status:-000}" >> "$WALK_FOLDER/statuses"
  return "$outcome"
}
`

/** The commands of the walk, and the statuses they promise. */
function readWalk() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const walks = [...readme.matchAll(/<!-- walk -->([\s\S]*?)<!-- \/walk -->/g)].map(([, walk]) => walk)
  const blocks = walks.flatMap((walk) => [...walk.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block))
  const script = blocks.join('\n')
  const promised = [...script.matchAll(/^[ \t]*#.*\((\d{3})\)[ \t]*$/gm)].map(([, status]) => status)
  if (promised.length === 0) throw new Error('README.md: there is no command between <!-- walk --> and <!-- /walk -->')
  return { script, promised }
}

/** Starts a program as the leader of a process group of its own, so that all that it starts can be ended with it. */
function start(command, args, env) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
    timer = setTimeout(() => reject(new Error(`${what} took more than ${seconds} s`)), seconds * 1000)
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

async function walk(script, url) {
  const folder = mkdtempSync(join(tmpdir(), 'walk-'))
  try {
    const [file, statuses] = [join(folder, 'walk.sh'), join(folder, 'statuses')]
    writeFileSync(file, `${shellPrelude}\n${script.replaceAll(writtenUrl, url)}`)
    writeFileSync(statuses, '')
    const shell = start('bash', ['-euo', 'pipefail', file], { WALK_FOLDER: folder })
    const { code } = await within(patience.walk, 'the walk', shell.ended).finally(() => signal(-shell.group, 'SIGKILL'))
    return {
      code,
      output: shell.said.stdout + shell.said.stderr,
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

// npm and its shell would die of a signal to the whole group before they could tell how the server ended. So the signal goes to the
// one process of the group that has no children, which is the server, and its exit code comes up through the others.
async function stop({ group, ended, said }) {
  const rows = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' }).stdout.trim().split('\n')
  const members = rows.map((row) => row.trim().split(/\s+/).map(Number)).filter(([, , pgid]) => pgid === group)
  const leaves = members.filter(([pid]) => !members.some(([, parent]) => parent === pid))
  for (const [pid] of leaves) signal(pid, 'SIGTERM')
  const { code, signal: by } = await within(patience.stop, 'stopping the server', ended)
  return code === 0 ? [] : [`the server ended with ${code ?? by} on SIGTERM\n${said.stderr}`]
}

function judge({ code, output, statuses }, promised) {
  const problems = promised.flatMap((status, index) =>
    statuses[index] === status ? [] : [`command ${index + 1}: promised ${status}, got ${statuses[index] ?? 'nothing'}`],
  )
  if (statuses.length > promised.length) problems.push(`${statuses.length - promised.length} curl commands promise no status`)
  if (code !== 0) problems.push(`the commands ended with ${code}`)
  return problems.length === 0 ? [] : [...problems, `what they printed:\n${output}`]
}

const { script, promised } = readWalk()
const data = mkdtempSync(join(tmpdir(), 'walk-data-'))
// With a database of its own: what the reader has in theirs must not decide, and must not be touched.
const environment = {
  REDIS_URL: '',
  DATABASE_URL: `sqlite:${join(data, 'walk.db')}`,
  AUTH_ENCRYPTION_KEY_FILE: join(data, 'encryption.key'),
}
const server = start('npm', ['start'], { PORT: '0', ...environment })
try {
  const url = await within(patience.start, 'starting the server', listening(server))
  const problems = [...judge(await walk(script, url), promised), ...(await stop(server))]
  const complaints = server.said.stderr.split('\n').filter((line) => line !== '' && !expectedOnStderr.test(line))
  for (const problem of [...problems, ...complaints.map((line) => `the server said: ${line}`)]) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 1
  }
  if (process.exitCode === undefined) process.stdout.write(`readme: ${promised.length} commands got the statuses they promise\n`)
} finally {
  signal(-server.group, 'SIGKILL')
  rmSync(data, { recursive: true, force: true })
}
