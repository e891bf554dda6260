import { describe, expect, it, onTestFinished } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import { startOAuthApp } from './oauth-app.js'

describe('a client that is disabled', () => {
  it('loses all its sessions, and is refused from then on', async () => {
    const app = await startOAuthApp()
    const opened = [await app.open('wiki'), await app.open('wiki', { userId: 'u-bob' })]
    const other = await app.open('desktop')
    for (const { accessToken } of opened) expect((await app.userinfo(accessToken)).status).toBe(200)
    expect(await app.disable('wiki')).toBe(true)
    for (const { session, accessToken, refreshToken } of opened) {
      expect(await app.endOf(session)).toBe('client-disabled')
      expect((await app.userinfo(accessToken)).status).toBe(401)
      expect((await app.revoke('wiki', refreshToken)).status).toBe(401)
    }
    expect(await app.endOf(other.session)).toBeNull()
    expect(app.told('session.ended')).toHaveLength(2)
  })

  it('has its sockets closed', async () => {
    const app = await startOAuthApp()
    const { session, accessToken } = await app.open('wiki')
    const { registry, authenticate } = app.kit
    onTestFinished(() => registry.close())
    const credentials = { sentAs: 'token', token: accessToken, userId: null } as const
    const { principal } = await authenticate(credentials, noRequest)
    const closed: number[] = []
    const connection = { close: (code: number) => void closed.push(code), terminate() {} }
    registry.add({ principal, required: {}, connection })
    expect(registry.count(session.id)).toBe(1)
    await app.disable('wiki')
    expect([closed, registry.count(session.id)]).toEqual([[4401], 0])
  })

  it('is forgotten here also by a look that was under way', async () => {
    const app = await startOAuthApp()
    const { find } = app.oauthStores.clients
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      app.oauthStores.clients.find = async (id) => {
        const client = await find(id)
        resolve()
        await new Promise<void>((go) => {
          answer = go
        })
        return client
      }
    })
    const early = app.clients.find('wiki')
    await asked
    app.oauthStores.clients.find = find
    await app.disable('wiki')
    answer()
    expect((await early)?.disabled).toBeUndefined()
    expect((await app.clients.find('wiki'))?.disabled).toBe(true)
  })

  it('is disabled by one call of fifty', async () => {
    const app = await startOAuthApp()
    const told = await Promise.all(Array.from({ length: 50 }, () => app.disable('wiki')))
    expect(told.filter(Boolean)).toHaveLength(1)
  })

  it('is told by false where there is none, or where it was disabled before', async () => {
    const app = await startOAuthApp()
    expect(await app.disable('nobody')).toBe(false)
    await app.disable('wiki')
    const { session } = await app.open('wiki')
    expect(await app.disable('wiki')).toBe(false)
    // What an earlier call has left is ended all the same.
    expect(await app.endOf(session)).toBe('client-disabled')
  })

  it('is forgotten also where the answer of the store was lost', async () => {
    const app = await startOAuthApp()
    await app.clients.find('wiki')
    const { setDisabled } = app.oauthStores.clients
    app.oauthStores.clients.setDisabled = async (...given) => {
      await setDisabled(...given)
      throw new Error('connection lost')
    }
    await expect(app.disable('wiki')).rejects.toMatchObject({ status: 503 })
    expect((await app.clients.find('wiki'))?.disabled).toBe(true)
  })

  it('is 503 where its sessions cannot be ended, and can be disabled again', async () => {
    let isDown = true
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: {
          ...sessions,
          endAllForClient: async (...given) => {
            if (isDown) throw new Error('down')
            return (await sessions.endAllForClient?.(...given)) ?? []
          },
        },
      }),
    })
    const { session } = await app.open('wiki')
    await expect(app.disable('wiki')).rejects.toMatchObject({ status: 503 })
    isDown = false
    await app.disable('wiki')
    expect(await app.endOf(session)).toBe('client-disabled')
  })
})
