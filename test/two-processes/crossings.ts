// What is done in one process and shows in the other.
import { expect } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { newPassword } from '../accounts/account-host.js'
import { logInAt, resetToken } from '../support/account-steps.js'
import { pkcePair } from '../support/client.js'
import { password } from '../support/host.js'
import { expectEnded, openSocket } from './account-races.js'
import { sessionsOf, startOpened } from './device-races.js'
import type { Servers } from './races.js'

export interface Crossing {
  readonly title: string
  check(servers: Servers): Promise<void>
}

/** Does something so many seconds later, by the clocks of all servers. */
async function later<T>({ all }: Servers, seconds: number, work: () => Promise<T>): Promise<T> {
  const move = (by: number) => Promise.all(all.map(({ call }) => call('clock.advance', by)))
  await move(seconds)
  try {
    return await work()
  } finally {
    await move(-seconds)
  }
}

async function endsByReset({ one, other, addUser }: Servers): Promise<void> {
  const { username, email } = await addUser()
  const authToken = await logInAt(other, username)
  const code = async () => {
    const { codeVerifier, codeChallenge } = pkcePair()
    const { data } = await other.post('/auth/pkce/authorize', { codeChallenge }, authToken)
    return { authorizationCode: data.authorizationCode, codeVerifier }
  }
  const unused = await code()
  const { data: tokens } = await other.post('/auth/pkce/token', await code())
  const { closed } = await openSocket(other, authToken)
  expect((await other.ask('GET', '/me', undefined, tokens.access_token)).status).toBe(200)
  const token = await resetToken(one, username, email)
  await one.post('/auth/password/reset', { token, password: newPassword })
  expect((await other.post('/auth/pkce/token', unused)).status).toBe(400)
  const refreshToken = tokens.refresh_token
  expect((await other.post('/auth/refresh', { refreshToken })).status).toBe(400)
  for (const held of [authToken, tokens.access_token]) await expectEnded(other, held)
  expect(await closed).toBe(4401)
}

async function endsByFactor({ one, other, all, addUser }: Servers): Promise<void> {
  const { username } = await addUser()
  const [mine, theirs] = [await logInAt(one, username), await logInAt(other, username)]
  const begun = await one.post('/auth/totp', { password }, mine)
  const code = totpCode(begun.data.secret, new Date())
  const confirmed = await other.post('/auth/totp/confirm', { code }, mine)
  expect(confirmed.status, confirmed.error).toBe(200)
  expect((await other.ask('GET', '/me', undefined, theirs)).status).toBe(401)
  for (const { ask } of all) expect((await ask('GET', '/me', undefined, mine)).status).toBe(200)
  expect((await one.post('/login', { username, password })).error).toBe('totp-required')
}

async function collectsAgain(servers: Servers): Promise<void> {
  const { one, other } = servers
  const { user, approve, collect, right } = await startOpened(servers)
  expect((await approve(other, right)).status).toBe(200)
  const first = await collect(other)
  expect(first.status, first.error).toBe(200)
  const again = await later(servers, 2, () => collect(one))
  expect(again.data.refreshToken).toBe(first.data.refreshToken)
  expect((await one.ask('GET', '/me', undefined, again.data.authToken)).status).toBe(200)
  expect(await sessionsOf(servers, user, 'login')).toBe(2)
}

export const crossings: readonly Crossing[] = [
  {
    title: 'a reset in one process ends what is signed in through the other',
    check: endsByReset,
  },
  {
    title: 'a second factor that the other process confirms ends all but the confirming session',
    check: endsByFactor,
  },
  {
    title: 'what a device collects, and does not hear, comes again through the other process',
    check: collectsAgain,
  },
]
