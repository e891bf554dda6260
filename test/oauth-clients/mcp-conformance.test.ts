// https://github.com/modelcontextprotocol/conformance: what it asks of authorization servers, as it
// is. It is a client of its own, in another process; the test is the browser of its user.
import { spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import type { OAuthClient } from '../../dist/index.js'
import { startOurs } from './provider-ours.js'
import { openBrowser } from './support/browser.js'
import { freePort } from './support/listen.js'
import { node22, packages } from './support/node-22.js'

const suite = `${packages}@modelcontextprotocol/conformance/dist/index.js`

// Public: to a server that also takes those, the suite shows no secret.
const client: OAuthClient = {
  id: 'suite',
  name: 'Suite',
  type: 'native',
  redirectUris: ['http://127.0.0.1/callback'],
  // It asks for no scope.
  scopes: ['messages:read'],
  defaultScopes: ['messages:read'],
}

/** Runs it until its end; `visit` is done with the address that it asks somebody to open. */
async function runSuite(args: readonly string[], visit: (url: string) => Promise<unknown>) {
  const child = spawn(node22 ?? '', [suite, 'authorization', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let visited: Promise<unknown> | undefined
  const hear = (chunk: Buffer) => {
    said += chunk
    const [, url] = /^(http\S+\/oauth\/authorize\?\S+)\s/m.exec(said) ?? []
    if (url !== undefined) visited ??= visit(url)
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const code = await new Promise((resolve) => child.once('close', resolve))
  await visited
  return { code, said }
}

it.runIf(node22 !== null)('its scenarios for authorization servers pass', async () => {
  const ours = await startOurs('', [], {
    oauth: (origin) => ({
      clients: [{ ...client, resources: [`${origin}/mcp`] }],
      scopes: { 'messages:read': 'Read your messages' },
      resources: { [`${origin}/mcp`]: { scopes: ['messages:read'] } },
      clientDocuments: { hosts: ['assistant.example'], scopes: ['messages:read'] },
    }),
  })
  onTestFinished(() => ours.stop())
  const port = await freePort()
  const sites = { [`http://127.0.0.1:${port}`]: (request: Request) => fetch(request) }
  const asked = ['--url', ours.issuer, '--client-id', client.id, '--port', String(port)]
  const { code, said } = await runSuite([...asked, '--resource', `${ours.issuer}/mcp`], (url) =>
    openBrowser(ours, { sites }).open(url),
  )
  expect(code, said).toBe(0)
  // The second of them is whether there are client documents.
  expect(said).toContain('authorization-server-metadata-endpoint: 2 passed, 0 failed')
  expect(said).toContain('authorization-code-grant: 1 passed, 0 failed')
})
