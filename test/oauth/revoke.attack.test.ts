import { describe, expect, it } from 'vitest'
import { startOAuthApp } from './oauth-app.js'

type App = Awaited<ReturnType<typeof startOAuthApp>>

/** Tokens that are nothing to the wiki, each of a session that lives unless its name says more. */
const others: Readonly<Record<string, (app: App) => Promise<string>>> = {
  'refresh token of another client': async (app) => (await app.open('desktop')).refreshToken,
  'access token of another client': async (app) => (await app.open('desktop')).accessToken,
  'refresh token with an invented secret': async (app) => {
    const { refreshToken } = await app.open('wiki')
    return `${refreshToken.slice(0, 40)}${'A'.repeat(refreshToken.length - 40)}`
  },
  'access token signed by somebody else': async (app) =>
    app.forge((await app.open('wiki')).session),
  'access token of another user': async (app) =>
    app.sign({ ...(await app.open('wiki')).session, userId: 'u-bob' }),
  'access token for an API of others': async (app) =>
    app.sign((await app.open('wiki')).session, { aud: 'https://search.example.com/' }),
  'access token of a login': async (app) => {
    const { clientId: _none, ...session } = (await app.open('wiki', { kind: 'login' })).session
    await app.stores.sessions.create({ ...session, id: 'x'.repeat(22) })
    return app.sign({ ...session, id: 'x'.repeat(22) })
  },
  'empty session id': async () => `mar_rt_${'A'.repeat(22)}.${'B'.repeat(65)}`,
  'named token': async () => `mar_at_${'A'.repeat(22)}.${'B'.repeat(43)}`,
  'text that is no token': async () => 'nothing',
  'text of 7,000 characters': async () => 'a.'.repeat(3500),
}

describe('revocation of what is not the client’s', () => {
  it.each(Object.entries(others))('ends nothing by a %s, and says 200', async (_name, make) => {
    const app = await startOAuthApp()
    const token = await make(app)
    const answer = await app.revoke('wiki', token)
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(app.told('session.ended')).toEqual([])
  })

  it('says the same, in the same bytes, as of the client’s own', async () => {
    const app = await startOAuthApp()
    const own = await app.revoke('wiki', (await app.open('wiki')).refreshToken)
    const inCommon = ({ headers }: typeof own) =>
      [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')
    for (const make of Object.values(others)) {
      const answer = await app.revoke('wiki', await make(app))
      expect([answer.text, inCommon(answer)]).toEqual([own.text, inCommon(own)])
    }
  })

  it('looks for a session once, whatever is shown', async () => {
    let looks = 0
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: {
          ...sessions,
          find: (id) => {
            looks += 1
            return sessions.find(id)
          },
        },
      }),
    })
    for (const make of Object.values(others)) {
      const token = await make(app)
      looks = 0
      await app.revoke('wiki', token)
      expect(looks).toBe(1)
    }
  })
})

describe('revocation', () => {
  it('is not for clients that have not authenticated themselves', async () => {
    const app = await startOAuthApp()
    const { session, refreshToken } = await app.open('wiki')
    for (const more of [{ client_secret: 'wrong' }, { client_secret: '' }]) {
      const answer = await app.revoke('wiki', refreshToken, more)
      expect([answer.status, answer.json['error']]).toEqual([401, 'invalid_client'])
    }
    expect(await app.endOf(session)).toBeNull()
    expect(app.told('client.refused')).toHaveLength(2)
  })

  it('wants one token, in the body', async () => {
    const app = await startOAuthApp()
    const { session, refreshToken } = await app.open('desktop')
    const init = { method: 'POST', body: new URLSearchParams({ client_id: 'desktop' }) }
    const inUrl = await app.ask(`/oauth/revoke?token=${refreshToken}`, init)
    const twice = await app.ask('/oauth/revoke', {
      method: 'POST',
      body: new URLSearchParams([
        ['client_id', 'desktop'],
        ['token', refreshToken],
        ['token', refreshToken],
      ]),
    })
    for (const answer of [inUrl, twice])
      expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request'])
    expect(await app.endOf(session)).toBeNull()
  })
})
