// The tools of the example server at `/mcp`, with alice's browser, and the apps that have
// registered themselves there.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import * as example from '../../support/example.js'
import { answerAs } from '../provider-ours.js'
import { openBrowser } from './browser.js'
import type { Provider } from './provider.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts the example until the end of the test, with nobody registered but by itself. */
export async function startTools() {
  example.buildExample()
  const env = example.environmentIn(example.temporaryFolder())
  const { url: server, stop } = await example.startExample(env)
  onTestFinished(async () => void (await stop()))
  const issuer = server.replace('127.0.0.1', 'localhost')
  const provider: Provider = {
    issuer,
    answer: (page, agrees) => answerAs(example.alice, page, agrees),
    stop: async () => void (await stop()),
  }
  return {
    url: `${issuer}/mcp`,
    provider,

    /** The apps that registered themselves, as an operator sees them in a terminal. */
    listClients(): readonly object[] {
      const args = ['dist/cli.js', 'clients', 'list', '--json']
      const config = ['--config', 'example-app/auth-admin.mjs']
      const said = execFileSync(process.execPath, [...args, ...config], {
        cwd: root,
        env: { PATH: process.env['PATH'], ...env },
      })
      return JSON.parse(String(said))
    },

    /**
     * Alice signs in at the address that an app on her device has asked her to open, and comes back
     * to the app. Answers what it has asked for.
     */
    async visit(asked: string): Promise<Readonly<Record<string, string>>> {
      const query = Object.fromEntries(new URL(asked).searchParams)
      const app = new URL(query['redirect_uri'] ?? '').origin
      const browser = openBrowser(provider, { sites: { [app]: (request) => fetch(request) } })
      expect((await browser.open(asked)).status).toBe(200)
      return query
    },
  }
}

/** The running example. */
export type ExampleTools = Awaited<ReturnType<typeof startTools>>

/** Replaces the access token in a file of an app by one that nobody takes. Answers the file. */
export function spoilAccessToken(file: string): string {
  const text = readFileSync(file, 'utf8')
  const spoiled = text.replace(/(access_token\W+[\w.-]+)[\w-]{4}/, '$1AAAA')
  expect(spoiled).not.toBe(text)
  writeFileSync(file, spoiled)
  return spoiled
}
