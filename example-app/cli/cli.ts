// The chat on the command line. Its user signs in by the browser, once, or with --device by a code
// that is typed into any browser. The tokens are in a file, which several runs may share.
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AuthClientError, createAuthClient } from 'messaging-auth-router/client'
import { signInByBrowser, signInByDevice } from 'messaging-auth-router/client/loopback'
import { fileStore } from 'messaging-auth-router/client/node'
import { WebSocket } from 'ws'

const { CHAT_URL: baseUrl = 'http://localhost:3000/api/v1', BROWSER } = process.env
const file = process.env['CHAT_FILE'] ?? join(homedir(), '.config/chat/sign-in.json')
const client = createAuthClient({ baseUrl, storage: fileStore(file) })
const print = (text: unknown) => void process.stdout.write(`${text}\n`)
const explain = (text: string) => void process.stderr.write(`${text}\n`)

function open(address: string): void {
  explain(`Please open ${address}`)
  const opener = BROWSER ?? (process.platform === 'darwin' ? 'open' : 'xdg-open')
  // Without a screen there is none.
  spawn(opener, [address], { stdio: 'ignore' })
    .on('error', () => {})
    .unref()
}

async function ask(path: string, init?: object): Promise<Record<string, unknown>> {
  const answer = await client.fetch(path, init)
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`)
  return (await answer.json()) as Record<string, unknown>
}

const commands: Record<string, (...words: string[]) => Promise<unknown>> = {
  rooms: async () => print(JSON.stringify((await ask('/rooms'))['rooms'])),
  say: (room = '', ...words) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ text: words.join(' ') })
    return ask(`/rooms/${encodeURIComponent(room)}/messages`, { method: 'POST', headers, body })
  },
  listen: async () =>
    client.socket('/ws', { WebSocket, onOpen: () => explain('Listening'), onMessage: print }),
  'sign-out': () => client.signOut(),
}

const show = (to: { address: string; code: string }) => explain(`Open ${to.address}: ${to.code}`)
const app = { clientId: 'desktop', scope: '* offline_access', open, show }
const signIn = process.argv.includes('--device') ? signInByDevice : signInByBrowser
const [, , command = '', ...words] = process.argv.filter((word) => word !== '--device')
try {
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined
  if (run === undefined) throw new Error(`chat ${Object.keys(commands).join(' | ')}`)
  if (command !== 'sign-out')
    await client.me().catch(async (error: unknown) => {
      if (!(error instanceof AuthClientError) || error.code !== 'Unauthorized') throw error
      await signIn(client, app)
    })
  await run(...words)
} catch (error) {
  explain((error as Error).message)
  process.exitCode = 1
}
