// A reset ends what a thief of the old password has: through every door, also what is under way.
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { password } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { codeFor, phone, sendAs, signInTo } from '../support/oauth-apps.js'
import { send, signInByPage } from '../support/pages.js'
import { type AccountHost, newPassword, reset, tokenFor } from './account-host.js'
import { isRefused, openSocket, startAll, thingsOf, tryAll } from './held-things.js'

describe('after a reset', () => {
  it('nothing of before opens anything, and sockets are closed with 4401', async () => {
    const host = await startAll()
    const token = await tokenFor(host)
    const things = await thingsOf(host)
    const { closed } = await openSocket(host, (await logIn(host)).authToken)
    await reset(host, token).expect(200)
    expect(await closed).toBe(4401)
    const statuses = Object.entries(await tryAll(things))
    expect(statuses.filter((one) => !isRefused(one))).toEqual([])
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  // Otherwise the test above would prove nothing.
  it('without it, all of that opens something', async () => {
    const host = await startAll()
    const things = await thingsOf(host)
    const statuses = Object.entries(await tryAll(things))
    expect(statuses.filter(isRefused)).toEqual([])
  })

  it('a veto of the host is not asked for, and lets nobody in either', async () => {
    const doors: string[] = []
    const host = await startAll({
      beforeLogin: ({ door }) => {
        doors.push(door)
        return 'not today'
      },
    })
    await reset(host, await tokenFor(host)).expect(200)
    expect(doors).toEqual([])
    await post(host, '/login', { username: 'alice', password: newPassword }).expect(403)
  })
})

/** Doors through which somebody with the old password, or what it has opened, gets a session. */
const doors: Record<string, (host: AccountHost) => Promise<() => PromiseLike<{ status: number }>>> =
  {
    'a login': async (host) => () => post(host, '/login', { username: 'alice', password }),
    'a code for another device': async (host) => {
      const code = await obtainCode(host, (await logIn(host)).authToken)
      return () => post(host, '/auth/pkce/token', code)
    },
    'a cookie': async (host) => () =>
      send(
        host,
        'POST',
        '/sign-in',
        { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://chat.example.com' },
        { username: 'alice', password },
      ),
    'a code for an app': async (host) => {
      const code = await codeFor(host, (await signInByPage(host)).Cookie, phone)
      return () => sendAs(host, phone, '/oauth/token', code)
    },
    'a named token': async (host) => {
      const { authToken } = await logIn(host)
      return () => post(host, '/auth/access-tokens', { name: 'bot', password }, bearer(authToken))
    },
  }

describe('a reset while the old password opens', () => {
  it.each(Object.keys(doors))(
    '%s, and its session is about to be stored: it is over',
    async (name) => {
      const host = await startAll()
      const token = await tokenFor(host)
      const ask = await (doors[name] as (typeof doors)[string])(host)
      const door = gate()
      const { sessions } = host.stores
      const create = sessions.create
      sessions.create = async (session) => {
        await door.pass()
        await create(session)
      }
      const arrived = door.shut()
      const answer = Promise.resolve(ask())
      await arrived
      await reset(host, token).expect(200)
      door.open()
      const { status } = await answer
      expect([400, 401, 503]).toContain(status)
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
    },
  )

  it('a login that waits for the host’s beforeLogin: it is refused', async () => {
    const door = gate()
    const host = await startAll({ beforeLogin: async () => void (await door.pass()) })
    const token = await tokenFor(host)
    const arrived = door.shut()
    const answer = post(host, '/login', { username: 'alice', password }).then((one) => one)
    await arrived
    await reset(host, token).expect(200)
    door.open()
    expect((await answer).status).toBe(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('the next pair of tokens: neither of them opens anything', async () => {
    const host = await startAll()
    const token = await tokenFor(host)
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const app = await signInTo(host, phone)
    const door = gate()
    const { sessions } = host.stores
    const rotate = sessions.rotateRefresh
    let waiting = 0
    let bothWait = () => {}
    const both = new Promise<void>((resolve) => {
      bothWait = resolve
    })
    sessions.rotateRefresh = async (...given) => {
      waiting += 1
      if (waiting === 2) bothWait()
      await door.pass()
      return rotate(...given)
    }
    void door.shut()
    const refreshToken = body.refresh_token
    const form = { grant_type: 'refresh_token', refresh_token: app.refresh_token }
    const answers = Promise.all([
      post(host, '/auth/refresh', { refreshToken }),
      sendAs(host, phone, '/oauth/token', form),
    ])
    await both
    await reset(host, token).expect(200)
    door.open()
    expect((await answers).map(({ status }) => status)).toEqual([400, 400])
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('everything at once, fifty times: nothing is left of it', async () => {
    const host = await startAll({ maxSessionsPerUser: 500 })
    const token = await tokenFor(host)
    // One after the other: more than 25 sign-ins of one name at once are refused.
    const asks: Awaited<ReturnType<(typeof doors)[string]>>[] = []
    for (let round = 0; round < 10; round += 1)
      for (const open of Object.values(doors)) asks.push(await open(host))
    const all = asks.map((ask) => Promise.resolve(ask()))
    all.splice(25, 0, Promise.resolve(reset(host, token)))
    await Promise.all(all)
    // The old password of those that came after the reset was a guess.
    await host.auth.unlockLogin({ kind: 'username', value: 'alice' }, { ip: '127.0.0.1' })
    await logIn(host, { username: 'alice', password: newPassword })
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })
})

describe('named tokens with accessTokensSurvivePasswordChange', () => {
  it('survive a reset and a change, but neither an undo nor the end of everything', async () => {
    const host = await startAll({ accessTokensSurvivePasswordChange: true })
    const { authToken } = await logIn(host)
    const { token: bot } = await makeToken(host, authToken)
    const me = () => get(host, '/me', bearer(bot)).then(({ status }) => status)
    await reset(host, await tokenFor(host)).expect(200)
    expect(await me()).toBe(200)
    await get(host, '/me', bearer(authToken)).expect(401)
    const { authToken: next } = await logIn(host, { username: 'alice', password: newPassword })
    const changed = { newPassword: `${newPassword} again`, password: newPassword }
    await post(host, '/auth/password/change', changed, bearer(next)).expect(200)
    expect(await me()).toBe(200)
    await host.auth.accounts.endEverything('u-alice')
    expect(await me()).toBe(401)
  })

  it('make no session that a reset has ended: a token that is under way ends with its maker', async () => {
    const host = await startAll({ accessTokensSurvivePasswordChange: true })
    const token = await tokenFor(host)
    const { authToken } = await logIn(host)
    const door = gate()
    const { sessions } = host.stores
    const create = sessions.create
    sessions.create = async (session) => {
      await door.pass()
      await create(session)
    }
    const arrived = door.shut()
    const making = post(host, '/auth/access-tokens', { name: 'bot', password }, bearer(authToken))
    const answer = making.then(({ status }) => status)
    await arrived
    await reset(host, token).expect(200)
    door.open()
    expect(await answer).toBe(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })
})
