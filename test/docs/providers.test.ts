// The lines of docs/providers.md are added to the server of the README, and a second instance of
// the example is the provider: alice connects her account there, and signs in by it.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { generateClientSecret } from '../../src/index.js'
import {
  alice,
  buildExample,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { browse } from '../support/example-browser.js'

const root = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), 'utf8')
const page = read('docs/providers.md')
const firstBlock = (text: string, language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''
const example = firstBlock(page, 'ts')
/** What is new in the server of the README. */
const [imported = '', option = ''] = [
  /^import .*openIdProvider.*\n/m.exec(example)?.[0],
  /^ {2}providers: \{\n[\s\S]*?^ {2}\},\n/m.exec(example)?.[0],
]
const lines = firstBlock(page.slice(page.indexOf('## Without the typed client')), 'sh')

beforeAll(buildExample)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The second instance of the example, in which the app of the table is registered. */
async function startProvider(callback: string) {
  const { secret, hash } = generateClientSecret()
  const app = {
    id: 'chat-server',
    name: 'Chat',
    type: 'web',
    redirectUris: [callback],
    scopes: ['openid', 'profile', 'email'],
    secretHashes: [hash],
  }
  const { url, stop } = await startExample({
    ...environmentIn(temporaryFolder()),
    OAUTH_CLIENTS: JSON.stringify([app]),
  })
  onTestFinished(async () => void (await stop('SIGKILL')))
  return { secret, issuer: url.replace('127.0.0.1', 'localhost') }
}

/** Starts the server inside the project, where the package can be imported by its own name. */
async function startServer(port: number, issuer: string, secret: string): Promise<string> {
  const code = firstBlock(read('README.md'), 'ts')
    .replace(/^import express.*\n/m, (line) => line + imported)
    .replace(/^ {2}passwords,\n/m, (line) => line + option)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('https://login.example.com/realms/staff', issuer)
  const folder = fileURLToPath(new URL('test/rules/.scratch/providers/', root))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}server.mjs`, code)
  const env = { ...process.env, PORT: String(port), WORK_CLIENT_SECRET: secret }
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
    rmSync(folder, { recursive: true })
  })
  const base = `http://127.0.0.1:${port}/api/v1`
  const isUp = () =>
    fetch(`${base}/me`).then(
      () => true,
      () => false,
    )
  await expect.poll(isUp).toBe(true)
  return base
}

/** What a shell prints that gets these lines: an answer in each. */
async function typed(text: string) {
  const { stdout } = await promisify(execFile)('bash', ['-euc', text])
  return stdout.trim().split('\n')
}

it('the server of the README signs in with accounts elsewhere in twelve more lines', async () => {
  const added = `${imported}${option}`.trim().split('\n')
  expect(added.length).toBeLessThanOrEqual(12)
  const port = await freePort()
  const base = `http://127.0.0.1:${port}/api/v1`
  const { secret, issuer } = await startProvider(`${base}/auth/providers/work/callback`)
  await startServer(port, issuer, secret)
  const person = browse(`http://127.0.0.1:${port}/signed-in`)

  /** Types the lines, with what the text below them says of connecting. */
  async function walk(token?: string) {
    const moved = lines.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    const [before = '', finish = ''] = moved.split(/^# 3[\s\S]*?^TICKET=.*\n/m)
    const [finishing = ''] = finish.split(/^# 4/m)
    const forToken = (text: string) =>
      token === undefined
        ? text
        : text
            .replaceAll(
              /curl -s (\S+\/auth\/(?:providers\/work\/start|providers\/finish))/g,
              `curl -s $1 -H "Authorization: Bearer ${token}"`,
            )
            .replace('/auth/providers/work/start', '/auth/identities/work')
            .replace('/auth/providers/finish', '/auth/identities')
    const answers = await typed(`${forToken(before)}\necho\necho "$VERIFIER $STATE $BASE"`)
    const [started = '', kept = ''] = answers
    const [verifier, state, BASE] = kept.split(' ')
    // The second of two answers, which stand on one line.
    const { data } = JSON.parse(started.slice(started.lastIndexOf('{"status"')))
    let shown = await person.read(data.url)
    if (shown.text.includes('name="password"')) shown = await person.submit(shown, alice)
    if (shown.text.includes('value="allow"')) {
      // Consent that comes faster is refused, as nobody has read the page: `too-soon`.
      await sleep(1100)
      shown = await person.submit(shown, { choice: 'allow' })
    }
    const { searchParams } = new URL(shown.url)
    expect(searchParams.get('state')).toBe(state)
    expect(searchParams.get('iss')).toBe(new URL(base).origin)
    const values = `BASE=${BASE}\nVERIFIER=${verifier}\nTICKET=${searchParams.get('ticket')}\n`
    const [answer = ''] = await typed(`${values}${forToken(finishing)}`)
    return JSON.parse(answer)
  }

  const stranger = await walk()
  expect([stranger.success, stranger.error]).toEqual([false, 'provider-refused'])
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ username: 'alice', password: 'correct horse battery staple' })
  const login = await fetch(`${base}/login`, { method: 'POST', headers, body })
  const { data: first } = (await login.json()) as { data: { authToken: string } }
  expect((await walk(first.authToken)).data.identity).toMatchObject({ provider: 'work' })
  const { data } = await walk()
  const guarded = { headers: { Authorization: `Bearer ${data.authToken}` } }
  expect(await (await fetch(`${base}/rooms`, guarded)).json()).toEqual({
    rooms: ['general'],
    for: '1',
  })
})
