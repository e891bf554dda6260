import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/index.js'
import { startOAuthApp } from './oauth-app.js'

const everything = () => ({
  email: 'alice@example.com',
  email_verified: true,
  picture: 'https://chat.example.com/alice.png',
  phone_number: '+49 30 1234',
  address: { country: 'DE' },
  team: 'blue',
})

describe('userinfo', () => {
  it('says who has signed in to an app, by GET and by POST', async () => {
    const app = await startOAuthApp()
    const { accessToken } = await app.open('wiki', { scope: 'openid' })
    const { headers } = app.bearer(accessToken)
    for (const method of ['GET', 'POST']) {
      const answer = await app.ask('/oauth/userinfo', { method, headers })
      expect([answer.status, answer.json]).toEqual([200, { sub: 'u-alice' }])
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it.each([
    ['openid', {}],
    [
      'openid profile',
      { name: 'Alice A.', preferred_username: 'alice', picture: expect.any(String) },
    ],
    ['email openid', { email: 'alice@example.com', email_verified: true }],
    ['openid phone address', { phone_number: '+49 30 1234', address: { country: 'DE' } }],
  ])('adds the claims of the scopes %s, and the host’s own', async (scope, claims) => {
    const app = await startOAuthApp({ claims: everything })
    const { accessToken } = await app.open('wiki', { scope })
    expect((await app.userinfo(accessToken)).json).toEqual({
      sub: 'u-alice',
      team: 'blue',
      ...claims,
    })
  })

  it('asks the host with the user, the scopes and the client', async () => {
    const asked: unknown[] = []
    const app = await startOAuthApp({ claims: (user, request) => void asked.push(user, request) })
    const { accessToken } = await app.open('wiki', { scope: 'openid email' })
    expect((await app.userinfo(accessToken)).json).toEqual({ sub: 'u-alice' })
    expect(asked).toMatchObject([
      { id: 'u-alice', secretNote: 'note of u-alice' },
      { scope: ['openid', 'email'], client: { id: 'wiki' } },
    ])
  })

  it('lets the host say another name, and leave out what it does not know', async () => {
    const claims = async () => ({ name: 'Ally', preferred_username: null, picture: '' })
    const app = await startOAuthApp({ claims })
    const { accessToken } = await app.open('wiki')
    expect((await app.userinfo(accessToken)).json).toEqual({ sub: 'u-alice', name: 'Ally' })
  })

  it('answers the user’s own id, whatever the host says, and nothing that is of tokens', async () => {
    const claims = () => ({ sub: 'u-bob', iss: 'x', aud: 'x', sid: 'x', acr: 'x', client_id: 'x' })
    const app = await startOAuthApp({ claims })
    const { accessToken } = await app.open('wiki', { scope: 'openid' })
    expect((await app.userinfo(accessToken)).json).toEqual({ sub: 'u-alice' })
  })

  it('is a use of the session', async () => {
    const app = await startOAuthApp()
    const { session, accessToken } = await app.open('wiki')
    app.clock.advance(90)
    await app.userinfo(accessToken)
    const { lastSeenAt } = (await app.stores.sessions.find(session.id)) ?? {}
    expect(lastSeenAt).toEqual(app.clock())
  })
})

describe('userinfo in an outage', () => {
  const failing: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error('alice@example.com is not there')
    },
    rejects: () => Promise.reject(new Error('down')),
    'refuses by an error of ours': () => {
      throw new AuthError('Unauthorized')
    },
    'answers a text': () => 'alice',
    'answers a list': () => ['alice'],
    'answers what is no JSON': () => ({ id: 1n }),
  }
  it.each(Object.entries(failing))('is 503 where the host’s function %s', async (_name, fail) => {
    const app = await startOAuthApp({ claims: fail as () => object })
    const { accessToken } = await app.open('wiki')
    const answer = await app.userinfo(accessToken)
    expect([answer.status, answer.json['error']]).toEqual([503, 'temporarily_unavailable'])
    expect(app.told('host.failed')).toMatchObject([{ operation: 'oauth.claims' }])
    expect(JSON.stringify(app.events)).not.toContain('alice@example.com')
  })

  it('is 503 where a session cannot be read', async () => {
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: { ...sessions, find: () => Promise.reject(new Error('down')) },
      }),
    })
    const { accessToken } = await app.open('wiki')
    expect((await app.userinfo(accessToken)).status).toBe(503)
  })
})
