import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { issuer, startOAuthApp } from './oauth-app.js'

describe('revocation', () => {
  it('ends the session of a refresh token, for a public client that says its id alone', async () => {
    const app = await startOAuthApp()
    const { session, refreshToken, accessToken } = await app.open('desktop')
    expect((await app.userinfo(accessToken)).status).toBe(200)
    const answer = await app.revoke('desktop', refreshToken)
    expect([answer.status, answer.text]).toEqual([200, '{}'])
    expect(await app.endOf(session)).toBe('revoked')
    expect((await app.userinfo(accessToken)).status).toBe(401)
    expect(app.told('session.ended')).toMatchObject([{ sessionId: session.id, reason: 'revoked' }])
  })

  it('ends the session of an access token, which cannot be killed alone', async () => {
    const app = await startOAuthApp()
    const { session, accessToken } = await app.open('wiki')
    expect((await app.revoke('wiki', accessToken)).text).toBe('{}')
    expect(await app.endOf(session)).toBe('revoked')
  })

  it('knows the access token of another API that the client may ask tokens for', async () => {
    const app = await startOAuthApp()
    const { session } = await app.open('search')
    const token = await app.sign(session, { aud: 'https://search.example.com/' })
    await app.revoke('search', token)
    expect(await app.endOf(session)).toBe('revoked')
  })

  it('ends the session of an access token that has expired', async () => {
    const app = await startOAuthApp()
    const { session, accessToken } = await app.open('wiki')
    app.clock.advance(400)
    await app.revoke('wiki', accessToken)
    expect(await app.endOf(session)).toBe('revoked')
  })

  it('ends the session of a refresh token that is spent: its successor may be lost', async () => {
    const app = await startOAuthApp()
    const opened = await app.open('desktop')
    await app.rotate(opened)
    await app.revoke('desktop', opened.refreshToken)
    expect(await app.endOf(opened.session)).toBe('revoked')
  })

  it.each(['refresh_token', 'access_token', 'something else'])(
    'does not need the hint %s to be right',
    async (hint) => {
      const app = await startOAuthApp()
      for (const which of ['refreshToken', 'accessToken'] as const) {
        const opened = await app.open('wiki')
        await app.revoke('wiki', opened[which], { token_type_hint: hint })
        expect(await app.endOf(opened.session)).toBe('revoked')
      }
    },
  )

  it('leaves the user’s other sessions at the same client', async () => {
    const app = await startOAuthApp()
    const [one, other] = [await app.open('wiki'), await app.open('wiki')]
    await app.revoke('wiki', one.refreshToken)
    expect(await app.endOf(other.session)).toBeNull()
  })

  it('can be repeated', async () => {
    const app = await startOAuthApp()
    const { refreshToken } = await app.open('wiki')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => app.revoke('wiki', refreshToken)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {}']),
    )
    expect(app.told('session.ended')).toHaveLength(1)
  })

  it('may be asked for by pages of every origin', async () => {
    const app = await startOAuthApp()
    const { headers } = await app.revoke('desktop', 'nothing')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})

describe('revocation in an outage', () => {
  it.each(['find', 'end'] as const)('is 503 where %s fails', async (method) => {
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: {
          ...sessions,
          [method]: async () => {
            throw new Error('down')
          },
        },
      }),
    })
    const { refreshToken, accessToken } = await app.open('wiki')
    for (const token of [refreshToken, accessToken]) {
      const answer = await app.revoke('wiki', token)
      expect([answer.status, answer.json['error']]).toEqual([503, 'temporarily_unavailable'])
      expect(answer.headers.get('retry-after')).not.toBeNull()
    }
  })

  it('is 503 where the session store is out of reach, also for what is no token', async () => {
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: { ...sessions, find: () => Promise.reject(new Error('down')) },
      }),
    })
    expect((await app.revoke('wiki', 'nothing')).status).toBe(503)
  })
})

describe('revocation with a signer of the host’s', () => {
  const keys = generateSigningKey().then((key) => [key])

  it('that knows no expired tokens, ends the session of one that is good', async () => {
    const ring = await keys
    const app = await startOAuthApp({
      options: (_stores, clock) => {
        const good = joseSigner({ issuer, audience: 'chat', keys: ring, clock })
        const { verifyExpired: _none, ...signer } = good
        return { signer }
      },
    })
    const opened = [await app.open('wiki'), await app.open('wiki')]
    const [first, second] = await Promise.all(
      opened.map(({ session }) => app.kit.accessTokens.issue(session, 300, app.clock())),
    )
    await app.revoke('wiki', first?.token ?? '')
    app.clock.advance(400)
    await app.revoke('wiki', second?.token ?? '')
    const ends = opened.map(({ session }) => app.endOf(session))
    expect(await Promise.all(ends)).toEqual(['revoked', null])
  })

  it('that rejects without a word, is 503', async () => {
    const down = () => Promise.reject(new Error('down'))
    const app = await startOAuthApp({
      options: () => ({ signer: { sign: down, verify: down, audience: 'chat', issuer } }),
    })
    const { accessToken } = await app.open('wiki')
    expect((await app.revoke('wiki', accessToken)).status).toBe(503)
  })
})
