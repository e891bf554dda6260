import { describe, expect, it } from 'vitest'
import { startOAuthApp } from './oauth-app.js'

type App = Awaited<ReturnType<typeof startOAuthApp>>
type Make = (app: App) => Promise<string>

const search = { aud: 'https://search.example.com/' }

/** Tokens of which the search service is told nothing. */
const inactive: Readonly<Record<string, Make>> = {
  'access token for the host’s own API': async (app) => (await app.open('search')).accessToken,
  'access token for an API of others': async (app) =>
    app.sign((await app.open('search')).session, { aud: 'https://wiki.example.com/' }),
  'access token that has expired': async (app) => {
    const token = await app.sign((await app.open('wiki')).session, search)
    app.clock.advance(400)
    return token
  },
  'access token of a session that was ended': async (app) => {
    const { session } = await app.open('wiki')
    await app.stores.sessions.end(session.id, 'logout', app.clock())
    return app.sign(session, search)
  },
  'access token of another user': async (app) =>
    app.sign({ ...(await app.open('wiki')).session, userId: 'u-bob' }, search),
  'access token of a session that there never was': async (app) =>
    app.sign({ ...(await app.open('wiki')).session, id: 'x'.repeat(22) }, search),
  'access token signed by somebody else': async (app) =>
    app.forge((await app.open('search')).session),
  'refresh token of another client': async (app) => (await app.open('wiki')).refreshToken,
  'refresh token that was spent long ago': async (app) => {
    const opened = await app.open('search')
    await app.rotate(opened)
    app.clock.advance(60)
    return opened.refreshToken
  },
  'refresh token of a session that was ended': async (app) => {
    const { session, refreshToken } = await app.open('search')
    await app.stores.sessions.end(session.id, 'logout', app.clock())
    return refreshToken
  },
  'refresh token with an invented secret': async (app) => {
    const { refreshToken } = await app.open('search')
    return `${refreshToken.slice(0, 40)}${'A'.repeat(refreshToken.length - 40)}`
  },
  'refresh token of a login': async (app) => {
    const { session, refreshToken } = await app.open('search', { kind: 'pkce' })
    const { clientId: _none, ...login } = session
    const id = `${'y'.repeat(21)}A`
    await app.stores.sessions.create({ ...login, id })
    return refreshToken.replace(session.id, id)
  },
  'named token': async () => `mar_at_${'A'.repeat(22)}.${'B'.repeat(43)}`,
  'text that is no token': async () => 'nothing',
  'text of 7,000 characters': async () => 'a.'.repeat(3500),
}

describe('introspection', () => {
  it.each(Object.entries(inactive))('tells nothing of a %s', async (_name, make) => {
    const app = await startOAuthApp()
    const answer = await app.introspect('search', await make(app))
    expect([answer.status, answer.text]).toEqual([200, '{"active":false}'])
    expect(app.told('session.ended')).toEqual([])
  })

  it('says so in the same bytes for every reason', async () => {
    const app = await startOAuthApp()
    const seen = new Set<string>()
    for (const make of Object.values(inactive)) {
      const { status, text, headers } = await app.introspect('search', await make(app))
      const told = [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
      seen.add(JSON.stringify([status, text, told]))
    }
    expect(seen.size).toBe(1)
  })

  it('asks the stores for no more than a session, once, of what is not the client’s', async () => {
    const asked: string[] = []
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: {
          ...sessions,
          find: (id) => {
            asked.push('session')
            return sessions.find(id)
          },
        },
      }),
    })
    const { findById } = app.users
    app.users.findById = (id) => {
      asked.push('user')
      return findById(id)
    }
    for (const make of Object.values(inactive)) {
      const token = await make(app)
      asked.length = 0
      await app.introspect('search', token)
      expect(asked).toEqual(['session'])
    }
  })

  it('does not make a token for another API good for ours', async () => {
    const app = await startOAuthApp()
    const { session } = await app.open('wiki')
    const token = await app.sign(session, search)
    expect((await app.introspect('search', token)).json['active']).toBe(true)
    expect((await app.userinfo(token)).status).toBe(401)
    expect(app.kit.accessTokens.remembered(token, app.clock())).toBeUndefined()
  })

  it('is not for clients that may not, nor for public ones', async () => {
    const app = await startOAuthApp()
    for (const id of ['wiki', 'desktop']) {
      const { accessToken } = await app.open(id)
      const answer = await app.introspect(id, accessToken)
      expect([answer.status, answer.json['error']]).toEqual([401, 'invalid_client'])
    }
    expect(app.told('client.refused')).toMatchObject([
      { reason: 'may-not-introspect', clientId: 'wiki' },
      { reason: 'may-not-introspect', clientId: 'desktop' },
    ])
  })

  it('tells strangers of a public client no more than of none', async () => {
    const app = await startOAuthApp()
    const body = (id: string) => new URLSearchParams({ client_id: id, token: 'nothing' })
    const [known, unknown] = await Promise.all(
      ['desktop', 'nobody'].map((id) =>
        app.ask('/oauth/introspect', { method: 'POST', body: body(id) }),
      ),
    )
    expect([known?.status, known?.text]).toEqual([unknown?.status, unknown?.text])
  })

  it('makes whoever comes as a public client wait after 20 of them', async () => {
    const app = await startOAuthApp()
    const ask = () => app.introspect('desktop', 'nothing')
    const answers = await Promise.all(Array.from({ length: 25 }, ask))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited).toHaveLength(5)
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    const { accessToken } = await app.open('desktop')
    expect((await app.revoke('desktop', accessToken)).status).toBe(200)
    expect((await app.introspect('companion', accessToken)).status).toBe(200)
  })

  it('wants a token', async () => {
    const app = await startOAuthApp()
    const answer = await app.post('/oauth/introspect', 'search', {})
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request'])
  })
})
