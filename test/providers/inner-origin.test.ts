// A provider that browsers reach at one address, and this server at another, as in a network of
// containers.
import { describe, expect, it } from 'vitest'
import { callbackUrl, identified, providerAt, signIn, startIssuer, state } from './evil-issuer.js'

const outer = 'https://login.example.com'

/** A provider that calls itself by its outer address, or says what the test wants. */
async function startInside(path = '/realms/staff') {
  const issuer = await startIssuer(path)
  const innerOrigin = new URL(issuer.issuer).origin
  const named = `${outer}${path}`
  const at = (origin: string) => ({
    issuer: named,
    authorization_endpoint: `${outer}${path}/authorize`,
    token_endpoint: `${origin}${path}/token`,
    userinfo_endpoint: `${origin}${path}/userinfo`,
    jwks_uri: `${origin}${path}/jwks`,
  })
  issuer.lies.claims = { iss: named, email: 'alice@example.com', email_verified: true }
  const provider = (options: object = {}) =>
    providerAt({ issuer: named }, { innerOrigin, userinfo: true, ...options })
  return { issuer, innerOrigin, named, at, provider }
}

describe('a provider with an inner origin', () => {
  it.each(['outer', 'inner'])(
    'is asked there, and browsers go outside: %s names',
    async (which) => {
      const { issuer, innerOrigin, named, at, provider } = await startInside()
      issuer.lies.metadata = at(which === 'outer' ? outer : innerOrigin)
      const work = provider()
      const { url } = await work.start({ state, callbackUrl })
      expect(url.startsWith(`${named}/authorize?`)).toBe(true)
      expect(await identified(signIn(work, issuer))).toMatchObject({
        issuer: named,
        subject: 'alice-1',
        emailVerified: true,
      })
      expect(new Set(issuer.asked.requests)).toEqual(
        new Set(['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo']),
      )
    },
  )

  it('sends browsers nowhere else, though its document names the inner address', async () => {
    const { issuer, innerOrigin, named, at, provider } = await startInside()
    const authorization_endpoint = `${innerOrigin}/realms/staff/authorize`
    issuer.lies.metadata = { ...at(innerOrigin), authorization_endpoint }
    const { url } = await provider().start({ state, callbackUrl })
    expect(url.startsWith(`${named}/authorize?`)).toBe(true)
  })

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['the inner address as issuer', { issuer: 'http://127.0.0.1:1/realms/staff' }],
    ['a token endpoint over http elsewhere', { token_endpoint: 'http://evil.example/token' }],
    ['keys over http elsewhere', { jwks_uri: 'http://127.0.0.2/jwks' }],
    ['an origin that only begins alike', { token_endpoint: 'http://127.0.0.1.evil.example/' }],
  ])('is not believed: %s', async (_what, lie) => {
    const { issuer, at, provider } = await startInside()
    issuer.lies.metadata = { ...at(outer), ...lie }
    await expect(provider().start({ state, callbackUrl })).rejects.toThrow()
    expect(issuer.asked.requests).not.toContain('/token')
  })

  it('may be over http where the host says so, and is then asked over http', async () => {
    const { issuer, at, provider } = await startInside()
    issuer.lies.metadata = at(outer)
    const { port } = new URL(issuer.issuer)
    // A name of this machine that is none of loopback to the rule.
    const innerOrigin = `http://[::ffff:127.0.0.1]:${port}`
    expect(() => provider({ innerOrigin: new URL(innerOrigin).origin })).toThrow(/innerOrigin/)
    const work = provider({
      innerOrigin: new URL(innerOrigin).origin,
      dangerouslyAllowInnerHttp: true,
    })
    expect((await identified(signIn(work, issuer))).subject).toBe('alice-1')
  })
})

describe('clocks that are apart', () => {
  it.each([
    [20, {}, 'identified'],
    [90, {}, 'refused'],
    [90, { clockToleranceSeconds: 120 }, 'identified'],
    [130, { clockToleranceSeconds: 120 }, 'refused'],
    [5, { clockToleranceSeconds: 0 }, 'refused'],
  ])('by %i seconds, with %j: %s', async (seconds, options, outcome) => {
    const issuer = await startIssuer()
    const now = Math.floor(Date.now() / 1000)
    for (const by of [seconds, -seconds - 300]) {
      issuer.lies.claims = { iat: now + by, exp: now + by + 300 }
      expect((await signIn(providerAt(issuer, options), issuer)).outcome).toBe(outcome)
    }
  })
})
