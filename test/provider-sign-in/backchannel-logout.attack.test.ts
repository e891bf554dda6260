// A provider ends the sessions that it has opened, and nobody else does.

import supertest from 'supertest'
import { expect, it } from 'vitest'
import type { ProviderLogout } from '../../src/providers/contract.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { makeToken } from '../support/named-tokens.js'
import { ada, connected, fakeProvider, signIn, startProviders } from './provider-host.js'

/** A provider whose logout tokens are JSON of what they say. */
function provider() {
  const fake = fakeProvider({
    async readLogoutToken(token) {
      if (token === 'outage') throw new Error('away')
      if (!token.startsWith('{')) return null
      const told = JSON.parse(token) as ProviderLogout
      return { ...told, expiresAt: new Date(told.expiresAt) }
    },
  })
  fake.answer = { outcome: 'identified', identity: { ...ada, sid: 'session 1' } }
  return fake
}

const path = '/auth/providers/fake/backchannel-logout'
const tokenOf = (jti: string, about: object, ahead = 120) =>
  JSON.stringify({
    issuer: ada.issuer,
    jti,
    expiresAt: new Date(Date.now() + ahead * 1000),
    ...about,
  })

async function start() {
  const options = { namedTokens: true }
  const host = await startProviders({ provider: provider(), options })
  await connected(host)
  const byPassword = bearer((await logIn(host)).authToken as string)
  const opened = async (sid: string) => {
    host.provider.answer = { outcome: 'identified', identity: { ...ada, sid } }
    return bearer((await signIn(host)).body.data.authToken)
  }
  const logOut = (token: string) =>
    post(host, path)
      .type('form')
      .send(`logout_token=${encodeURIComponent(token)}`)
  const isLive = async (headers: Record<string, string>) =>
    (await get(host, '/me', headers)).status === 200
  return { host, byPassword, opened, logOut, isLive }
}

type Started = Awaited<ReturnType<typeof start>>

it('ends the session with that sid, and no other', async () => {
  const { opened, logOut, isLive, byPassword } = await start()
  const [one, two] = [await opened('session 1'), await opened('session 2')]
  await logOut(tokenOf('a', { sid: 'session 1' })).expect(200)
  expect([await isLive(one), await isLive(two), await isLive(byPassword)]).toEqual([
    false,
    true,
    true,
  ])
})

it('ends all sessions of a subject, and none that it has not opened', async () => {
  const { host, opened, logOut, isLive, byPassword } = await start()
  const [one, two] = [await opened('session 1'), await opened('session 2')]
  await logOut(tokenOf('a', { subject: ada.subject })).expect(200)
  expect([await isLive(one), await isLive(two), await isLive(byPassword)]).toEqual([
    false,
    false,
    true,
  ])
  expect(host.events.find(({ type }) => type === 'provider.logout')).toMatchObject({ sessions: 2 })
})

it.each([
  ['a logout there', async ({ logOut }: Started) => logOut(tokenOf('a', { sid: 'session 1' }))],
  [
    'disconnecting',
    async ({ host, byPassword }: Started) =>
      supertest(host.url).delete('/auth/identities/i-ada-1815').set(byPassword),
  ],
])('%s ends what the session has opened: another device, a named token', async (_how, end) => {
  const started = await start()
  const { host, opened, isLive, byPassword } = started
  const one = await opened('session 1')
  const authToken = one.Authorization.slice('Bearer '.length)
  const { authorizationCode, codeVerifier } = await obtainCode(host, authToken)
  const tokens = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
  const device = bearer(tokens.body.access_token)
  const bot = bearer((await makeToken(host, authToken)).token)
  expect([await isLive(device), await isLive(bot)]).toEqual([true, true])
  expect((await end(started)).status).toBe(200)
  expect([await isLive(device), await isLive(bot), await isLive(byPassword)]).toEqual([
    false,
    false,
    true,
  ])
  const { refresh_token: refreshToken } = tokens.body
  expect((await post(host, '/auth/refresh', { refreshToken })).status).toBe(400)
})

it('ends nothing by a token that is wrong, of somebody else, or used', async () => {
  const { opened, logOut, isLive } = await start()
  await logOut(tokenOf('once', { subject: ada.subject })).expect(200)
  const one = await opened('session 1')
  for (const token of [
    'forged',
    '',
    tokenOf('once', { subject: ada.subject }),
    tokenOf('late', { subject: ada.subject }, -120),
  ])
    await logOut(token).expect(400)
  await logOut(tokenOf('b', { issuer: 'https://evil.example.com', sid: 'session 1' })).expect(200)
  await logOut(tokenOf('c', { subject: 'another' })).expect(200)
  await logOut('outage').expect(503)
  expect(await isLive(one)).toBe(true)
})

it('uses each token once, also of 20 that come at the same moment', async () => {
  const { host, logOut, opened } = await start()
  await opened('session 1')
  const token = tokenOf('burst', { sid: 'session 1' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => logOut(token)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(host.events.filter(({ type }) => type === 'provider.logout')).toHaveLength(1)
})

it('is not there for a provider without logout tokens', async () => {
  const host = await startProviders()
  await post(host, path).type('form').send('logout_token=a').expect(404)
})
