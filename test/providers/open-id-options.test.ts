import { exportJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/index.js'
import { openIdProvider } from '../../src/providers/providers.js'
import { es256 } from './evil-issuer.js'

const right = {
  id: 'work',
  name: 'Example Ltd',
  issuer: 'https://login.example.com/realms/staff',
  clientId: 'chat',
  clientSecret: 'secret',
}
const privateJwk = await exportJWK(es256.privateKey)
const publicJwk = await exportJWK(es256.publicKey)

/** The options at fault, as the error names them. */
function faultsOf(given: unknown): string[] {
  try {
    openIdProvider(given as typeof right)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(AuthConfigError)
    const { option, others, message } = error as AuthConfigError
    expect(message).not.toContain('hunter2')
    return [option, ...others.map((one) => one.option)].map((name) =>
      name.replace('openIdProvider.', ''),
    )
  }
}

describe('openIdProvider()', () => {
  it('has the members of a provider, and loads nothing before the first sign-in', () => {
    const allowed = () => true
    const logo = { type: 'image/svg+xml', body: '<svg/>' } as const
    const options = { acceptMfa: true, mfaAcr: ['gold'], trustEmail: true, allowed, logo }
    expect(openIdProvider({ ...right, ...options, responseMode: 'form_post' })).toMatchObject({
      id: 'work',
      name: 'Example Ltd',
      responseMode: 'form_post',
      ...options,
    })
    expect(openIdProvider(right)).toMatchObject({ trustEmail: undefined, acceptMfa: undefined })
  })

  const wrong: [string, object, string][] = [
    ['an option that does not exist', { clientID: 'x' }, 'clientID'],
    ['an id with capitals', { id: 'Work' }, 'id'],
    ['an id of 33 characters', { id: 'a'.repeat(33) }, 'id'],
    ['no id', { id: undefined }, 'id'],
    ['a name of 41 characters', { name: 'n'.repeat(41) }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['an issuer over http', { issuer: 'http://login.example.com' }, 'issuer'],
    ['an issuer with a query', { issuer: 'https://login.example.com/?a' }, 'issuer'],
    ['an issuer with a password', { issuer: 'https://a:hunter2@example.com' }, 'issuer'],
    ['an issuer of 256 bytes', { issuer: `https://example.com/${'a'.repeat(236)}` }, 'issuer'],
    ['no address', { issuer: 'example.com' }, 'issuer'],
    ['an inner origin over http', { innerOrigin: 'http://keycloak:8080' }, 'innerOrigin'],
    ['an inner origin with a path', { innerOrigin: 'https://keycloak/realms' }, 'innerOrigin'],
    ['an inner origin that is no web', { innerOrigin: 'file:///etc' }, 'innerOrigin'],
    ['clocks of ten minutes', { clockToleranceSeconds: 600 }, 'clockToleranceSeconds'],
    [
      'the placeholder of Entra',
      { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
      'issuer',
    ],
    [
      'every tenant of Entra',
      { issuer: 'https://login.microsoftonline.com/common/v2.0' },
      'issuer',
    ],
    [
      'every organization of Entra',
      { issuer: 'https://login.microsoftonline.us/organizations/v2.0' },
      'issuer',
    ],
    ['no client id', { clientId: '' }, 'clientId'],
    ['an unknown way to authenticate', { clientAuth: 'client_secret_jwt' }, 'clientAuth'],
    ['a way to authenticate without its key', { clientAuth: 'private_key_jwt' }, 'clientKey'],
    [
      'a way to authenticate without its secret',
      { clientSecret: undefined, clientAuth: 'client_secret_post' },
      'clientSecret',
    ],
    ['a key beside a secret', { clientKey: { ...privateJwk, alg: 'ES256' } }, 'clientKey'],
    [
      'a public key',
      { clientSecret: undefined, clientKey: { ...publicJwk, alg: 'ES256' } },
      'clientKey',
    ],
    ['a key without an algorithm', { clientSecret: undefined, clientKey: privateJwk }, 'clientKey'],
    [
      'a shared key',
      { clientSecret: undefined, clientKey: { kty: 'oct', k: 'AAAA', alg: 'HS256' } },
      'clientKey',
    ],
    ['a scope without openid', { scope: 'email' }, 'scope'],
    ['a prompt that shows nothing', { prompt: 'none' }, 'prompt'],
    ['a switch that is a text', { trustEmail: 'false' }, 'trustEmail'],
    ['a logo of HTML', { logo: { type: 'text/html', body: '' } }, 'logo'],
    ['a response mode of its own', { responseMode: 'fragment' }, 'responseMode'],
    ['a hook that is none', { claims: {} }, 'claims'],
  ]
  it.each(wrong)('refuses %s', (_what, options, name) => {
    expect(faultsOf({ ...right, ...options })).toEqual([name])
  })

  it('names every option at fault at once', () => {
    expect(faultsOf({}).sort()).toEqual(['clientId', 'id', 'issuer', 'name'])
  })

  it('takes one tenant of Entra, a key, and a provider on this machine', () => {
    const tenant = '11111111-2222-3333-4444-555555555555'
    const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`
    expect(faultsOf({ ...right, issuer })).toEqual([])
    const clientKey = { ...privateJwk, alg: 'ES256' }
    expect(faultsOf({ ...right, clientSecret: undefined, clientKey })).toEqual([])
    for (const local of ['http://localhost:8080', 'http://127.0.0.1:1/a', 'http://[::1]:1'])
      expect(faultsOf({ ...right, issuer: local })).toEqual([])
  })

  it('reads nothing from a polluted Object.prototype', () => {
    const polluted = Object.prototype as unknown as Record<string, unknown>
    polluted['trustEmail'] = true
    polluted['acceptMfa'] = true
    polluted['alg'] = 'ES256'
    try {
      const provider = openIdProvider(right)
      expect([Object.hasOwn(provider, 'trustEmail'), provider.trustEmail]).toEqual([
        true,
        undefined,
      ])
      expect(provider.acceptMfa).toBeUndefined()
    } finally {
      for (const name of ['trustEmail', 'acceptMfa', 'alg']) delete polluted[name]
    }
  })
})
