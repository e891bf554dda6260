import { describe, expect, it } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { startHost } from '../support/host.js'

describe('GET /me', () => {
  it('says who the token belongs to, flattened, and what the host adds', async () => {
    const host = await startHost({
      options: { describeUser: async () => ({ roles: ['user'], success: 'no' }) },
    })
    const { authToken } = await logIn(host)
    host.users.change('u-alice', { status: 'online' })
    const response = await get(host, '/me', bearer(authToken))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      success: true,
      _id: 'u-alice',
      name: 'Alice A.',
      username: 'alice',
      status: 'online',
      roles: ['user'],
    })
  })

  it('is an outage when describeUser fails', async () => {
    let failing = false
    const host = await startHost({
      options: {
        describeUser: () => {
          if (failing) throw new Error('broken')
          return {}
        },
      },
    })
    const { authToken } = await logIn(host)
    failing = true
    expect((await get(host, '/me', bearer(authToken))).status).toBe(503)
  })
})
