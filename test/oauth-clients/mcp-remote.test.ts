// https://github.com/punkpeye/mcp-remote: the program as it is, between an assistant that knows no
// HTTP and the tools. All that it knows of the example server is their URL.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/example.js'
import { type ExampleTools, spoilAccessToken, startTools } from './support/example-tools.js'

const program = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url))

/** Runs it, as an assistant does; alice visits each address that it asks her to open. */
async function connect({ url, visit }: ExampleTools, folder: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, url, '--auth-timeout', '300'],
    // It opens a browser that does nothing: the test is the browser.
    env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, BROWSER: 'true' },
    stderr: 'pipe',
  })
  const visits: ReturnType<ExampleTools['visit']>[] = []
  const lost = new Promise<never>((_resolve, reject) => {
    let said = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk
      // It opens the browser first, and then its own door for the answer.
      const [heard, asked] = /visiting:\s+(\S+)\s[\s\S]*callback server running/.exec(said) ?? []
      if (heard === undefined || asked === undefined) return
      said = said.replace(heard, '')
      const visited = visit(asked)
      visits.push(visited)
      visited.catch(reject)
    })
  })
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  onTestFinished(() => client.close())
  await Promise.race([client.connect(transport, { timeout: 300_000 }), lost])
  return { client, visits: await Promise.all(visits) }
}

const tokensIn = (folder: string) => {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return join(folder, names.find((name) => name.endsWith('_tokens.json')) ?? '')
}

describe('mcp-remote', () => {
  it('registers itself, has its user sign in with PKCE, and hands on the tools', async () => {
    const tools = await startTools()
    const { client, visits } = await connect(tools, temporaryFolder())
    expect(visits).toMatchObject([
      {
        client_id: expect.stringMatching(/^self-registered-/),
        code_challenge_method: 'S256',
        resource: tools.url,
      },
    ])
    expect(tools.listClients()).toMatchObject([
      { id: visits[0]?.['client_id'], name: 'calls itself "MCP CLI Proxy"' },
    ])
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(['read_room'])
    const call = { name: 'read_room', arguments: { room: 'general' } }
    expect(await client.callTool(call)).toMatchObject({ isError: false })
  })

  it('refreshes in its next run, and opens no browser', async () => {
    const tools = await startTools()
    const folder = temporaryFolder()
    const first = await connect(tools, folder)
    await first.client.close()
    const before = JSON.parse(spoilAccessToken(tokensIn(folder)))
    const { client, visits } = await connect(tools, folder)
    expect((await client.listTools()).tools).toHaveLength(1)
    expect(visits).toEqual([])
    const after = JSON.parse(readFileSync(tokensIn(folder), 'utf8'))
    expect(after.refresh_token).not.toBe(before.refresh_token)
  })
})
