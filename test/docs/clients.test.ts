// The files that docs/clients.md names are saved, compiled and used, as a reader would.
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { createAuthClient, memoryStore } from '../../src/client/client.js'
import { appOf, back, editorOptions, startOAuth } from '../client/oauth-client.js'
import { startBrowser } from '../client/passkeys-browser.js'
import { cameBack, clientAt } from '../client/provider-client.js'
import { startPasskeys } from '../passkeys/passkey-host.js'
import { fakeProvider, startProviders } from '../provider-sign-in/provider-host.js'
import { password, startHost } from '../support/host.js'
import { issuer } from '../support/oauth-apps.js'

const root = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/clients.md', root), 'utf8')
const { exports: entries } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

/** The module that a block of the page is; `change` as a reader puts in what is their own. */
async function moduleOf(name: string, change: (code: string) => string = (code) => code) {
  const [, code = ''] =
    new RegExp(`^\`\`\`ts\n// ${name}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? []
  const compiled = ts.transpile(change(code), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
  })
  const folder = fileURLToPath(new URL(`test/rules/.scratch/clients-${name}/`, root))
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // By where the package says that its entries are.
  const found = compiled.replaceAll(/'messaging-auth-router(\/[\w/-]+)'/g, (_all, entry) => {
    const file = new URL(entries[`.${entry}`].default, root)
    return `'${file.href}'`
  })
  writeFileSync(`${folder}page.mjs`, found)
  return import(/* @vite-ignore */ pathToFileURL(`${folder}page.mjs`).href)
}

describe('docs/clients.md', () => {
  it('has a page with passkeys: added, shown behind a button, among suggestions, as a factor', async () => {
    const browser = startBrowser()
    const host = await startPasskeys({ passkeys: { asSecondFactor: 'always' } })
    const client = createAuthClient({ baseUrl: host.url, clock: host.clock })
    onTestFinished(() => client.close())
    const { passkeysOf } = await moduleOf('passkeys-page.ts')
    const said: string[] = []
    const mine = passkeysOf(client, (text: string) => void said.push(text))
    await client.signIn({ user: 'alice', password })
    const { recoveryCodes } = await mine.add(password)
    expect(recoveryCodes).toHaveLength(10)
    await client.signOut()
    browser.refuseNext('NotAllowedError')
    expect(await mine.signIn()).toBeUndefined()
    expect(said).toEqual(['No passkey was shown.'])
    let entered = 0
    const waiting = mine.suggest(() => {
      entered += 1
    })
    await expect.poll(() => browser.begun.at(-1)?.mediation).toBe('conditional')
    expect((await mine.signIn()).status).toBe('signed-in')
    await waiting
    browser.chooses = true
    await mine.suggest(() => {
      entered += 1
    })
    expect([entered, said.length]).toEqual([1, 1])
    const never = () => Promise.reject(new Error('no code is asked for'))
    expect((await mine.enter('alice', password, never)).username).toBe('alice')
    browser.refuseNext('NotAllowedError')
    const code = async () => recoveryCodes[0]
    expect((await mine.enter('alice', password, code)).username).toBe('alice')
  })

  it('has an app that signs its user in by the pages of the server', async () => {
    const started = await startOAuth()
    const here = new URL(started.host.url).origin
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
      fetch(url.replace(issuer, here), init),
    )
    onTestFinished(() => void vi.unstubAllGlobals())
    const { createApp, signIn, comeBack } = await moduleOf('oauth-app.ts', (code) =>
      code
        .replace("clientId: 'wiki'", `clientId: '${editorOptions.clientId}'`)
        .replace('https://wiki.example.com/callback', editorOptions.redirectUri),
    )
    const { client, app } = createApp(memoryStore())
    onTestFinished(() => client.close())
    const gone: string[] = []
    const move = (address: string) => void gone.push(address)
    const tab = { pathname: '/pages/7', href: 'https://x/', assign: move, replace: move }
    expect(await comeBack(app, tab)).toBe('Nobody was sent here.')
    await signIn(app, tab)
    const href = await back(started, gone[0] ?? '')
    expect(await comeBack(app, { ...tab, href })).toBe('Hello Alice A.')
    expect([gone.length, gone[1]]).toEqual([2, '/pages/7'])
    expect(client.state).toMatchObject({ status: 'signed-in', userId: 'u-alice' })
  })

  it('has a page that signs its users in at a provider, and asks a new one for a name', async () => {
    const provider = fakeProvider()
    const host = await startProviders({ provider, providers: { unknown: 'create' } })
    host.users.add({ id: 'u-other', username: 'ada', email: 'other@example.com' })
    const { client } = clientAt(host)
    const { signInPage } = await moduleOf('provider-page.ts')
    const gone: string[] = []
    const move = (address: string) => void gone.push(address)
    const tab = { pathname: '/rooms/7', href: 'https://x/', assign: move, replace: move }
    const questions: string[] = []
    const page = signInPage(client, tab, async (question: string) => {
      questions.push(question)
      return 'countess'
    })
    expect(await page.list()).toEqual([{ id: 'fake', name: 'Fake' }])
    expect(await page.comeBack()).toBe('Nobody was sent here.')
    await page.signIn('fake')
    tab.href = await cameBack(host, gone[0] ?? '')
    expect(await page.comeBack()).toBe('Hello Ada Lovelace')
    expect([questions, gone[1]]).toEqual([['User name?'], '/rooms/7'])
    expect(client.state.status).toBe('signed-in')
    provider.answer = { outcome: 'refused', reason: 'access-denied' }
    await page.signIn('fake')
    tab.href = await cameBack(host, gone[2] ?? '')
    expect(await page.comeBack()).toBe('You have cancelled.')
  })

  it('has a list of devices: a browser once, with its app, and both signed out together', async () => {
    const started = await startOAuth()
    const editor = appOf(started)
    await editor.app.finish(await back(started, await editor.app.start()))
    const { client } = appOf(started)
    await client.signIn({ user: 'alice', password })
    const { devices, signOut } = await moduleOf('devices.ts')
    const shown = await devices(client)
    const usedFor = shown.map((device: { usedFor: { name: string }[] }) =>
      device.usedFor.map(({ name }) => name),
    )
    expect(usedFor.sort()).toEqual([[], ['Editor']])
    await signOut(
      client,
      shown.find((device: { usedFor: unknown[] }) => device.usedFor.length > 0),
    )
    expect(await devices(client)).toMatchObject([{ current: true, usedFor: [] }])
    expect((await editor.client.check()).status).toBe('signed-out')
  })

  it('has a bot: a token that a user makes, a guarded call, and a live socket', async () => {
    const host = await startSpeakingHost()
    const { tokenForBot, runBot } = await moduleOf('bot.ts', (code) =>
      code.replace('https://chat.example.com/api/v1', host.url),
    )
    const never = () => Promise.reject(new Error('no code is asked for'))
    const token = await tokenForBot('alice', password, never)
    host.issued.add(token)
    const kinds = (await host.auth.sessions.list('u-alice')).map(({ kind }) => kind)
    expect(kinds).toEqual(['token'])
    const heard: string[] = []
    const { rooms, socket } = await runBot(token, (text: string) => void heard.push(text))
    onTestFinished(() => socket.terminate())
    expect(rooms).toEqual({ rooms: ['general'], for: 'u-alice' })
    await expect.poll(() => heard).toEqual(['welcome'])
    const closed = once(socket, 'close')
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await closed)[0]).toBe(4401)
    await expect(runBot(token, () => {})).rejects.toThrow('The server answered 401.')
  })
})

/** A host with a guarded route, and sockets that say something once they are open. */
async function startSpeakingHost() {
  const host = await startHost({
    options: { namedTokens: true },
    after: (app, auth) => {
      app.get('/api/v1/rooms', auth.requireAuth(), (request, response) => {
        response.json({ rooms: ['general'], for: request.auth?.userId })
      })
    },
  })
  const sockets = new WebSocketServer({ noServer: true })
  const { sockets: guarded } = host.auth
  host.server.on('upgrade', async (request: IncomingMessage, connection, head) => {
    const principal = await guarded.authenticate(request)
    sockets.handleUpgrade(request, connection, head, (socket) => {
      guarded.track(socket, principal)
      socket.send('welcome')
    })
  })
  return host
}
