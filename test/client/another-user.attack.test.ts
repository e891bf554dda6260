// Somebody else signs in, in another tab, while requests of the one before are under way.
import { describe, expect, it } from 'vitest'
import { type AuthClient, createAuthClient } from '../../src/client/client.js'
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
