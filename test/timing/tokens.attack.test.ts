import { randomBytes } from 'node:crypto'
import { describe, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { logIn, obtainCode, pkcePair, post } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import { type Ask, expectSameTime } from './measure.js'
import { startTimedHost } from './timed-host.js'

const text = (characters: number) =>
  randomBytes(characters).toString('base64url').slice(0, characters)
const unknownRefreshToken = `mar_rt_${text(22)}.${text(65)}`
const unknownCode = `mar_ac_${text(43)}`

const { codeVerifier } = pkcePair()
const refresh = (refreshToken: string): Ask => ({ path: '/auth/refresh', body: { refreshToken } })
const exchange = (authorizationCode: string): Ask => ({
  path: '/auth/pkce/token',
  body: { authorizationCode, codeVerifier },
})

async function refreshTokenOf(host: TestHost): Promise<string> {
  const { authToken } = await logIn(host)
  const { authorizationCode, codeVerifier } = await obtainCode(host, authToken)
  const response = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
  return response.body.refresh_token
}

// Only of tokens that reach a store. That one is of the wrong shape or signature is no secret:
// whoever holds it can see the shape, and check the signature with the public keys.
describe('nobody learns by the clock of a refused token', () => {
  it('whether the session of an authToken was revoked, or is not known at all', async () => {
    const signer = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
    })
    const host = await startTimedHost({
      options: { signer },
      after: (app, auth) =>
        app.get(
          '/api/v1/rooms',
          auth.requireAuth(),
          (_request, response) => void response.json('let in'),
        ),
    })
    const { authToken: revoked, userId } = await logIn(host)
    const unknown = await signer.sign({ ...(await signer.verify(revoked)), sid: text(22) })
    await host.auth.sessions.revokeAllForUser(userId)
    const rooms = (token: string): Ask => ({
      method: 'GET',
      path: '/rooms',
      headers: { 'X-User-Id': userId, 'X-Auth-Token': token },
    })
    const name = 'whether the session of an authToken was revoked or is unknown'
    await expectSameTime({
      name,
      url: host.url,
      one: rooms(unknown),
      other: rooms(revoked),
      hashes: false,
      status: 401,
    })
  })

  it('whether the session of a refresh token has ended, or never was', async () => {
    const host = await startTimedHost()
    const ended = await refreshTokenOf(host)
    await host.auth.sessions.revokeAllForUser('u-alice')
    const name = 'whether the session of a refresh token has ended or never was'
    await expectSameTime({
      name,
      url: host.url,
      one: refresh(unknownRefreshToken),
      other: refresh(ended),
      hashes: false,
      status: 400,
    })
  })

  it('whether a session is alive, by a refresh token that was invented for its id', async () => {
    const host = await startTimedHost()
    const live = await refreshTokenOf(host)
    const invented = `${live.slice(0, 'mar_rt_'.length + 22)}.${text(65)}`
    const name = 'whether a session is alive, by an invented refresh token'
    await expectSameTime({
      name,
      url: host.url,
      one: refresh(unknownRefreshToken),
      other: refresh(invented),
      hashes: false,
      status: 400,
    })
  })

  it('whether a code has expired, or was never issued', async () => {
    const host = await startTimedHost()
    const { authToken } = await logIn(host)
    const { authorizationCode: expired } = await obtainCode(host, authToken)
    host.clock.advance(61)
    const name = 'whether a code has expired or was never issued'
    await expectSameTime({
      name,
      url: host.url,
      one: exchange(unknownCode),
      other: exchange(expired),
      hashes: false,
      status: 400,
    })
  })
})
