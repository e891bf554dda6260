// Somebody else signs in, in another tab, while requests of the one before are under way.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AuthClient, createAuthClient } from '../../src/client/client.js'
import { socketIoAuth } from '../../src/client/socket-io/socket-io-auth.js'
import { memoryStore } from '../../src/client/token-store.js'
import { refusing } from './recorded.js'

type Answer = (token: string | null) => Promise<Response>

/** Two tabs over one store, in which alice is signed in; `route` is what the server answers. */
async function startTabs(route: Answer) {
  const sent: (string | null)[] = []
  let logins = 0
  const fetch = async (address: string, init: RequestInit) => {
    if (address.endsWith('/login')) {
      const { user } = JSON.parse(String(init.body))
      logins += 1
      const data = { userId: user, authToken: `${user}-${logins}`, me: { _id: user } }
      return Response.json({ status: 'success', data })
    }
    if (address.endsWith('/logout')) return Response.json({ status: 'success' })
    const token = new Headers(init.headers).get('Authorization')
    sent.push(token)
    return route(token)
  }
  const options = { baseUrl: 'https://chat.example.com/api/v1', storage: memoryStore(), fetch }
  const [tab, other] = [createAuthClient(options), createAuthClient(options)]
  await tab.signIn({ user: 'alice', password: 'a' })
  return { tab, other, sent }
}

const asked: [string, (client: AuthClient) => Promise<unknown>][] = [
  ['a route of the host', (client) => client.fetch('/rooms/1/messages')],
  ['an endpoint of the router', (client) => client.tokens.endAll()],
]

describe.each(asked)('what alice has asked of %s', (_name, ask) => {
  it('is not asked in the name of bob when her token is refused', async () => {
    let signIn = async () => {}
    const { tab, other, sent } = await startTabs(async () => {
      await signIn()
      return refusing(401, 'Unauthorized')
    })
    signIn = async () => void (await other.signIn({ user: 'bob', password: 'b' }))
    await expect(ask(tab)).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(sent).toEqual(['Bearer alice-1'])
    expect(tab.state).toMatchObject({ status: 'signed-in', userId: 'bob' })
  })

  it('nor when the server was busy', async () => {
    let signIn = async () => {}
    const { tab, other, sent } = await startTabs(async () => {
      await signIn()
      return refusing(503, 'temporarily-unavailable', { 'Retry-After': '1' })
    })
    signIn = async () => void (await other.signIn({ user: 'bob', password: 'b' }))
    await expect(ask(tab)).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(sent).toEqual(['Bearer alice-1'])
  })

  it('is asked once more with the newer token of her own', async () => {
    let signIn = async () => {}
    const { tab, other, sent } = await startTabs(async () => {
      if (sent.length > 1) return Response.json({ status: 'success', data: { ended: 0 } })
      await signIn()
      return refusing(401, 'Unauthorized')
    })
    signIn = async () => void (await other.signIn({ user: 'alice', password: 'a' }))
    await ask(tab)
    expect(sent).toEqual(['Bearer alice-1', 'Bearer alice-2'])
  })
})

/** A server in which alice and bob sign in; what else is asked, `route` answers. */
function serverWith(route: (path: string, token: string | null) => Response) {
  return async (address: string, init: RequestInit) => {
    const path = address.replace('https://chat.example.com/api/v1', '')
    if (path !== '/login') return route(path, new Headers(init.headers).get('Authorization'))
    const { user } = JSON.parse(String(init.body))
    const data = { userId: user, authToken: `${user}-1`, me: { _id: user } }
    return Response.json({ status: 'success', data })
  }
}

function twoTabs(fetch: ReturnType<typeof serverWith>): [AuthClient, AuthClient] {
  const options = { baseUrl: 'https://chat.example.com/api/v1', storage: memoryStore(), fetch }
  return [createAuthClient(options), createAuthClient(options)]
}

describe('when bob signs in in another tab', () => {
  it('a sign-out of alice that has waited for a busy server does not sign him out', async () => {
    let isBusy = true
    const ended: (string | null)[] = []
    const [tab, other] = twoTabs(
      serverWith((_path, token) => {
        ended.push(token)
        if (!isBusy) return Response.json({ status: 'success' })
        return refusing(503, 'temporarily-unavailable', { 'Retry-After': '1' })
      }),
    )
    await tab.signIn({ user: 'alice', password: 'a' })
    const leaving = tab.signOut()
    await expect.poll(() => ended.length).toBeGreaterThan(0)
    isBusy = false
    await other.signIn({ user: 'bob', password: 'b' })
    await leaving
    expect(ended).not.toContain('Bearer bob-1')
    expect(other.state).toMatchObject({ status: 'signed-in', userId: 'bob' })
  })

  it('a socket of alice that lost its connection ends, and does not come back as his', async () => {
    const bought: (string | null)[] = []
    const [tab, other] = twoTabs(
      serverWith((path, token) => {
        if (path === '/auth/socket-ticket') bought.push(token)
        return Response.json({ status: 'success', data: { ticket: 'ticket' } })
      }),
    )
    const lines: { onclose: (event: { code: number }) => void }[] = []
    class Line {
      readonly readyState = 1
      onopen = () => {}
      onclose = (_event: { code: number }) => {}
      constructor() {
        lines.push(this)
        queueMicrotask(() => this.onopen())
      }
      send() {}
      close() {}
    }
    await tab.signIn({ user: 'alice', password: 'a' })
    const told: string[] = []
    const socket = tab.socket('/ws', { WebSocket: Line, onEnded: () => void told.push('ended') })
    onTestFinished(() => socket.close())
    await expect.poll(() => socket.status).toBe('open')
    lines[0]?.onclose({ code: 1006 })
    await other.signIn({ user: 'bob', password: 'b' })
    await expect.poll(() => told.length + bought.length).toBe(2)
    expect({ bought, told }).toEqual({ bought: ['Bearer alice-1'], told: ['ended'] })
  })
})

/** As {@link localStorageStore} keeps it: whoever asks first has the lock first. */
function sharedStore() {
  let text: string | null = null
  let last: Promise<unknown> = Promise.resolve()
  const tab = () => ({
    get: async () => text,
    set: async (given: string) => {
      text = given
    },
    remove: async () => {
      text = null
    },
    exclusively<T>(work: () => Promise<T>): Promise<T> {
      const turn = last.then(work, work)
      last = turn.catch(() => {})
      return turn
    },
  })
  const age = () => {
    text = JSON.stringify({ ...JSON.parse(text ?? '{}'), refreshToken: 'r', expiresAt: 1 })
  }
  return { tab, age }
}

/** Alice's token is over, and bob's sign-in waits for the lock before her request does. */
async function startQueue(route: (path: string, token: string | null) => Response) {
  const { tab: storage, age } = sharedStore()
  const fetch = serverWith((path, token) => {
    // Bob's sign-in ends her session; that is no request of hers.
    return path === '/logout' ? Response.json({ status: 'success' }) : route(path, token)
  })
  const options = { baseUrl: 'https://chat.example.com/api/v1', fetch }
  const tab = createAuthClient({ ...options, storage: storage() })
  const other = createAuthClient({ ...options, storage: storage() })
  await tab.signIn({ user: 'alice', password: 'a' })
  age()
  let release = () => {}
  const held = storage().exclusively(() => new Promise<void>((resolve) => (release = resolve)))
  const bob = other.signIn({ user: 'bob', password: 'b' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  return {
    tab,
    async letBobIn() {
      await new Promise((resolve) => setTimeout(resolve, 20))
      release()
      await Promise.all([held, bob])
    },
  }
}

const pressed: [string, (client: AuthClient) => Promise<unknown>][] = [
  ['a request', (client) => client.fetch('/rooms/1/messages', { method: 'POST', body: 'hers' })],
  ['a call of the router', (client) => client.tokens.endAll()],
  ['what asks for a token', (client) => client.accessToken()],
]

describe('while the token of alice is being replaced, and bob signs in first', () => {
  it.each(pressed)('%s of hers is refused, and not sent as his', async (_name, press) => {
    const sent: (string | null)[] = []
    const { tab, letBobIn } = await startQueue((path, token) => {
      sent.push(`${path} ${token}`)
      return Response.json({ status: 'success', data: {} })
    })
    const pressing = expect(press(tab)).rejects.toMatchObject({ code: 'Unauthorized' })
    await letBobIn()
    await pressing
    expect({ sent, state: tab.state }).toMatchObject({ sent: [], state: { userId: 'bob' } })
  })

  it('a socket of hers that was never open ends, and does not open as his', async () => {
    const bought: (string | null)[] = []
    const { tab, letBobIn } = await startQueue((_path, token) => {
      bought.push(token)
      return Response.json({ status: 'success', data: { ticket: 'ticket' } })
    })
    const told: string[] = []
    const socket = tab.socket('/ws', {
      WebSocket: class {},
      onEnded: () => void told.push('ended'),
    })
    onTestFinished(() => socket.close())
    await letBobIn()
    await expect.poll(() => bought.length + told.length).toBe(1)
    expect(told).toEqual(['ended'])
  })

  it('a Socket.IO connection of hers is handed no token of his', async () => {
    const { tab, letBobIn } = await startQueue(() => Response.json({}))
    const { auth, watch } = socketIoAuth(tab)
    const socket = watch({ on() {}, connect() {}, disconnect() {}, active: true })
    const handed = new Promise((resolve) => auth.call(socket, resolve))
    await letBobIn()
    expect(await handed).toEqual({})
  })
})

describe('a first refresh of alice that the server was too busy for', () => {
  it('is not made up for in the name of bob, who has signed in since', async () => {
    const { tab: storage, age } = sharedStore()
    const sent: (string | null)[] = []
    let asked = () => {}
    const busy = new Promise<void>((resolve) => (asked = resolve))
    const fetch = serverWith((path, token) => {
      if (!['/auth/refresh', '/logout'].includes(path)) sent.push(token)
      asked()
      return refusing(503, 'temporarily-unavailable', { 'Retry-After': '1' })
    })
    const options = { baseUrl: 'https://chat.example.com/api/v1', fetch }
    const tab = createAuthClient({ ...options, storage: storage() })
    await tab.signIn({ user: 'alice', password: 'a' })
    age()
    const pressing = expect(tab.tokens.endAll()).rejects.toMatchObject({ code: 'Unauthorized' })
    await busy
    const other = createAuthClient({ ...options, storage: storage() })
    await other.signIn({ user: 'bob', password: 'b' })
    await pressing
    expect(sent).toEqual([])
  })
})
