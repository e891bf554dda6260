// docs/passport-strategies.md, its part on OpenID Connect: openid-client's strategy, unmodified.

import { totpCode } from 'messaging-auth-router/testing'
import { allowInsecureRequests, discovery } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { example } from './support/doc-examples.js'
import { clientId, clientSecret, type Lies, startProvider } from './support/fake-oidc.js'
import {
  type Browser,
  browser,
  finishSignIn,
  type PassportHost,
  type PassportHostSettings,
  sessionSecret,
  sessionsOf,
  startPassportHost,
  totpSecret,
  useAndSignOut,
} from './support/passport-host.js'

const { oidcSignIn } = await example<{
  oidcSignIn: (auth: unknown, settings: object) => never
}>('oidc.ts')

async function start(options: PassportHostSettings['options'] = {}) {
  const provider = await startProvider()
  const host = await startPassportHost({
    options,
    async mount({ app, auth, origin, store, findUserId }) {
      const config = await discovery(new URL(provider.issuer), clientId, clientSecret, undefined, {
        execute: [allowInsecureRequests],
      })
      app.use(oidcSignIn(auth, { config, origin, secret: sessionSecret, store, findUserId }))
    },
  })
  host.identities.set(`${provider.issuer} google-alice`, 'u-alice')
  return { host, provider }
}

/** To the provider and back to the door; what the way back is. */
async function goThere(host: PassportHost, { get }: Browser): Promise<string> {
  const away = await get(`${host.origin}/sign-in/oidc`)
  return (await get(away.location ?? '')).location ?? ''
}

async function comeBack(host: PassportHost, who: Browser) {
  return who.get(await goThere(host, who))
}

describe('OpenID Connect, by the strategy of openid-client', () => {
  it('signs in, passes a guard, signs out', async () => {
    const { host } = await start()
    const alice = browser()
    expect(await comeBack(host, alice)).toMatchObject({
      status: 303,
      location: `${host.origin}/signed-in`,
    })
    const { status, body } = await finishSignIn(host, alice)
    expect([status, body.userId]).toEqual([200, 'u-alice'])
    expect(await useAndSignOut(host, body.token)).toEqual({
      userId: 'u-alice',
      methods: ['host'],
      statuses: [200, 401],
    })
    expect((await finishSignIn(host, alice)).status).toBe(401)
    expect(host.failures).toEqual([])
  })

  it('asks with PKCE, and takes several factors from amr, where the host accepts them', async () => {
    const policy = () => 'required' as const
    for (const acceptHostMfa of [true, false]) {
      const { host, provider } = await start({ secondFactor: { policy, acceptHostMfa } })
      provider.state.lies = { claims: { amr: ['pwd', 'mfa'] } }
      const alice = browser()
      await comeBack(host, alice)
      const { body } = await finishSignIn(host, alice)
      expect(body.enrolmentRequired).toBe(acceptHostMfa ? undefined : true)
      expect(provider.state.asked[0]?.searchParams.get('code_challenge_method')).toBe('S256')
      const used = await useAndSignOut(host, body.token)
      expect(used.methods).toEqual(acceptHostMfa ? ['host', 'mfa'] : undefined)
    }
  })

  it('asks for the user’s own second factor, and keeps who it was until the code is right', async () => {
    const { host } = await start()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const alice = browser()
    await comeBack(host, alice)
    expect(await finishSignIn(host, alice)).toMatchObject({
      status: 401,
      body: { error: 'totp-required' },
    })
    const wrong = await finishSignIn(host, alice, { code: '000000' })
    expect(wrong).toMatchObject({ status: 401, body: { error: 'totp-invalid' } })
    expect((await finishSignIn(host, alice, { code: { $ne: '' } })).status).toBe(400)
    const { status } = await finishSignIn(host, alice, { code: totpCode(totpSecret, new Date()) })
    expect(status).toBe(200)
  })

  it('leaves the host’s own express-session alone, and its cookie opens nothing', async () => {
    const { host } = await start()
    const alice = browser()
    await alice.get(`${host.origin}/visits`)
    const own = alice.jar.get('host')
    await comeBack(host, alice)
    const cookie = `sign-in=${alice.jar.get('sign-in')}`
    expect((await alice.get(`${host.origin}/guarded`)).status).toBe(401)
    await finishSignIn(host, alice)
    expect((await alice.get(`${host.origin}/visits`)).body).toEqual({ visits: 2 })
    expect(alice.jar.get('host')).toBe(own)
    const stolen = { cookie, Authorization: `Bearer ${alice.jar.get('sign-in')}` }
    expect((await browser().get(`${host.origin}/guarded`, stolen)).status).toBe(401)
    expect((await browser().post(`${host.origin}/sign-in/finish`, {}, { cookie })).status).toBe(401)
  })
})

describe('what OpenID Connect refuses', () => {
  const hour = Math.floor(Date.now() / 1000) + 3600
  const lies: [string, Lies][] = [
    ['of another audience', { claims: { aud: 'another-client' } }],
    ['of several audiences, for another party', { claims: { aud: [clientId, 'x'], azp: 'x' } }],
    ['with a nonce that was not asked for', { claims: { nonce: 'of another sign-in' } }],
    ['of another issuer', { claims: { iss: 'https://accounts.example.com' } }],
    ['that has expired', { claims: { exp: hour - 7200 } }],
    ['of tomorrow', { claims: { nbf: hour, iat: hour } }],
    ['without a subject', { claims: { sub: undefined as never } }],
    ['signed with another key', { foreignKey: true }],
    ['signed with nothing', { unsigned: true }],
  ]

  it.each(lies)('an ID token %s', async (_what, lie) => {
    const { host, provider } = await start()
    provider.state.lies = lie
    const alice = browser()
    expect(await comeBack(host, alice)).toMatchObject({ status: 401 })
    expect((await finishSignIn(host, alice)).status).toBe(401)
    expect([await sessionsOf(host), host.failures]).toEqual([0, []])
    provider.state.lies = {}
    await comeBack(host, alice)
    expect((await finishSignIn(host, alice)).status).toBe(200)
  })

  it('a way back that began in another browser, or was gone before', async () => {
    const { host, provider } = await start()
    host.identities.set(`${provider.issuer} google-mallory`, 'u-bob')
    provider.state.subject = 'google-mallory'
    const mallory = browser()
    const back = await goThere(host, mallory)
    const victim = browser()
    expect((await victim.get(back)).status).toBe(401)
    await goThere(host, victim)
    expect((await victim.get(back)).status).toBe(401)
    expect((await finishSignIn(host, victim)).status).toBe(401)
    const own = await goThere(host, victim)
    expect((await victim.get(own)).status).toBe(303)
    expect((await victim.get(own)).status).toBe(401)
    expect(host.failures).toEqual([])
  })

  it('odd ways back, none of which is an error of the host', async () => {
    const { host } = await start()
    for (const query of ['code=x', 'error=access_denied', 'error=x&code=y', 'code=x&code=y']) {
      const who = browser()
      expect((await who.get(`${host.origin}/sign-in/oidc/callback?${query}`)).status).toBe(401)
      await goThere(host, who)
      expect((await who.get(`${host.origin}/sign-in/oidc/callback?${query}`)).status).toBe(401)
      expect((await finishSignIn(host, who)).status).toBe(401)
    }
    expect(host.failures).toEqual([])
  })

  it('a browser whose cookie somebody else has planted', async () => {
    const { host } = await start()
    const mallory = browser()
    await mallory.get(`${host.origin}/sign-in/oidc`)
    const victim = browser()
    victim.jar.set('sign-in', mallory.jar.get('sign-in') ?? '')
    expect((await comeBack(host, victim)).status).toBe(303)
    expect((await finishSignIn(host, mallory)).status).toBe(401)
    expect((await finishSignIn(host, victim)).status).toBe(200)
  })

  it('a form of another site that asks for the token', async () => {
    const { host } = await start()
    const alice = browser()
    await comeBack(host, alice)
    expect((await alice.form(`${host.origin}/sign-in/finish`, {})).status).toBe(401)
    expect(await sessionsOf(host)).toBe(0)
  })

  it('whom the host does not know, has disabled, or objects to', async () => {
    const beforeLogin = ({ door, user }: { door: string; user: { id: string } }) =>
      user.id === 'u-bob' ? `Not by the door ${door}.` : undefined
    const { host, provider } = await start({ beforeLogin })
    provider.state.subject = 'google-nobody'
    expect((await comeBack(host, browser())).status).toBe(401)

    host.identities.set(`${provider.issuer} google-nobody`, 'u-gone')
    const gone = browser()
    expect((await comeBack(host, gone)).status).toBe(303)
    expect((await finishSignIn(host, gone)).body).toMatchObject({ error: 'Unauthorized' })

    host.identities.set(`${provider.issuer} google-nobody`, 'u-alice')
    const alice = browser()
    await comeBack(host, alice)
    host.users.set('u-alice', { id: 'u-alice', username: 'alice', disabled: true })
    expect((await finishSignIn(host, alice)).status).toBe(401)

    host.identities.set(`${provider.issuer} google-nobody`, 'u-bob')
    const bob = browser()
    await comeBack(host, bob)
    expect(await finishSignIn(host, bob)).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: 'Not by the door host.' },
    })
    const refusals = host.events.filter(({ type }) => type === 'session.refused')
    expect(refusals).toMatchObject([
      { reason: 'unknown-user' },
      { reason: 'disabled' },
      { reason: 'vetoed' },
    ])
    expect(await sessionsOf(host)).toBe(0)
  })

  it('nobody, but says so with 503, while the provider or the host’s table is down', async () => {
    const { host, provider } = await start()
    provider.state.lies = { down: true }
    expect((await comeBack(host, browser())).status).toBe(503)
    provider.state.lies = {}
    host.identities.get = () => {
      throw new Error('the table is away')
    }
    expect((await comeBack(host, browser())).status).toBe(503)
    expect(host.failures).toHaveLength(2)
  })
})
