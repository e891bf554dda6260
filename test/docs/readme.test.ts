// The server of the README is saved and started as it says, and answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('README.md', root), 'utf8')
const [code = '', clientCode = ''] = Array.from(
  page.matchAll(/^```ts\n([\s\S]*?)^```$/gm),
  ([, block]) => block,
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
async function start(): Promise<string> {
  const folder = fileURLToPath(new URL('test/rules/.scratch/readme/', root))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}server.mjs`, code)
  const port = await freePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}/api/v1`
  const isUp = () =>
    fetch(`${url}/me`).then(
      () => true,
      () => false,
    )
  await expect.poll(isUp).toBe(true)
  return url
}

describe('the README', () => {
  it('says what, why and how to start on its first screens', () => {
    const lines = page.split('\n')
    expect(lines.length).toBeLessThanOrEqual(150)
    expect(lines.findIndex((line) => line.startsWith('npm install'))).toBeLessThan(25)
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(30)
  })

  it('has a client of a few lines that signs alice in, and asks her route', async () => {
    expect(clientCode.trim().split('\n').filter(Boolean)).toHaveLength(4)
    const url = await start()
    const folder = fileURLToPath(new URL('test/rules/.scratch/readme/', root))
    writeFileSync(`${folder}client.mjs`, clientCode.replace('http://127.0.0.1:3000/api/v1', url))
    const child = spawn(process.execPath, ['client.mjs'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString()
    })
    await once(child, 'close')
    expect(said).toBe("{ rooms: [ 'general' ], for: '1' }\n")
  })

  it('has a server that signs alice in, and guards its route', async () => {
    const url = await start()
    const asked = { username: 'alice', password: 'correct horse battery staple' }
    const logIn = (body: object) =>
      fetch(`${url}/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    const login = await logIn(asked)
    expect(login.status).toBe(200)
    const { data } = (await login.json()) as { data: { authToken: string } }
    const authorization = { Authorization: `Bearer ${data.authToken}` }
    const rooms = await fetch(`${url}/rooms`, { headers: authorization })
    expect(await rooms.json()).toEqual({ rooms: ['general'], for: '1' })
    expect((await fetch(`${url}/rooms`)).status).toBe(401)
    expect((await logIn({ ...asked, password: 'another' })).status).toBe(401)
  })
})
