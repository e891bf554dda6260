// What docs/passkeys.md tells a reader to save is saved and started, and does in Chromium what it
// says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { plugIn } from '../support/virtual-authenticator.js'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/passkeys.md', root), 'utf8')

/** The first block in a language, without what it is indented by. */
function block(language: string): string {
  const [, indent = '', code = ''] =
    new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'm').exec(page) ?? []
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

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
  const folder = fileURLToPath(new URL('test/rules/.scratch/passkeys/', root))
  const port = String(await freePort())
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}server.mjs`, block('ts').replaceAll('3000', port))
  writeFileSync(`${folder}index.html`, block('html'))
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, stdio: [...stdio] })
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'close')
    rmSync(folder, { recursive: true })
  })
  const url = `http://localhost:${port}/`
  const isUp = () =>
    fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    )
  await expect.poll(isUp).toBe(true)
  return url
}

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

describe.skipIf(chromiumPath === null)('docs/passkeys.md', () => {
  it('has a server and a page that add a passkey, sign in by it, and prove anew by it', async () => {
    const url = await start()
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const tab = await context.newPage()
    await tab.goto(url)
    const device = await plugIn(tab)
    const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()
    const says = (text: string) => tab.locator('#said').getByText(text).waitFor()

    await press('Add a passkey')
    await says('You must be logged in to do this.')
    await tab.getByLabel('Name').fill('alice')
    await tab.getByLabel('Password').fill('correct horse battery staple')
    await press('Sign in')
    await says('Signed in with a password.')
    await press('Add a passkey')
    await says('Added. Keep these recovery codes:')
    expect((await tab.locator('#said').innerText()).split('\n')).toHaveLength(11)

    await tab.reload()
    await press('Sign in with a passkey')
    await says('Signed in with a passkey.')
    let isRefused = false
    await tab.route('**/account/close', (route) => {
      if (isRefused) return route.continue()
      isRefused = true
      return route.fulfill({ status: 403, json: { error: 'reauthentication-required' } })
    })
    await press('Close my account')
    await says('Closed.')
    expect(isRefused).toBe(true)
    await device.setVerified(false)
    await press('Sign in with a passkey')
    await says('No passkey was chosen.')
  })
})
