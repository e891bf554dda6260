// Whoever must do something first is let in by no door before it is done: with what was there
// before, with what a sign-in gives, at the routes of the router, of the host, and at sockets.
import { describe, expect, it } from 'vitest'
import { isRefused, openSocket, startAll, thingsOf, tryAll } from '../accounts/held-things.js'
import { bearer, get, post } from '../support/client.js'
import { password } from '../support/host.js'
import { send } from '../support/pages.js'
import { acceptance, both, leftFor, signedIn, startRequired } from './required-host.js'

/** Of each action: how a user comes to owe it. */
const owed = {
  'change-password': (host) => host.users.change('u-alice', { mustChangePassword: true }),
  'verify-address': (host) => host.users.change('u-alice', { emailVerified: false }),
  accept: (host) => host.users.change('u-alice', { accepted: [] }),
} satisfies Record<string, (host: Awaited<ReturnType<typeof startAll>>) => void>

/** These give tokens of a session that opens nothing yet, as a sign-in does. */
const givesTokens = [
  'a refresh token',
  'a code for another device',
  'a code of the host’s',
  'a mailed code',
  'a code by text message',
]

describe.each(Object.keys(owed) as (keyof typeof owed)[])('%s', (action) => {
  const start = async () => {
    const host = await startAll({ acceptance }, { provenAddress: true })
    host.users.change('u-alice', { accepted: both.map((one) => ({ ...one, at: new Date() })) })
    const things = await thingsOf(host)
    return { host, things }
  }

  it('closes everything that was open before', async () => {
    const { host, things } = await start()
    owed[action](host)
    host.clock.advance(6)
    const statuses = Object.entries(await tryAll(things))
    const open = statuses.filter((one) => !isRefused(one)).map(([name]) => name)
    // A mailed code goes to a proven address alone.
    expect(givesTokens).toEqual(expect.arrayContaining(open))
  })

  it('closes the doors of a new sign-in', async () => {
    const { host } = await start()
    owed[action](host)
    const alice = await signedIn(host)
    expect(alice.required).toEqual([action])
    for (const path of ['/me', '/auth/sessions', '/auth/access-tokens', '/auth/consents'])
      expect((await alice.get(path)).status, path).toBe(403)
    const pkce = { codeChallenge: 'x'.repeat(43) }
    for (const [path, body] of [
      ['/auth/pkce/authorize', pkce],
      ['/auth/socket-ticket', undefined],
      ['/auth/access-tokens', { name: 'bot' }],
    ] as const)
      expect((await post(host, path, body, bearer(alice.authToken))).status, path).toBe(403)
    expect((await send(host, 'GET', '/api', bearer(alice.authToken))).status).toBe(403)
    await expect(openSocket(host, alice.authToken)).rejects.toThrow(/403/)
  })

  it('is closed to a member of the staff who acts for the user', async () => {
    const { host } = await start()
    owed[action](host)
    const actor = { id: 'support:bob', reason: 'Ticket 1' }
    const { token } = await host.auth.sessions.open({ userId: 'u-alice', actor, lifetime: 600 })
    // Support sees what the user would see, and does nothing in the user's place.
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    const sent = { documents: both }
    expect((await post(host, '/auth/acceptance', sent, bearer(token))).status).toBe(403)
  })
})

describe('the order', () => {
  it('opens only what comes next', async () => {
    const host = await startRequired()
    const alice = await signedIn(host)
    const closed = [
      ['POST', '/auth/email/verify'],
      ['POST', '/auth/email/change'],
      ['POST', '/auth/totp'],
      ['GET', '/auth/totp'],
      ['GET', '/auth/acceptance'],
      ['POST', '/auth/acceptance'],
    ] as const
    for (const [method, path] of closed) {
      const { status, body } = await (method === 'GET' ? alice.get(path) : alice.post(path))
      expect([path, status, body.error]).toEqual([path, 403, 'action-required'])
    }
  })

  it('lets the user sign out at any time', async () => {
    const host = await startRequired()
    const alice = await signedIn(host)
    expect((await alice.post('/logout')).status).toBe(200)
    expect((await alice.get('/me')).status).toBe(401)
  })

  it('is not gone around by a polluted prototype', async () => {
    const host = await startRequired()
    const pollute = (value: object) => Object.assign(Object.prototype, value)
    try {
      pollute({ mustChangePassword: false, passwordUntil: null, actorId: 'u-bob' })
      expect(await leftFor(await signedIn(host))).toHaveLength(4)
    } finally {
      for (const name of ['mustChangePassword', 'passwordUntil', 'actorId'])
        Reflect.deleteProperty(Object.prototype, name)
    }
  })
})

it('a session of another user accepts nothing for this one', async () => {
  const host = await startAll({ acceptance })
  host.users.add({
    id: 'u-bob',
    username: 'bob',
    passwordHash: host.users.rows.get('u-alice')?.passwordHash ?? null,
  })
  const bob = await signedIn(host, { username: 'bob', password })
  await bob.post('/auth/acceptance', { documents: both })
  expect((await signedIn(host)).required).toEqual(['accept'])
})
