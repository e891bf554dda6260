// A tool for the command line, over the typed client: the user signs in by the browser, once; the
// tokens are in a file of the user's, which several runs at a time may share.
//
//   chat sign-in | rooms | bot <name> | sign-out
//
// `bot` makes a named token, with which `CHAT_TOKEN=… chat rooms` runs where nobody can sign in.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AuthClientError, createAuthClient } from 'messaging-auth-router/client'
import { signInByBrowser } from 'messaging-auth-router/client/loopback'
import { fileStore } from 'messaging-auth-router/client/node'

const { CHAT_TOKEN: botToken, CHAT_PASSWORD: password = '' } = process.env
const baseUrl = process.env['CHAT_URL'] ?? 'http://127.0.0.1:3000/api/v1'
const file = process.env['CHAT_FILE'] ?? join(homedir(), '.config/chat/sign-in.json')
const client = createAuthClient({ baseUrl, storage: fileStore(file) })

const print = (text: string) => void process.stdout.write(`${text}\n`)
const explain = (text: string) => void process.stderr.write(`${text}\n`)

// A named token is never refreshed, and there is nothing to keep of it.
const ask = (path: string) =>
  botToken === undefined
    ? client.fetch(path)
    : fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${botToken}` } })

const commands: Record<string, (name?: string) => Promise<void>> = {
  async 'sign-in'() {
    const { me } = await signInByBrowser(client, {
      clientId: 'desktop', // a `native` client of the server, with http://127.0.0.1/callback
      scope: '* offline_access',
      open: (address) => explain(`Please open ${address}`),
    })
    print(`Hello ${me.name}`)
  },

  async rooms() {
    const answer = await ask('/rooms')
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`)
    print(await answer.text())
  },

  // An app may not manage the account of its user: for this one act she signs in herself.
  async bot(name = 'bot') {
    const { username } = await client.me()
    const own = createAuthClient({ baseUrl })
    const result = await own.signIn({ username, password })
    if (result.status === 'code-needed') await result.submit(process.env['CHAT_CODE'] ?? '')
    const { token, expiresAt } = await own.tokens.create({ name, expiresIn: 86_400 * 30 })
    await own.signOut()
    explain(`Good until ${expiresAt}, and shown this once:`)
    print(token)
  },

  async 'sign-out'() {
    await client.signOut()
  },
}

const [, , command = '', name] = process.argv
const run = Object.hasOwn(commands, command) ? commands[command] : undefined
try {
  if (run === undefined) throw new Error('chat sign-in | rooms | bot <name> | sign-out')
  await run(name)
} catch (error) {
  const isNobody = error instanceof AuthClientError && error.code === 'Unauthorized'
  explain(isNobody ? 'Please sign in first: chat sign-in' : (error as Error).message)
  process.exitCode = 1
}
