// https://github.com/modelcontextprotocol/inspector: as it is, in a terminal and as a page. All
// that it knows of the example server is the URL of the tools.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { temporaryFolder } from '../support/example.js'
import { answerPages } from './support/chromium-tab.js'
import { type ExampleTools, spoilAccessToken, startTools } from './support/example-tools.js'
import { freePort } from './support/listen.js'
import { node22, packages } from './support/node-22.js'

const program = `${packages}@modelcontextprotocol/inspector/clients/launcher/build/index.js`

/** Starts it with a home of its own; `hear` is told each time what it has said so far. */
function start(
  args: readonly string[],
  home: string,
  settings: Readonly<Record<string, string>>,
  hear: (said: string) => void,
) {
  const own = { HOME: home, MCP_INSPECTOR_SECRET_STORE: 'file', ...settings }
  const child = spawn(node22 ?? '', [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...own },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk
      hear(said[name])
    })
  return { said, ended: once(child, 'close').then(([code]) => code as number | null) }
}

const secretsIn = (home: string) => join(home, '.mcp-inspector/secrets.json')
const refreshTokenOf = (secrets: string) => /mar_rt_[\w.-]+/.exec(secrets)?.[0]

/** Lists the tools in a terminal; alice visits the address that it asks her to open. */
async function listTools({ url, visit }: ExampleTools, home: string) {
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`
  const options = '--method tools/list --format json --connect-timeout 0'.split(' ')
  let visited: ReturnType<typeof visit> | undefined
  const { said, ended } = start(
    ['--cli', url, ...options, '--callback-url', callback],
    home,
    // The browser that it opens does nothing: the test is the browser.
    { MCP_AUTO_OPEN_ENABLED: 'true', BROWSER: 'true' },
    (text) => {
      const [, asked] = /navigate to: (\S+)\s/.exec(text) ?? []
      if (asked === undefined || visited !== undefined) return
      visited = visit(asked)
      // It says itself why it has ended then.
      visited.catch(() => {})
    },
  )
  expect(await ended, said.stderr).toBe(0)
  return { listed: JSON.parse(said.stdout).result.tools, visited: await visited }
}

describe.runIf(node22 !== null)('the inspector of MCP in a terminal', () => {
  it('registers itself, has its user sign in with PKCE, and lists the tools', async () => {
    const tools = await startTools()
    const { listed, visited } = await listTools(tools, temporaryFolder())
    expect(listed).toMatchObject([{ name: 'read_room' }])
    expect(visited).toMatchObject({ code_challenge_method: 'S256', resource: tools.url })
    expect(tools.listClients()).toMatchObject([
      { id: visited?.['client_id'], name: 'calls itself "MCP Inspector"' },
    ])
  })

  it('refreshes in its next run, and asks nobody to open a page', async () => {
    const tools = await startTools()
    const home = temporaryFolder()
    await listTools(tools, home)
    const before = spoilAccessToken(secretsIn(home))
    const { listed, visited } = await listTools(tools, home)
    expect(listed).toHaveLength(1)
    expect(visited).toBeUndefined()
    const after = readFileSync(secretsIn(home), 'utf8')
    expect(refreshTokenOf(after)).not.toBe(refreshTokenOf(before))
  })
})

/** Serves its page until the end of the test. Answers the address that makes it connect. */
async function startPage(url: string, home: string): Promise<string> {
  const port = await freePort()
  await new Promise<void>((resolve) => {
    const settings = {
      MCP_AUTO_OPEN_ENABLED: 'false',
      MCP_INSPECTOR_API_TOKEN: 'its-own',
      CLIENT_PORT: String(port),
      MCP_SANDBOX_PORT: '0',
      MCP_APP_ORIGIN_PORT: '0',
    }
    start([], home, settings, (said) => {
      if (said.includes('up and running')) resolve()
    })
  })
  const query = { serverUrl: url, transport: 'http', autoConnect: 'its-own' }
  return `http://localhost:${port}/?${new URLSearchParams(query)}`
}

describe.runIf(node22 !== null && chromiumPath !== null)('the page of the inspector', () => {
  it('connects to /mcp by itself, and once more without its user', async () => {
    const tools = await startTools()
    const home = temporaryFolder()
    const page = await startPage(tools.url, home)
    const chromium = await launchChromium()
    onTestFinished(() => chromium.close())
    const tab = await chromium.newPage()
    tab.setDefaultTimeout(0)
    // Its fonts are elsewhere.
    await tab.route(
      ({ hostname }) => hostname !== 'localhost',
      (route) => route.abort(),
    )
    const seeTools = async () => {
      await tab.getByText('Tools', { exact: true }).first().click()
      await tab.getByText('read_room').first().waitFor()
    }
    await tab.goto(page)
    await answerPages(tab, tools.provider)
    await seeTools()
    expect(tools.listClients()).toMatchObject([{ name: 'calls itself "MCP Inspector"' }])

    const visits: string[] = []
    tab.on('request', (request) => visits.push(request.url()))
    spoilAccessToken(secretsIn(home))
    await tab.goto(page)
    await seeTools()
    expect(visits.filter((url) => url.startsWith(tools.provider.issuer))).toEqual([])
  })
})
