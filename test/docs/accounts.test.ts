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
const [, example = ''] = /^## An example that runs$([\s\S]*?)^## /m.exec(page) ?? []
const blocksOf = (language: string) =>
  [...example.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block.replaceAll(/^ {3}/gm, ''),
  )

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Starts it inside the project, where the package can be imported by its own name. */
async function start() {
  const [code = ''] = blocksOf('ts')
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
async function typed(lines: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', lines])
  return JSON.parse(stdout)
}

it('the example mails a link, and sets a new password by it', async () => {
  const { url, moved, printed } = await start()
  const [forgot = '', reset = ''] = blocksOf('sh').map(moved)
  expect(await typed(forgot)).toEqual({ status: 'success', data: { expiresIn: 1800 } })
  const token = () => /#\/reset\/(mar_pr_[\w-]{43})/.exec(printed())?.[1]
  await expect.poll(token).toBeDefined()
  expect(await typed(reset.replace('mar_pr_…', token() ?? ''))).toEqual({
    status: 'success',
    data: {},
  })
  const logIn = async (password: string) => {
    const body = JSON.stringify({ username: 'alice', password })
    const headers = { 'Content-Type': 'application/json' }
    return (await fetch(`${url}/login`, { method: 'POST', headers, body })).status
  }
  expect(await logIn('correct horse battery staple')).toBe(401)
  expect(await logIn('a longer phrase that nobody else types')).toBe(200)
})
