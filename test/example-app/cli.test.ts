// The example's tool for the command line, run as processes against the running example.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPageBrowser } from '../oauth/page-browser.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import {
  alice,
  buildExample,
  type Example,
  environmentIn,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { atLocalhost } from '../support/example-page.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'example-app/build/cli/cli.js')

describe('the tool for the command line', () => {
  let app: Example
  let origin: string
  let file: string

  beforeAll(async () => {
    buildExample()
    // The proxy is this machine.
    app = await startExample({ ...environmentIn(temporaryFolder()), TRUST_PROXY: 'loopback' })
    origin = atLocalhost(app.url)
    file = join(temporaryFolder(), 'sign-in.json')
  })

  afterAll(() => app?.stop('SIGKILL'))

  /** Starts a command, of which nothing is a terminal, and whose machine has no screen. */
  function launch(...command: string[]) {
    const child = spawn(process.execPath, [program, ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        CHAT_URL: `${origin}/api/v1`,
        CHAT_FILE: file,
        ...(command.includes('--device') ? {} : { BROWSER: 'no-such-browser' }),
      },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (said.stdout += chunk))
    child.stderr.on('data', (chunk) => (said.stderr += chunk))
    return { said, ended: once(child, 'close').then(([status]) => ({ status, ...said })) }
  }

  const chat = (...command: string[]) => launch(...command).ended

  /** Does on the pages what the tool asks its user for. */
  async function signIn({ said }: ReturnType<typeof launch>): Promise<void> {
    await expect.poll(() => said.stderr).toMatch(/^Please open \S+\n/)
    const [, address = ''] = /^Please open (\S+)\n/.exec(said.stderr) ?? []
    const browser = openPageBrowser(origin, (url) => url)
    const { url } = await browser.send(await browser.open(address), alice)
    await fetch(url)
  }

  test('signs in by the browser once, asks, says, hears and signs out', async () => {
    const first = launch('rooms')
    await signIn(first)
    expect(await first.ended).toMatchObject({ status: 0, stdout: expect.stringMatching('general') })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    // Another start asks for nothing.
    const rooms = '[{"id":"general","name":"General"},{"id":"random","name":"Random"}]\n'
    expect(await chat('rooms')).toEqual({ status: 0, stdout: rooms, stderr: '' })

    const listening = launch('listen')
    await expect.poll(() => listening.said.stderr).toBe('Listening\n')
    const said = { status: 0, stdout: '', stderr: '' }
    expect(await chat('say', 'general', 'Hello', 'from the shell')).toEqual(said)
    await expect.poll(() => listening.said.stdout).toContain('Hello from the shell')
    expect(JSON.parse(listening.said.stdout).message.from.username).toBe('alice')
    expect(await chat('say', 'nowhere', 'Hello')).toMatchObject({ status: 1 })

    expect(await chat('sign-out')).toEqual(said)
    expect(await listening.ended).toMatchObject({ status: 0 })
    // Nobody is signed in any more.
    expect(await chat('sign-out')).toEqual(said)
    const asking = launch('rooms')
    await expect.poll(() => asking.said.stderr).toContain('Please open')
  })

  test.skipIf(chromiumPath === null)(
    'signs in by a code with --device, as over ssh: no screen, no terminal, another network',
    async () => {
      file = join(temporaryFolder(), 'sign-in.json')
      const first = launch('--device', 'rooms')
      await expect.poll(() => first.said.stderr).toMatch(/^Open \S+: \S+\n/)
      const [, address = '', code = ''] = /^Open (\S+): (\S+)\n/.exec(first.said.stderr) ?? []
      const browser = await launchChromium()
      onTestFinished(() => browser.close())
      // The proxy in front says where the browser is; the tool comes without one.
      const elsewhere = { 'X-Forwarded-For': '203.0.113.9' }
      const page = await browser.newPage({ extraHTTPHeaders: elsewhere, locale: 'en' })
      await page.goto(address)
      await page.getByLabel('E-mail or user name').fill(alice.username)
      await page.getByLabel('Password', { exact: true }).fill(alice.password)
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      await press('Sign in')
      await page.getByLabel('Code of the device').fill(code)
      await press('Continue')
      await page.getByText('Chat Desktop').first().waitFor()
      await page.getByText('in another network than this browser').waitFor()
      expect(await page.locator('code.secret').innerText()).toBe(code)
      await page.getByLabel('I see this code on my own device').check()
      await press('Sign the device in')
      await page.getByText('Return to it.').waitFor()
      const rooms = { status: 0, stdout: expect.stringMatching('general') }
      expect(await first.ended).toMatchObject(rooms)
      // It asked for nothing but that.
      expect(first.said.stderr.trim().split('\n')).toHaveLength(1)
      expect(await chat('sign-out')).toEqual({ status: 0, stdout: '', stderr: '' })
    },
  )

  test('says what there is', async () => {
    for (const command of ['', 'toString'])
      expect(await chat(command)).toMatchObject({
        status: 1,
        stderr: 'chat rooms | say | listen | sign-out\n',
      })
  })

  test('has at most 60 lines', () => {
    const source = readFileSync(join(root, 'example-app/cli/cli.ts'), 'utf8')
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })
})
