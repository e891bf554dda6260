import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

describe('describeUser', () => {
  it.each<[string, unknown]>([
    ['a BigInt', 1n],
    ['a BigInt inside', { credits: 1n }],
    ['a cycle', cycle],
    ['text', 'admin'],
    ['a number', 7],
    ['a list', ['admin']],
    ['a function', () => ({})],
    ['an object that cannot be read', { toJSON: () => 'admin' }],
  ])('that answers %s is an outage, and no session is opened', async (_name, answer) => {
    const host = await startHost({ options: { describeUser: () => answer as never } })
    const response = await post(host, '/login', { username: 'alice', password })
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBeDefined()
    expect(host.events.map(({ type }) => type)).not.toContain('session.started')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'describeUser' }),
    )
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
    expect(host.unforeseen).toEqual([])
  })

  it('cannot replace the published fields by saying how it is written down', async () => {
    const forged = {
      _id: 'u-eve',
      name: 'Eve',
      username: 'eve',
      status: 'online',
      success: false,
      role: 'member',
    }
    const host = await startHost({ options: { describeUser: () => ({ toJSON: () => forged }) } })
    const published = {
      _id: 'u-alice',
      name: 'Alice A.',
      username: 'alice',
      status: 'offline',
      role: 'member',
    }
    const { authToken, me } = await logIn(host)
    expect(me).toMatchObject(published)
    expect((await get(host, '/me', bearer(authToken))).body).toEqual({
      ...published,
      success: true,
    })
  })
})
