// The first login of a server that has just started, as after a deployment on a busy machine.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import bcrypt from 'bcryptjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey } from '../../src/index.js'
import { encryptionKey, password } from '../support/host.js'

const program = fileURLToPath(new URL('../support/first-login-process.mjs', import.meta.url))
const given = [
  encryptionKey,
  JSON.stringify(await generateSigningKey()),
  bcrypt.hashSync(password, 12),
]

async function saidBy(server: ChildProcess): Promise<number> {
  const [said] = await once(server, 'message')
  return said as number
}

/** Starts a server, and answers what signs in there. */
async function start() {
  const server = fork(program, given)
  onTestFinished(() => void server.kill('SIGKILL'))
  const port = await saidBy(server)
  return {
    /** How many passwords have been hashed or compared in its threads. */
    async passwords() {
      const said = saidBy(server)
      server.send('passwords')
      return said
    },
    async logIn(username: string) {
      const { status } = await fetch(`http://127.0.0.1:${port}/api/v1/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username, password }),
      })
      return status
    },
  }
}

describe('the first login of a process', () => {
  it.each([
    ['alice', 200],
    ['nobody', 401],
  ])('costs one password, as each later one does, of %s', async (username, status) => {
    const { logIn, passwords } = await start()
    // Nor is a password hashed without having been asked for.
    expect(await passwords()).toBe(0)
    for (const login of [1, 2, 3]) {
      expect(await logIn(username)).toBe(status)
      expect(await passwords()).toBe(login)
    }
  })
})
