// The program, as a shell runs it.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const program = join(import.meta.dirname, '../../dist/cli.js')

async function run(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args])
  const said = { out: '', err: '' }
  child.stdout.on('data', (piece) => (said.out += piece))
  child.stderr.on('data', (piece) => (said.err += piece))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, ...said }
}

it('exits with 1 for a fault, which it explains to people and to scripts', async () => {
  const server = createServer((_request, response) => void response.writeHead(404).end('<p>No</p>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const told = await run('doctor', url)
  expect([told.code, told.err]).toEqual([1, ''])
  expect(told.out).toContain('FAULT  router: the router is mounted at this address\n')
  expect(told.out).toContain("Remedy: app.use('/api/v1', auth)")
  const { code, out } = await run('doctor', url, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toContainEqual({
    check: 'router',
    outcome: 'fault',
    promise: 'the router is mounted at this address',
    problem: 'the answer is 404 of another form, not 401 Unauthorized',
    remedy: expect.stringContaining('app.use('),
  })
})

it.each<readonly [readonly string[]]>([
  [['doctor']],
  [['doctor', 'chat.example.com']],
  [['doctor', 'ftp://chat.example.com/']],
  [['doctor', 'http://']],
  [['doctor', 'https://chat.example.com/api/v1', 'more']],
  [['doctor', 'https://chat.example.com/api/v1', '--origins', 'x']],
])('exits with 2 and its usage for %j', async (args) => {
  const { code, out, err } = await run(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^usage: messaging-auth-router doctor <baseUrl>/m)
})
