import { describe, expect, it } from 'vitest'
import { newPasskey } from './authenticator.js'
import { startPasskeys } from './passkey-host.js'

describe('a passkey', () => {
  it.each([-7, -8, -257] as const)('of algorithm %i is added, and signs in', async (algorithm) => {
    const host = await startPasskeys()
    const { passkey, added } = await host.add(await host.logIn(), newPasskey({ algorithm }))
    expect(added).toMatchObject({
      status: 200,
      data: {
        passkey: {
          id: passkey.id,
          name: 'Phone',
          createdAt: host.clock().toISOString(),
          lastUsedAt: null,
          synced: true,
          backedUp: true,
          transports: ['internal', 'hybrid'],
          model: '07070707-0707-0707-0707-070707070707',
          suspectedCloneAt: null,
        },
      },
    })
    const { status, data } = await host.signIn(passkey)
    expect({ status, data }).toMatchObject({
      status: 200,
      data: {
        userId: 'u-alice',
        me: { _id: 'u-alice', username: 'alice' },
        passkeys: {
          rpId: 'chat.example.com',
          userHandle: passkey.userHandle,
          credentialIds: [passkey.id],
        },
      },
    })
    expect((await host.ask('GET', '/me', undefined, data.authToken)).status).toBe(200)
    // Of one moment they come in any order.
    const methods = (await host.sessionsOf()).map((session) => session.methods.join(' '))
    expect(methods.sort()).toEqual(['passkey', 'pwd passkey'])
    expect(host.events.at(-1)).toMatchObject({ type: 'login.succeeded', methods: ['passkey'] })
  })

  it('gets refreshable tokens where they are asked for', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    const { data } = await host.signIn(passkey, {}, { tokens: 'refreshable' })
    expect(data).toMatchObject({ refreshToken: expect.any(String), expiresIn: expect.any(Number) })
    const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.status).toBe(200)
  })

  it('is both factors: TOTP is not asked after it, nor is enrolment', async () => {
    const host = await startPasskeys({ options: { secondFactor: { policy: () => 'required' } } })
    const { passkey, added } = await host.add(await host.logIn())
    expect(added.status).toBe(200)
    const { data } = await host.signIn(passkey)
    expect(data).not.toHaveProperty('enrolmentRequired')
    expect((await host.ask('GET', '/me', undefined, data.authToken)).status).toBe(200)
    await host.importTotp()
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('asks no store for options, which are of one shape for everybody', async () => {
    const calls: string[] = []
    const host = await startPasskeys({
      store: (store) =>
        new Proxy(store, {
          get(target, name) {
            calls.push(String(name))
            return Reflect.get(target, name)
          },
        }),
    })
    calls.length = 0
    const answers = await Promise.all([1, 2].map(() => host.post('/auth/passkey/options')))
    for (const { status, data } of answers) {
      expect(status).toBe(200)
      expect(data).toEqual({
        challenge: expect.stringMatching(/^[\w-]{100,120}$/),
        rpId: 'chat.example.com',
        timeout: 300_000,
        userVerification: 'required',
      })
    }
    expect(answers[0]?.data.challenge).not.toBe(answers[1]?.data.challenge)
    expect(calls).toEqual([])
  })

  it('works where it has no counter, and moves one that it has', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token, newPasskey({ flags: { be: false, bs: false } }))
    for (const counter of [0, 0, 1, 7, 4_294_967_295])
      expect((await host.signIn(passkey, { counter })).status).toBe(200)
    expect(await host.store.find(passkey.id)).toMatchObject({
      counter: 4_294_967_295,
      lastUsedAt: host.clock(),
    })
  })

  it('with an id of 1023 bytes works, as the standard allows', async () => {
    const host = await startPasskeys()
    const { passkey, added } = await host.add(await host.logIn(), newPasskey({ idBytes: 1023 }))
    expect(added.status).toBe(200)
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('of a user without a password is a whole sign-in', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    host.users.change('u-alice', { passwordHash: null })
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('says so where its backup state has changed', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn(), newPasskey({ flags: { bs: false } }))
    expect((await host.signIn(passkey, { flags: { bs: true } })).status).toBe(200)
    expect(host.typesOf()).toContain('passkey.backup-changed')
    expect(await host.store.find(passkey.id)).toMatchObject({ backedUp: true })
  })
})
