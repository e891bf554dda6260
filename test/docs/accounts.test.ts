// The example of docs/accounts.md is saved and started as it says, and its lines are typed in.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/accounts.md', root), 'utf8')
const sectionOf = (title: string) =>
  page.split(/^## /m).find((part) => part.startsWith(title)) ?? ''
/** The first blocks of a section in a language, without what a list adds before them. */
const blocksOf = (section: string, language: string) =>
  [
    ...sectionOf(section).matchAll(
      new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'),
    ),
  ].map(([, before = '', block = '']) => block.replaceAll(new RegExp(`^${before}`, 'gm'), ''))

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Starts it inside the project, where the package can be imported by its own name. */
async function start(section: string) {
  const [code = ''] = blocksOf(section, 'ts')
  const folder = fileURLToPath(new URL('test/rules/.scratch/accounts/', root))
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const moved = (text: string) => text.replaceAll('3000', String(port))
  writeFileSync(`${folder}server.mjs`, moved(code))
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
    rmSync(folder, { recursive: true })
  })
  const printed = printedBy(child)
  const url = `http://localhost:${port}/api/v1`
  await expect
    .poll(() =>
      fetch(`${url}/me`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(401)
  return { url, moved, printed }
}

function printedBy({ stdout }: ChildProcess): () => string {
  let text = ''
  stdout?.on('data', (piece) => {
    text += piece
  })
  return () => text
}

/** What a shell prints that gets these lines. */
async function typed(lines: string): Promise<{ data: Record<string, unknown> }> {
  const { stdout } = await promisify(execFile)('sh', ['-c', lines])
  return JSON.parse(stdout)
}

async function logIn(url: string, username: string, password: string): Promise<number> {
  const body = JSON.stringify({ username, password })
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`${url}/login`, { method: 'POST', headers, body })).status
}

it('the example mails a link, and sets a new password by it', async () => {
  const { url, moved, printed } = await start('An example that runs')
  const [forgot = '', reset = ''] = blocksOf('An example that runs', 'sh').map(moved)
  expect(await typed(forgot)).toEqual({ status: 'success', data: { expiresIn: 1800 } })
  const token = () => /#\/reset\/(mar_pr_[\w-]{43})/.exec(printed())?.[1]
  await expect.poll(token).toBeDefined()
  expect(await typed(reset.replace('mar_pr_…', token() ?? ''))).toEqual({
    status: 'success',
    data: {},
  })
  expect(await logIn(url, 'alice', 'correct horse battery staple')).toBe(401)
  expect(await logIn(url, 'alice', 'a longer phrase that nobody else types')).toBe(200)
})

it('the example of a registration mails a code, and makes an account by it', async () => {
  const { url, moved, printed } = await start('Registration')
  const [lines = ''] = blocksOf('Registration', 'sh').map(moved)
  const [register = '', confirm = ''] = lines.split(/^(?=curl)/m)
  const { data } = await typed(register)
  expect(data).toEqual({ requestId: expect.any(String), expiresIn: 3600 })
  const code = () => /\d{4} \d{4}/.exec(printed())?.[0]
  await expect.poll(code).toBeDefined()
  const filled = confirm
    .replace('"requestId":"…"', `"requestId":"${data['requestId']}"`)
    .replace('"code":"…"', `"code":"${code()}"`)
  const made = await typed(filled)
  expect(made.data).toMatchObject({ authToken: expect.any(String), me: { username: 'ada' } })
  expect(await logIn(url, 'ada', 'a phrase that nobody else types')).toBe(200)
})
