// docs/passport-strategies.md, its part on SAML: @node-saml/passport-saml, unmodified.
import { totpCode } from 'messaging-auth-router/testing'
import { describe, expect, it } from 'vitest'
import { example } from './support/doc-examples.js'
import {
  entryPoint,
  idpCert,
  idpIssuer,
  requestIdIn,
  type Statement,
  samlResponse,
  spIssuer,
} from './support/fake-saml.js'
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

const { samlSignIn } = await example<{
  samlSignIn: (auth: unknown, settings: object) => never
}>('saml.ts')

async function start(options: PassportHostSettings['options'] = {}) {
  const saml = { entryPoint, idpCert, issuer: spIssuer }
  const host = await startPassportHost({
    options,
    mount({ app, auth, origin, store, findUserId }) {
      app.use(samlSignIn(auth, { saml, origin, secret: sessionSecret, store, findUserId }))
    },
  })
  host.identities.set(`${idpIssuer} saml-alice`, 'u-alice')
  return host
}

/** Begins a sign-in; the id of the request. */
async function begin(host: PassportHost, { get }: Browser): Promise<string> {
  return requestIdIn((await get(`${host.origin}/sign-in/saml`)).location)
}

const bring = (host: PassportHost, { form }: Browser, response: string) =>
  form(`${host.origin}/sign-in/saml/callback`, { SAMLResponse: response })

async function comeBack(host: PassportHost, who: Browser, statement: Statement = {}) {
  return bring(host, who, samlResponse(await begin(host, who), statement))
}

describe('SAML, by the strategy of node-saml', () => {
  it('signs in, passes a guard, signs out', async () => {
    const host = await start()
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
    expect(host.failures).toEqual([])
  })

  it('takes several factors from the context, where the host accepts them', async () => {
    const policy = () => 'required' as const
    for (const acceptHostMfa of [true, false]) {
      const host = await start({ secondFactor: { policy, acceptHostMfa } })
      const alice = browser()
      await comeBack(host, alice, { context: 'https://refeds.org/profile/mfa' })
      const { body } = await finishSignIn(host, alice)
      expect(body.enrolmentRequired).toBe(acceptHostMfa ? undefined : true)
      const used = await useAndSignOut(host, body.token)
      expect(used.methods).toEqual(acceptHostMfa ? ['host', 'mfa'] : undefined)
    }
  })

  it('asks for the user’s own second factor', async () => {
    const host = await start()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const alice = browser()
    await comeBack(host, alice)
    expect((await finishSignIn(host, alice)).body.error).toBe('totp-required')
    const { status } = await finishSignIn(host, alice, { code: totpCode(totpSecret, new Date()) })
    expect(status).toBe(200)
  })

  it('leaves the host’s own express-session alone', async () => {
    const host = await start()
    const alice = browser()
    await alice.get(`${host.origin}/visits`)
    await comeBack(host, alice)
    await finishSignIn(host, alice)
    expect((await alice.get(`${host.origin}/visits`)).body).toEqual({ visits: 2 })
  })
})

describe('what SAML refuses', () => {
  // The signed assertion as it is, and one of the attacker's before it.
  const wrap = (xml: string) => {
    const [assertion = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? []
    const forged = assertion
      .replace(/<ds:Signature|<Signature/, '<x:Gone xmlns:x="x"/>$&')
      .replace(/<Signature[\s\S]*<\/Signature>/, '')
      .replace('saml-mallory', 'saml-alice')
      .replace(/ID="_[^"]*"/, 'ID="_forged"')
    return xml.replace(assertion, forged + assertion)
  }
  const inside = (xml: string) => {
    const [assertion = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? []
    const forged = assertion
      .replace(/<Signature[\s\S]*<\/Signature>/, `<saml:Advice>${assertion}</saml:Advice>`)
      .replace('saml-mallory', 'saml-alice')
      .replace(/ID="_[^"]*"/, 'ID="_forged"')
    return xml.replace(assertion, forged)
  }
  const mallory = { nameId: 'saml-mallory' }
  const forgeries: [string, Statement][] = [
    ['signed with another key', { foreignKey: true }],
    ['signed with nothing', { unsigned: true }],
    ['for another audience', { audience: 'https://another.example.com' }],
    ['that has expired', { ends: -1 }],
    ['that answers another request', { inResponseTo: '_another' }],
    ['that answers no request', { inResponseTo: null }],
    [
      'with another name in it',
      { ...mallory, tamper: (xml) => xml.replace('saml-mallory', 'saml-alice') },
    ],
    ['beside a signed one', { ...mallory, tamper: wrap }],
    ['around a signed one', { ...mallory, tamper: inside }],
    [
      'with an entity in it',
      {
        ...mallory,
        tamper: (xml) =>
          `<!DOCTYPE x [<!ENTITY e "saml-alice">]>${xml.replace('saml-mallory', '&e;')}`,
      },
    ],
  ]

  it.each(forgeries)('an assertion %s', async (_what, statement) => {
    const host = await start()
    const who = browser()
    expect((await comeBack(host, who, statement)).status).toBe(401)
    expect((await finishSignIn(host, who)).status).toBe(401)
    expect([await sessionsOf(host), host.failures]).toEqual([0, []])
    expect((await comeBack(host, who)).status).toBe(303)
  })

  it('reads a comment in a name as part of nothing: the whole name counts', async () => {
    const host = await start()
    host.identities.set(`${idpIssuer} saml-alice.evil`, 'u-bob')
    const statement = {
      nameId: 'saml-alice.evil',
      tamper: (xml: string) => xml.replace('saml-alice.evil', 'saml-alice<!-- -->.evil'),
    }
    const who = browser()
    const { status } = await comeBack(host, who, statement)
    const { body } = await finishSignIn(host, who)
    expect([status === 303 ? 'u-bob' : undefined, body.userId]).not.toContain('u-alice')
  })

  it('an assertion a second time, and one that another browser asked for', async () => {
    const host = await start()
    const alice = browser()
    const response = samlResponse(await begin(host, alice))
    const victim = browser()
    expect((await bring(host, victim, response)).status).toBe(401)
    await begin(host, victim)
    expect((await bring(host, victim, response)).status).toBe(401)
    expect((await bring(host, alice, response)).status).toBe(303)
    expect((await bring(host, alice, response)).status).toBe(401)
    expect((await bring(host, browser(), response)).status).toBe(401)
    expect(host.failures).toEqual([])
  })

  it('odd ways back, none of which is an error of the host', async () => {
    const host = await start()
    const who = browser()
    await begin(host, who)
    for (const odd of ['x', '', 'PHg+', '<a', '\0', Buffer.from('<a/>').toString('base64')])
      expect((await bring(host, who, odd)).status).not.toBe(303)
    for (const name of ['SAMLRequest', 'SAMLResponse']) {
      const url = `${host.origin}/sign-in/saml/callback`
      const logout = Buffer.from('<LogoutRequest ID="x"/>').toString('base64')
      expect((await who.form(url, { [name]: logout })).status).toBe(401)
      expect((await who.form(`${url}?${name}=${encodeURIComponent(logout)}`, {})).status).toBe(401)
    }
    expect((await finishSignIn(host, who)).status).toBe(401)
    expect([await sessionsOf(host), host.failures]).toEqual([0, []])
  })

  it('whom the host does not know, has disabled, or objects to', async () => {
    const beforeLogin = ({ user }: { user: { id: string } }) =>
      user.id === 'u-bob' ? 'Not on Sundays.' : undefined
    const host = await start({ beforeLogin })
    const nameId = 'saml-nobody'
    expect((await comeBack(host, browser(), { nameId })).status).toBe(401)
    const who = browser()
    for (const [userId, status] of [
      ['u-gone', 401],
      ['u-bob', 403],
      ['u-alice', 401],
    ] as const) {
      host.identities.set(`${idpIssuer} ${nameId}`, userId)
      host.users.set('u-alice', { id: 'u-alice', username: 'alice', disabled: true })
      expect((await comeBack(host, who, { nameId })).status).toBe(303)
      expect((await finishSignIn(host, who)).status).toBe(status)
    }
    expect(await sessionsOf(host)).toBe(0)
  })
})
