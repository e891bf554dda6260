// What other pages can say to a page that waits for its window, and what a window may be made of.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { handOver, signInByPopup } from '../../src/client/oauth/popup.js'
import { issuer } from '../support/oauth-apps.js'
import { appOf, back, editorOptions, startOAuth } from './oauth-client.js'
import { tap } from './recorded.js'

/** A browser that opens windows; `isBlocked` for one that does not. */
function stubWindows({ isBlocked = false } = {}) {
  const led: ((address: string) => void)[] = []
  const unloads: (() => void)[] = []
  const popup = {
    closed: false,
    addEventListener: (_type: 'beforeunload', listener: () => void) => void unloads.push(listener),
    location: {
      href: 'about:blank',
      replace(address: string) {
        unload()
        popup.location.href = address
        for (const tell of led) tell(address)
      },
    },
    close: () => void Object.assign(popup, { closed: true }),
  }
  const unload = () => {
    for (const tell of unloads) tell()
  }
  const open = vi.fn(() => (isBlocked ? null : popup))
  vi.stubGlobal('open', open)
  onTestFinished(() => void vi.unstubAllGlobals())
  return { open, popup, unload, ledTo: new Promise<string>((resolve) => void led.push(resolve)) }
}

/** Lets a window look open so many times more; resolves when it has looked closed. */
function closeAfter(popup: { closed: boolean }, looks: number): Promise<void> {
  let left = looks
  return new Promise((resolve) => {
    Object.defineProperty(popup, 'closed', {
      get() {
        left -= 1
        if (left < 0) resolve()
        return left < 0
      },
      set() {},
    })
  })
}

/** A page that waits for its window, which has been led to the server. */
async function waiting(options = {}) {
  const windows = stubWindows()
  const started = await startOAuth()
  const wire = tap(started.host)
  const { client } = appOf(started, { wire })
  const signedIn = signInByPopup(client, { ...editorOptions, ...options })
  signedIn.catch(() => {})
  const address = await windows.ledTo
  const answer = await back(started, address)
  wire.sent.length = 0
  return { ...windows, client, wire, signedIn, answer }
}

/** What another page of the origin says; `state` names where. */
function say(state: string, data: unknown): void {
  const channel = new BroadcastChannel(`messaging-auth.oauth.${state}`)
  onTestFinished(() => channel.close())
  channel.postMessage(data)
}

/** Resolves after the words said so far have been heard: they come in their order. */
async function heard(state: string): Promise<void> {
  const channel = new BroadcastChannel(`messaging-auth.oauth.${state}`)
  const last = new Promise<void>((resolve) => {
    channel.onmessage = ({ data }) => void (data === 'the last' && resolve())
  })
  say(state, 'the last')
  await last
  channel.close()
}

const stateOf = (address: string) => new URL(address).searchParams.get('state') ?? ''

describe('a page that waits for its window', () => {
  it('ignores what strangers say, and takes the right answer once', async () => {
    const { client, wire, signedIn, answer, popup } = await waiting()
    const state = stateOf(answer)
    const forged = `${editorOptions.redirectUri}&code=c&iss=${issuer}`
    for (const data of [
      null,
      {},
      { address: answer },
      [answer],
      '',
      'taken',
      forged,
      `${forged}&state=popup.${'A'.repeat(43)}`,
      `${forged}&state=${state}&state=${state}`,
      `${editorOptions.redirectUri}&state=${state}`,
    ])
      say(state, data)
    for (const other of ['', 'popup.', `popup.${'A'.repeat(43)}`]) say(other, answer)
    await heard(state)
    expect([wire.sent, client.state.status]).toEqual([[], 'signed-out'])
    expect(handOver(answer)).toBe(true)
    expect(handOver(answer)).toBe(true)
    expect((await signedIn).me.username).toBe('alice')
    expect(wire.sent.filter((one) => one === 'POST /oauth/token')).toHaveLength(1)
    expect(popup.closed).toBe(true)
  })

  it.each<[string, string, (query: URLSearchParams) => void]>([
    ['of another issuer', 'wrong-issuer', (query) => query.set('iss', 'https://evil.example')],
    ['of no issuer', 'wrong-issuer', (query) => query.delete('iss')],
    ['of another code', 'invalid_grant', (query) => query.set('code', 'c')],
  ])('is not signed in by an answer %s', async (_name, code, change) => {
    const { client, signedIn, answer, popup } = await waiting()
    const url = new URL(answer)
    change(url.searchParams)
    handOver(url.href)
    await expect(signedIn).rejects.toMatchObject({ code })
    expect([client.state.status, popup.closed]).toEqual(['signed-out', true])
  })

  it('waits no longer than it is told to, and closes the window', async () => {
    const { signedIn, popup } = await waiting({ timeoutMs: 1 })
    await expect(signedIn).rejects.toMatchObject({ name: 'OAuthError', code: 'no-answer' })
    expect(popup.closed).toBe(true)
  })
})

describe('a window', () => {
  it('is opened within the press, before anything is asked', async () => {
    const { open } = stubWindows({ isBlocked: true })
    const started = await startOAuth()
    const wire = tap(started.host)
    const { client } = appOf(started, { wire })
    const signedIn = signInByPopup(client, editorOptions)
    expect(open).toHaveBeenCalledOnce()
    await expect(signedIn).rejects.toMatchObject({ code: 'popup-blocked' })
    expect(wire.sent).toEqual([])
  })

  it('that is closed before the server was asked is closed by the user', async () => {
    const { popup } = stubWindows()
    const { client } = appOf(await startOAuth())
    const signedIn = signInByPopup(client, editorOptions)
    popup.close()
    await expect(signedIn).rejects.toMatchObject({ code: 'popup-closed' })
    expect(popup.location.href).toBe('about:blank')
  })

  it('is closed where the server does not answer', async () => {
    const { popup } = stubWindows()
    const { client } = appOf(await startOAuth(), {
      wire: { fetch: async () => Response.json({ issuer: 'https://evil.example' }) },
    })
    const refused = { code: 'wrong-issuer' }
    await expect(signInByPopup(client, editorOptions)).rejects.toMatchObject(refused)
    expect(popup.closed).toBe(true)
  })

  it('is not there outside of browsers', async () => {
    const { client } = appOf(await startOAuth())
    const refused = { code: 'not-supported' }
    await expect(signInByPopup(client, editorOptions)).rejects.toMatchObject(refused)
  })
})

describe('a window that looks closed', () => {
  it.each([0, 1, 2, 8])('is waited for after %d looks: it may be cut off', async (looks) => {
    const { client, signedIn, answer, popup } = await waiting()
    await closeAfter(popup, looks)
    expect(client.state.status).toBe('signed-out')
    handOver(answer)
    expect((await signedIn).me.username).toBe('alice')
  })

  it('was closed by the user after ten looks at a page in it', async () => {
    const { signedIn, popup } = await waiting()
    await closeAfter(popup, 10)
    await expect(signedIn).rejects.toMatchObject({ name: 'OAuthError', code: 'popup-closed' })
  })

  it('was closed by the user before the first page, where it was about to go twice', async () => {
    const { signedIn, popup, unload } = await waiting()
    popup.location.href = 'about:blank'
    unload()
    popup.close()
    await expect(signedIn).rejects.toMatchObject({ name: 'OAuthError', code: 'popup-closed' })
  })

  it('still signs in where its answer is on its way', async () => {
    const { signedIn, answer, popup } = await waiting()
    await closeAfter(popup, 10)
    handOver(answer)
    expect((await signedIn).me.username).toBe('alice')
  })

  it('can be led away from where nobody can listen to it', async () => {
    const { popup, ledTo } = stubWindows()
    popup.addEventListener = () => {
      throw new DOMException('of another origin', 'SecurityError')
    }
    const started = await startOAuth()
    const signedIn = signInByPopup(appOf(started).client, editorOptions)
    handOver(await back(started, await ledTo))
    expect((await signedIn).me.username).toBe('alice')
  })
})

describe('what is handed over', () => {
  it.each([
    '',
    'https://wiki.example.com/callback',
    `https://wiki.example.com/callback?code=c&state=${'A'.repeat(43)}`,
    'https://wiki.example.com/callback?state=popup.A',
    'https://wiki.example.com/callback?code=c&state=popup.A&state=popup.A',
  ])('is no %j', (address) => {
    expect(handOver(address)).toBe(false)
  })
})
