import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { passkeys } from '../../src/client/passkeys/passkeys.js'
import { newPasskey } from '../passkeys/authenticator.js'
import { type PasskeyHost, type PasskeySettings, startPasskeys } from '../passkeys/passkey-host.js'
import { password } from '../support/host.js'
import { startBrowser } from './passkeys-browser.js'
import { alice, lost, tap } from './recorded.js'

function clientOf(host: PasskeyHost) {
  const { url: baseUrl, clock } = host
  const wire = tap(host)
  const client = createAuthClient({ baseUrl, clock, fetch: wire.fetch })
  onTestFinished(() => client.close())
  return { client, wire, mine: passkeys(client) }
}

async function start(settings: PasskeySettings = {}, how = {}) {
  const browser = startBrowser(how)
  const host = await startPasskeys(settings)
  return { browser, host, ...clientOf(host) }
}

describe('a passkey of the browser', () => {
  it.each([{}, { json: 'throws' }])('is added, and signs in: %o', async (how) => {
    const { browser, host, client, mine } = await start({}, how)
    await client.signIn(alice)
    const added = await mine.add({ name: 'Phone' })
    expect(added.passkey).toMatchObject({ name: 'Phone', transports: ['internal', 'hybrid'] })
    expect(added.recoveryCodes).toHaveLength(10)
    await client.signOut()
    expect(await mine.signIn()).toMatchObject({ status: 'signed-in', me: { username: 'alice' } })
    expect(client.state).toMatchObject({ status: 'signed-in', userId: 'u-alice' })
    host.clock.advance(700)
    expect((await client.me()).username).toBe('alice')
    expect(await host.sessionsOf()).toHaveLength(1)
    const accepted = { rpId: 'chat.example.com', userId: browser.held[0]?.userHandle }
    expect(browser.signals).toEqual([
      ['accepted', { ...accepted, allAcceptedCredentialIds: [added.passkey.id] }],
    ])
  })

  it('is listed, gets another name, and is removed', async () => {
    const { browser, client, mine } = await start()
    await client.signIn(alice)
    const { passkey } = await mine.add()
    const { passkey: second } = await mine.add({ name: 'Key' })
    expect(browser.begun.at(-1)?.publicKey.excludeCredentials).toHaveLength(1)
    await mine.rename(passkey.id, 'Laptop')
    expect((await mine.list()).map(({ name }) => name)).toEqual(['Laptop', 'Key'])
    await mine.remove(second.id)
    expect(await mine.list()).toMatchObject([{ id: passkey.id, backedUp: true }])
    const unknown = { rpId: 'chat.example.com', credentialId: second.id }
    expect(browser.signals).toEqual([['unknown', unknown]])
    await expect(mine.remove(second.id)).rejects.toMatchObject({ code: 'not-found' })
    for (const id of ['', '.', '..'])
      await expect(mine.remove(id)).rejects.toMatchObject({ code: 'invalid-request' })
  })

  it('of an old sign-in wants a proof: the password with it, or before it, or a passkey', async () => {
    const { host, client, mine } = await start()
    await client.signIn(alice)
    host.clock.advance(700)
    await expect(mine.add()).rejects.toMatchObject({ code: 'reauthentication-required' })
    await expect(mine.add({ password: 'wrong' })).rejects.toMatchObject({
      code: 'Unauthorized',
      details: { wrong: 'password' },
    })
    const { passkey } = await mine.add({ password })
    host.clock.advance(700)
    await client.reauthenticate({ password })
    await mine.add()
    host.clock.advance(700)
    await expect(mine.remove(passkey.id)).rejects.toMatchObject({
      code: 'reauthentication-required',
    })
    expect((await client.fetch('/delicate')).status).toBe(403)
    const { methods } = await mine.reauthenticate()
    expect(methods).toContain('passkey')
    expect((await client.fetch('/delicate')).status).toBe(200)
    await mine.remove(passkey.id)
    expect(client.state.status).toBe('signed-in')
  })

  it('is shown in the place of the code that a password asks for', async () => {
    const { browser, client, mine } = await start({ passkeys: { asSecondFactor: 'always' } })
    await client.signIn(alice)
    const { recoveryCodes = [] } = await mine.add()
    await client.signOut()
    const first = await client.signIn(alice)
    expect(first).toMatchObject({ status: 'code-needed', wrong: false })
    if (first.status !== 'code-needed') throw new Error('no passkey was asked for')
    expect(first.methods).toEqual(['passkey', 'recovery'])
    const shown = browser.held.pop()
    browser.held.push({ ...newPasskey(), id: shown?.id ?? '' })
    const second = await mine.submit(first)
    expect(second).toMatchObject({ status: 'code-needed', wrong: true })
    if (second.status !== 'code-needed') throw new Error('the wrong passkey was taken')
    browser.held.splice(0, 1, ...(shown === undefined ? [] : [shown]))
    expect((await mine.submit(second)).status).toBe('signed-in')
    await client.signOut()
    const third = await client.signIn(alice)
    if (third.status !== 'code-needed') throw new Error('no passkey was asked for')
    expect((await third.submit(recoveryCodes[0] as string)).status).toBe('signed-in')
  })

  it('fulfils what a user must set up', async () => {
    const { client, mine } = await start({
      options: { secondFactor: { policy: () => 'required' } },
    })
    expect((await client.signIn(alice)).status).toBe('enrolment-needed')
    await mine.add()
    expect(client.state).toMatchObject({ enrolmentRequired: false, required: [] })
    expect((await client.me()).username).toBe('alice')
  })

  it('that the server does not know is told to the browser', async () => {
    const { browser, client, mine } = await start()
    const passkey = newPasskey()
    passkey.userHandle = 'A'.repeat(43)
    browser.held.push(passkey)
    await expect(mine.signIn()).rejects.toMatchObject({ code: 'Unauthorized', status: 401 })
    const unknown = { rpId: 'chat.example.com', credentialId: passkey.id }
    expect(browser.signals).toEqual([['unknown', unknown]])
    expect(client.state.status).toBe('signed-out')
  })
})

describe('what the browser refuses', () => {
  it.each([
    ['NotAllowedError', 'cancelled'],
    ['InvalidStateError', 'exists'],
    ['ConstraintError', 'not-supported'],
    ['SecurityError', 'failed'],
  ])('is told by name: %s is %s', async (name, code) => {
    const { browser, client, mine } = await start()
    await client.signIn(alice)
    browser.refuseNext(name)
    await expect(mine.add()).rejects.toMatchObject({ name: 'PasskeyError', code })
    expect(client.state.status).toBe('signed-in')
    expect(await mine.list()).toEqual([])
  })

  it.each(['https://192.0.2.1', 'http://127.0.0.1:3000', 'https://[::1]:3000'])(
    'is not supported at %s, an address in numbers',
    async (origin) => {
      const { mine } = await start()
      expect(mine.isSupported()).toBe(true)
      vi.stubGlobal('location', { origin })
      onTestFinished(() => void vi.unstubAllGlobals())
      expect(mine.isSupported()).toBe(false)
      await expect(mine.signIn()).rejects.toMatchObject({ code: 'not-supported' })
      vi.stubGlobal('location', { origin: 'https://1.example.com' })
      expect(mine.isSupported()).toBe(true)
    },
  )

  it('is everything where there are no passkeys', async () => {
    const { client, mine } = await start()
    vi.unstubAllGlobals()
    expect([mine.isSupported(), await mine.hasSuggestions()]).toEqual([false, false])
    await expect(mine.signIn()).rejects.toMatchObject({ code: 'not-supported' })
    expect(client.state.status).toBe('signed-out')
  })
})

describe('suggestions of a field', () => {
  it('wait, and another ceremony ends them, and so does the signal', async () => {
    const { browser, client, mine } = await start()
    await client.signIn(alice)
    await mine.add()
    await client.signOut()
    expect(await mine.hasSuggestions()).toBe(true)
    const waiting = mine.signIn({ conditional: true })
    await expect.poll(() => browser.begun.at(-1)?.mediation).toBe('conditional')
    const [suggested, clicked] = await Promise.allSettled([waiting, mine.signIn()])
    expect(suggested).toMatchObject({ reason: { code: 'aborted' } })
    expect(clicked).toMatchObject({ value: { status: 'signed-in' } })
    const stopping = new AbortController()
    const again = mine.signIn({ conditional: true, signal: stopping.signal })
    const count = browser.begun.length
    await expect.poll(() => browser.begun.length).toBe(count + 1)
    stopping.abort()
    await expect(again).rejects.toMatchObject({ name: 'PasskeyError', code: 'aborted' })
    await expect(mine.signIn({ conditional: true, signal: stopping.signal })).rejects.toMatchObject(
      { code: 'aborted' },
    )
  })

  it('do not end a ceremony that has begun while they wait for the server', async () => {
    const { browser, client, wire, mine } = await start()
    await client.signIn(alice)
    await mine.add()
    await client.signOut()
    let answer = () => {}
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    wire.next('/auth/passkey/options', async (send) => {
      await late
      return send()
    })
    const suggested = mine.signIn({ conditional: true }).catch((error: unknown) => error)
    await expect.poll(() => wire.to('/auth/passkey/options')).toHaveLength(1)
    expect((await mine.signIn()).status).toBe('signed-in')
    answer()
    expect(await suggested).toMatchObject({ name: 'PasskeyError', code: 'aborted' })
    expect(browser.begun.map(({ mediation }) => mediation)).toEqual([undefined, undefined])
  })

  it('get new options before the old ones are over', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { browser, host, client, wire, mine } = await start()
    await client.signIn(alice)
    await mine.add()
    await client.signOut()
    const waiting = mine.signIn({ conditional: true })
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitUntil(() => browser.begun.length === 1 + round)
      host.clock.advance(240)
      if (round === 3) browser.chooses = true
      if (round === 2) wire.next('/auth/passkey/options', lost)
      vi.advanceTimersByTime(240_000)
      if (round !== 2) continue
      // It asks again after a pause.
      const asked = () => wire.to('/auth/passkey/options').length
      await vi.waitUntil(() => vi.advanceTimersByTime(1000) && asked() === 4)
    }
    expect(await waiting).toMatchObject({ status: 'signed-in' })
    expect(browser.begun).toHaveLength(5)
  })
})
