import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { exportSPKI, type JWTPayload } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import {
  clientId,
  clientSecret,
  es256,
  foreign,
  identified,
  type Lies,
  providerAt,
  sign,
  signIn,
  startIssuer,
  state,
} from './evil-issuer.js'

const now = () => Math.floor(Date.now() / 1000)
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const text = (value: string) => new TextEncoder().encode(value)
const spki = await exportSPKI(es256.publicKey)
const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
const smallJwk = {
  ...createPublicKey(small.publicKey.export({ type: 'spki', format: 'pem' })).export({
    format: 'jwk',
  }),
  kid: 'small',
  alg: 'RS256',
}

/** The right claims without one of them. */
const without = (name: string) => (claims: JWTPayload) => {
  const { [name]: _gone, ...others } = claims
  return sign(others)
}

describe('an ID token that is refused', () => {
  const forged: [string, Lies, string?][] = [
    ['signed with nothing', { idToken: (claims) => `${part({ alg: 'none' })}.${part(claims)}.` }],
    [
      'of alg none, with a signature',
      { idToken: (claims) => `${part({ alg: 'none' })}.${part(claims)}.AAAA` },
    ],
    [
      'signed with the client secret',
      { idToken: (claims) => sign(claims, { alg: 'HS256' }, text(clientSecret.padEnd(32, '='))) },
    ],
    [
      'signed with the public key as a secret',
      { idToken: (claims) => sign(claims, { alg: 'HS256' }, text(spki)) },
    ],
    ['signed by a foreign key', { idToken: (claims) => sign(claims, {}, foreign.privateKey) }],
    [
      'that brings its own key',
      {
        idToken: async (claims) => {
          const { exportJWK } = await import('jose')
          const jwk = await exportJWK(foreign.publicKey)
          return sign(claims, { jwk } as object, foreign.privateKey)
        },
      },
    ],
    ['of an unknown key', { idToken: (claims) => sign(claims, { kid: 'nobody' }) }],
    ['of a key of another algorithm', { idToken: (claims) => sign(claims, { kid: 'rs' }) }],
    [
      'whose algorithm is not announced',
      { metadata: { id_token_signing_alg_values_supported: ['RS256'] } },
    ],
    [
      'with a signature that is cut',
      { idToken: async (claims) => (await sign(claims)).slice(0, -4) },
    ],
    [
      'with other claims than were signed',
      {
        idToken: async (claims) => {
          const [header, , signature] = (await sign(claims)).split('.')
          return `${header}.${part({ ...claims, sub: 'mallory' })}.${signature}`
        },
      },
    ],
    [
      'with an extension that must be understood',
      { idToken: (claims) => sign(claims, { crit: ['b64'], b64: true } as object) },
    ],
    ['for another audience', { claims: { aud: 'another' } }],
    ['for nobody', { claims: { aud: [] } }],
    ['without an audience', { idToken: without('aud') }],
    ['for several, without a party', { claims: { aud: [clientId, 'another'] } }],
    ['for several and another party', { claims: { aud: [clientId, 'x'], azp: 'x' } }],
    ['for us and another party', { claims: { azp: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://accounts.example.com' } }],
    ['without an issuer', { idToken: without('iss') }],
    ['that has expired', { claims: { exp: now() - 60 } }],
    ['that never expires', { idToken: without('exp') }],
    ['whose end is a text', { claims: { exp: 'never' as never } }],
    ['of the future', { claims: { iat: now() + 60 } }],
    ['of no time', { idToken: without('iat') }],
    ['that is not valid yet', { claims: { nbf: now() + 60 } }],
    ['without a nonce', { idToken: without('nonce') }],
    ['with the nonce of another flow', { claims: { nonce: 'N'.repeat(43) } }],
    ['whose nonce is a list', { claims: { nonce: [''] as never } }],
    ['without a subject', { idToken: without('sub') }],
    ['with an empty subject', { claims: { sub: '' } }, 'subject'],
    ['with a subject of 256 characters', { claims: { sub: 'a'.repeat(256) } }, 'subject'],
    ['with a subject of 256 bytes', { claims: { sub: 'é'.repeat(128) } }, 'subject'],
    ['with a number as a subject', { claims: { sub: 17 as never } }],
    ['with a list as a subject', { claims: { sub: ['alice-1'] as never } }],
    ['with a zero byte in the subject', { claims: { sub: 'alice-1\0' } }, 'subject'],
    ['that is not there', { token: { id_token: undefined } }],
    ['that is not a text', { token: { id_token: {} } }],
    ['that is no token', { token: { id_token: 'a.b.c' } }],
    ['that is encrypted', { token: { id_token: 'e30.a.b.c.d' } }],
  ]

  it.each(forged)('%s', async (_what, lies, reason = 'id-token') => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    Object.assign(issuer.lies, lies)
    expect(await signIn(provider, issuer)).toEqual({ outcome: 'refused', reason })
    for (const name of Object.keys(lies)) delete issuer.lies[name as keyof Lies]
    if (lies.metadata === undefined) await identified(signIn(provider, issuer))
  })

  it('one whose age at the provider is not proven, where a flow asks for it', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    const start = { maxAge: 60 }
    for (const claims of [{}, { auth_time: now() - 100 }, { auth_time: 'now' }]) {
      issuer.lies.claims = claims
      expect((await signIn(provider, issuer, { start })).outcome).toBe('refused')
    }
    issuer.lies.claims = { auth_time: now() - 80 }
    await identified(signIn(provider, issuer, { start }))
  })

  it('is signed with a key of 1024 bits: an outage, since the provider is broken', async () => {
    const issuer = await startIssuer()
    issuer.lies.keys = [smallJwk]
    issuer.lies.idToken = (claims) =>
      `${part({ alg: 'RS256', kid: 'small' })}.${part(claims)}.${'A'.repeat(171)}`
    await expect(signIn(providerAt(issuer), issuer)).rejects.toThrow()
  })

  it('clocks may differ by thirty seconds, and by no more', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    for (const [shift, outcome] of [
      [25, 'identified'],
      [40, 'refused'],
    ] as const) {
      issuer.lies.claims = { iat: now() + shift }
      expect((await signIn(provider, issuer)).outcome).toBe(outcome)
      issuer.lies.claims = { exp: now() - shift }
      expect((await signIn(provider, issuer)).outcome).toBe(outcome)
    }
  })
})

describe('an address that is not proven', () => {
  it.each([
    ['"yes"', 'yes'],
    ['"TRUE"', 'TRUE'],
    ['1', 1],
    ['missing', undefined],
    ['{}', {}],
    ['[true]', [true]],
  ])('email_verified is %s', async (_what, email_verified) => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'alice@example.com', email_verified }
    const identity = await identified(signIn(providerAt(issuer), issuer))
    expect(identity).toMatchObject({ email: 'alice@example.com', emailVerified: false })
  })

  it('what is no address, or too long for one, is left out with its proof', async () => {
    const issuer = await startIssuer()
    for (const email of [7, '', 'a'.repeat(255), 'a\nb@example.com', ['a@example.com']]) {
      issuer.lies.claims = { email, email_verified: true, name: 'n'.repeat(256), sid: 's\0' }
      expect(await identified(signIn(providerAt(issuer), issuer))).toEqual({
        issuer: issuer.issuer,
        subject: 'alice-1',
      })
    }
  })

  it('a subject keeps its case and its blanks', async () => {
    const issuer = await startIssuer()
    for (const sub of ['Alice-1', 'alice-1 ', 'ALICE-1']) {
      issuer.lies.claims = { sub }
      expect((await identified(signIn(providerAt(issuer), issuer))).subject).toBe(sub)
    }
  })
})

describe('an answer in the browser that is refused', () => {
  const answers: [string, Record<string, string | undefined>, string][] = [
    ['without a state', { state: undefined }, 'wrong-state'],
    ['with another state', { state: `${state.slice(1)}T` }, 'wrong-state'],
    ['of another issuer', { iss: 'https://accounts.example.com' }, 'wrong-issuer'],
    ['without a code', { code: undefined }, 'no-code'],
    ['with an empty code', { code: '' }, 'no-code'],
    ['with a code without end', { code: 'c'.repeat(4097) }, 'too-long'],
    ['that the user has denied', { error: 'access_denied' }, 'access-denied'],
    ['with an error', { error: 'login_required', error_description: 'secret' }, 'login_required'],
    ['with an error that is a story', { error: 'x\ny <script>' }, 'unknown-error'],
    ['with an error of 41 letters', { error: 'e'.repeat(41) }, 'unknown-error'],
    ['with an error of another issuer', { error: 'access_denied', iss: 'x' }, 'wrong-issuer'],
  ]

  it.each(answers)('%s', async (_what, parameters, reason) => {
    const issuer = await startIssuer()
    const finished = await signIn(providerAt(issuer), issuer, { parameters })
    expect(finished).toEqual({ outcome: 'refused', reason })
    expect(issuer.asked.requests).not.toContain('/token')
  })

  it('without iss, where the provider announces it (RFC 9207)', async () => {
    const issuer = await startIssuer()
    issuer.lies.metadata = { authorization_response_iss_parameter_supported: true }
    const provider = providerAt(issuer)
    expect(await signIn(provider, issuer)).toEqual({ outcome: 'refused', reason: 'wrong-issuer' })
    await identified(signIn(provider, issuer, { parameters: { iss: issuer.issuer } }))
  })

  it('with a code that the provider does not know, or no longer', async () => {
    const issuer = await startIssuer()
    issuer.lies.paths = {
      '/token': (_request, response) =>
        response
          .writeHead(400, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ error: 'invalid_grant', error_description: 'secret' })),
    }
    expect(await signIn(providerAt(issuer), issuer)).toEqual({ outcome: 'refused', reason: 'code' })
  })

  it('without what was kept', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    for (const keep of [{}, { nonce: 7 }, { nonce: '', verifier: '' }]) {
      issuer.lies.claims = { nonce: undefined }
      await expect(signIn(provider, issuer, { keep })).rejects.toThrow()
    }
  })
})

describe('a polluted Object.prototype', () => {
  const polluted = Object.prototype as unknown as Record<string, unknown>
  const names = ['email', 'email_verified', 'amr', 'acr', 'sid', 'iss', 'emailVerified', 'nonce']
  afterEach(() => {
    for (const name of [...names, 'code', 'azp', 'loginHint', 'prompt']) delete polluted[name]
  })

  it('adds nothing to an identity or a request', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer, { loginHint: true })
    for (const name of names) polluted[name] = name === 'amr' ? ['mfa'] : true
    polluted['loginHint'] = 'mallory'
    polluted['prompt'] = 'login'
    const { url } = await provider.start({
      state,
      callbackUrl: 'https://chat.example.com/callback',
    })
    expect(new URL(url).searchParams.has('login_hint')).toBe(false)
    expect(new URL(url).searchParams.has('prompt')).toBe(false)
    const identity = await identified(signIn(provider, issuer))
    expect(Object.keys(identity)).toEqual(['issuer', 'subject'])
  })

  it('is no code', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    polluted['code'] = 'code-1'
    const finished = await signIn(provider, issuer, { parameters: { code: undefined } })
    expect(finished).toEqual({ outcome: 'refused', reason: 'no-code' })
  })
})
