import { describe, expect, it } from 'vitest'
import { grounds, openArena } from '../properties/machine/arena.js'
import { bearer, logIn, pkcePair, post, remove } from '../support/client.js'
import { gate } from '../support/gate.js'
import { cheapHasher, startHost, type TestHost } from '../support/host.js'

async function issue(host: TestHost, userId = 'u-alice') {
  const { codeChallenge, codeVerifier } = pkcePair()
  const { authorizationCode } = await host.auth.issueAuthorizationCode({ userId, codeChallenge })
  return { authorizationCode, codeVerifier }
}
const exchange = (host: TestHost, code: object) =>
  post(host, '/auth/pkce/token', code).then((response) => response)
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

describe('a code that the host’s own page obtained', () => {
  it.each(['as it was', 'changed'])(
    'is void once all sessions of its user were ended, the password %s',
    async (password) => {
      const host = await startHost()
      const code = await issue(host)
      if (password === 'changed')
        host.users.change('u-alice', { passwordHash: await cheapHasher.hash('another passphrase') })
      expect(await host.auth.sessions.revokeAllForUser('u-alice')).toBe(0)
      host.clock.advance(50)
      expect(await exchange(host, code)).toMatchObject(invalidGrant)
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
      expect((await exchange(host, await issue(host))).status).toBe(200)
    },
  )

  it('is void once its user has signed out everywhere else', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const code = await issue(host)
    const { body } = await remove(host, '/auth/sessions', bearer(authToken))
    expect(body.data).toEqual({ revoked: 0 })
    expect(await exchange(host, code)).toMatchObject(invalidGrant)
  })

  it('is void at every process, also at one that was started since', async () => {
    const one = await startHost()
    const codes = [await issue(one), await issue(one)]
    const options = { ...one.stores, users: one.users, clock: one.clock }
    const other = await startHost({ options })
    await other.auth.sessions.revokeAllForUser('u-alice')
    const restarted = await startHost({ options })
    for (const [i, host] of [one, restarted].entries())
      expect(await exchange(host, codes[i] ?? {})).toMatchObject(invalidGrant)
  })

  it('stays good when the sessions of others, or one other session of its user, are ended', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob' })
    const { authToken } = await logIn(host)
    const code = await issue(host)
    await host.auth.sessions.revokeAllForUser('u-bob')
    await post(host, '/logout', undefined, bearer(authToken))
    expect((await exchange(host, code)).status).toBe(200)
  })

  it.each(['is decided', 'is stored'])(
    'comes to nothing where its exchange %s while all sessions are ended',
    async (when) => {
      const door = gate()
      const decided = {
        beforeLogin: async ({ door: by }: { door: string }) =>
          void (by === 'code-exchange' && (await door.pass())),
      }
      const host = await startHost(when === 'is decided' ? { options: decided as never } : {})
      const { consume } = host.stores.codes
      const code = await issue(host)
      if (when === 'is stored') {
        host.stores.codes.consume = async (...given) => {
          const result = await consume(...given)
          await door.pass()
          return result
        }
      }
      const arrived = door.shut()
      const exchanging = exchange(host, code)
      await arrived
      await host.auth.sessions.revokeAllForUser('u-alice')
      door.open()
      expect(await exchanging).toMatchObject(invalidGrant)
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
    },
  )

  it('and the end of all sessions, at once: whichever was first, no session is left, 100 times', {
    timeout: 120_000,
  }, async () => {
    const host = await startHost()
    for (let round = 0; round < 100; round += 1) {
      const code = await issue(host)
      await Promise.all([exchange(host, code), host.auth.sessions.revokeAllForUser('u-alice')])
      expect(await host.auth.sessions.list('u-alice')).toEqual([])
    }
  })

  it('is no session: it is in no list, takes nobody’s place, and its end is told of by no event', async () => {
    const host = await startHost({ options: { maxSessionsPerUser: 2 } })
    for (let i = 0; i < 2; i += 1) await logIn(host)
    for (let i = 0; i < 5; i += 1) await issue(host)
    host.clock.advance(1)
    const { authToken } = await logIn(host)
    expect(host.events.filter(({ type }) => type === 'session.ended')).toHaveLength(1)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
    host.events.length = 0
    const { body } = await remove(host, '/auth/sessions', bearer(authToken))
    expect(body.data).toEqual({ revoked: 1 })
    expect(host.events.filter(({ type }) => type === 'session.ended')).toHaveLength(1)
  })

  it('is exchanged in its last millisecond, however slowly, and leaves nothing behind soon after', async () => {
    const host = await startHost()
    const code = await issue(host)
    host.clock.advance(59.999)
    const { consume } = host.stores.codes
    host.stores.codes.consume = async (...given) => {
      const result = await consume(...given)
      host.clock.advance(30)
      return result
    }
    expect((await exchange(host, code)).status).toBe(200)
    host.clock.advance(120)
    expect(await host.stores.sessions.purge(host.clock())).toBe(1)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })

  for (const ground of grounds) {
    it.skipIf(!ground.isReachable)(
      `is void once all sessions were ended, over ${ground.name}`,
      { timeout: 300_000 },
      async () => {
        const arena = await openArena(ground)
        const { userId } = await arena.newcomer()
        const codes = [await issue(arena.host, userId), await issue(arena.host, userId)] as const
        expect((await exchange(arena.host, codes[0])).status).toBe(200)
        expect(await arena.host.auth.sessions.revokeAllForUser(userId)).toBe(1)
        expect(await exchange(arena.host, codes[1])).toMatchObject(invalidGrant)
        expect(await arena.host.auth.sessions.list(userId)).toEqual([])
      },
    )
  }
})
