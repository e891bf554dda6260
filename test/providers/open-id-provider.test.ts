import { createHash } from 'node:crypto'
import { exportJWK, jwtVerify } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  callbackUrl,
  clientId,
  clientSecret,
  es256,
  identified,
  providerAt,
  sign,
  signIn,
  startIssuer,
  state,
} from './evil-issuer.js'

afterEach(() => void vi.useRealTimers())

describe('a sign-in with OpenID Connect', () => {
  it('sends the browser away with state, nonce and S256', async () => {
    const issuer = await startIssuer('/realms/staff')
    const { url, keep } = await providerAt(issuer).start({ state, callbackUrl })
    const asked = new URL(url)
    const { nonce, verifier } = keep as { nonce: string; verifier: string }
    expect(asked.origin + asked.pathname).toBe(`${issuer.issuer}/authorize`)
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: callbackUrl,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    expect([nonce.length, verifier.length]).toEqual([43, 43])
  })

  it('asks for what the host and the flow want', async () => {
    const issuer = await startIssuer()
    const options = {
      prompt: 'select_account',
      loginHint: true,
      responseMode: 'form_post',
    } as const
    const provider = providerAt(issuer, { ...options, scope: 'openid' })
    const flow = { state, callbackUrl, loginHint: 'alice@example.com', maxAge: 60 }
    const asked = new URL((await provider.start(flow)).url).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      prompt: 'select_account',
      login_hint: 'alice@example.com',
      response_mode: 'form_post',
      max_age: '60',
      scope: 'openid',
    })
    const again = new URL((await provider.start({ ...flow, prompt: 'login' })).url).searchParams
    expect(again.get('prompt')).toBe('login')
    const quiet = new URL((await providerAt(issuer).start(flow)).url).searchParams
    expect(quiet.has('login_hint')).toBe(false)
  })

  it('identifies by issuer and subject, with what else the claims say', async () => {
    const issuer = await startIssuer()
    issuer.lies.claims = {
      email: 'alice@example.com',
      email_verified: true,
      name: 'Alice',
      preferred_username: 'alice',
      locale: 'de',
      amr: ['pwd', 'mfa', 7],
      acr: 'silver',
      sid: 's-1',
    }
    expect(await identified(signIn(providerAt(issuer), issuer))).toEqual({
      issuer: issuer.issuer,
      subject: 'alice-1',
      email: 'alice@example.com',
      emailVerified: true,
      name: 'Alice',
      username: 'alice',
      locale: 'de',
      amr: ['pwd', 'mfa'],
      acr: 'silver',
      sid: 's-1',
    })
    const [form] = issuer.asked.forms
    expect(form?.get('code')).toBe('code-1')
    expect(form?.get('redirect_uri')).toBe(callbackUrl)
  })

  it.each(['s'.repeat(255), `${'ß'.repeat(127)}s`])(
    'takes a subject of 255 bytes: %s',
    async (sub) => {
      const issuer = await startIssuer()
      issuer.lies.claims = { sub }
      expect(await identified(signIn(providerAt(issuer), issuer))).toMatchObject({ subject: sub })
    },
  )

  it('signs in with an RSA key, too, and with a name that has an accent', async () => {
    const issuer = await startIssuer()
    issuer.lies.metadata = { id_token_signing_alg_values_supported: undefined }
    issuer.lies.claims = { name: 'Zoë' }
    const { generateKeyPair } = await import('jose')
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    issuer.lies.keys = [{ ...(await exportJWK(publicKey)), kid: 'new' }]
    issuer.lies.idToken = (claims) => sign(claims, { alg: 'RS256', kid: 'new' }, privateKey)
    expect(await identified(signIn(providerAt(issuer), issuer))).toMatchObject({ name: 'Zoë' })
  })

  it('authenticates itself as the host has said', async () => {
    const issuer = await startIssuer()
    const sent = async (options: object) => {
      await identified(signIn(providerAt(issuer, options), issuer))
      const at = issuer.asked.requests.lastIndexOf('/token')
      return [issuer.headers[at]?.authorization, issuer.asked.forms.at(-1)] as const
    }
    const [basic] = await sent({})
    const given = Buffer.from(basic?.replace('Basic ', '') ?? '', 'base64').toString()
    expect(decodeURIComponent(given)).toBe(`${clientId}:${clientSecret}`)
    const [none, post] = await sent({ clientAuth: 'client_secret_post' })
    expect([none, post?.get('client_secret')]).toEqual([undefined, clientSecret])
    const methods = ['client_secret_basic', 'client_secret_post']
    issuer.lies.metadata = { token_endpoint_auth_methods_supported: methods }
    const [, announced] = await sent({})
    expect(announced?.get('client_secret')).toBe(clientSecret)
    const [, open] = await sent({ clientSecret: undefined })
    expect([open?.get('client_id'), open?.has('client_secret')]).toEqual([clientId, false])
    const clientKey = { ...(await exportJWK(es256.privateKey)), alg: 'ES256', kid: 'own' }
    const [, signed] = await sent({ clientSecret: undefined, clientKey })
    const { payload, protectedHeader } = await jwtVerify(
      signed?.get('client_assertion') ?? '',
      es256.publicKey,
    )
    expect([payload.iss, payload.aud, protectedHeader.kid]).toEqual([
      clientId,
      issuer.issuer,
      'own',
    ])
  })

  it('asks UserInfo only if the host wants it, and takes an address with its own proof', async () => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'old@example.com', email_verified: true, acr: 'gold' }
    issuer.lies.userinfo = { email: 'new@example.com', name: 'Alice', acr: 'forged' }
    expect(await identified(signIn(providerAt(issuer), issuer))).toMatchObject({
      email: 'old@example.com',
      emailVerified: true,
    })
    expect(issuer.asked.requests).not.toContain('/userinfo')
    const asking = providerAt(issuer, { userinfo: true })
    expect(await identified(signIn(asking, issuer))).toMatchObject({
      email: 'new@example.com',
      emailVerified: false,
      name: 'Alice',
      acr: 'gold',
    })
    issuer.lies.userinfo = { sub: 'mallory' }
    expect(await signIn(asking, issuer)).toEqual({ outcome: 'refused', reason: 'userinfo' })
  })

  it('believes a proof that is a text, as Cognito and JumpCloud send it', async () => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'alice@example.com', email_verified: 'true' }
    expect(await identified(signIn(providerAt(issuer), issuer))).toMatchObject({
      email: 'alice@example.com',
      emailVerified: true,
    })
  })

  it.each<[unknown, string | undefined]>([
    [{ name: { firstName: 'Änne', lastName: 'Muster' }, email: 'x@example.com' }, 'Änne Muster'],
    [{ name: { firstName: 'Cher' } }, 'Cher'],
    [{ name: { firstName: 'Eve\nmore' } }, undefined],
    [{ name: { firstName: 'x'.repeat(300) } }, undefined],
    [{ name: { firstName: 7, lastName: {} } }, undefined],
    [{ name: null }, undefined],
    [{ name: 'Eve' }, undefined],
    [['name'], undefined],
    [null, undefined],
  ])('takes from the form of Apple the name, and nothing else: %j', async (user, name) => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'relay@example.com', email_verified: true }
    const provider = providerAt(issuer, { responseMode: 'form_post' })
    const { issuer: _issuer, ...found } = await identified(
      signIn(provider, issuer, { parameters: { user: JSON.stringify(user) } }),
    )
    const proven = { subject: 'alice-1', email: 'relay@example.com', emailVerified: true }
    expect(found).toEqual({ ...proven, ...(name !== undefined && { name }) })
  })

  it('takes a name of the ID token before one of a form, which may be no JSON', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer, { responseMode: 'form_post' })
    const withUser = (user: string) =>
      identified(signIn(provider, issuer, { parameters: { user } }))
    expect((await withUser('{"name":')).name).toBe(undefined)
    issuer.lies.claims = { name: 'Alice' }
    expect((await withUser('{"name":{"firstName":"Eve"}}')).name).toBe('Alice')
  })

  it('shows a hook no proof of one source beside the address of another', async () => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'old@example.com', email_verified: true }
    issuer.lies.userinfo = { email: 'alice@example.com' }
    const claims = ({ email, email_verified }: Readonly<Record<string, unknown>>) =>
      ({ email, emailVerified: email_verified }) as object
    const provider = providerAt(issuer, { userinfo: true, claims })
    expect(await identified(signIn(provider, issuer))).toMatchObject({
      email: 'alice@example.com',
      emailVerified: false,
    })
  })

  it('adds what the host reads from the claims, but no other subject', async () => {
    const issuer = await startIssuer()
    issuer.lies.claims = { email: 'a@example.com', email_verified: true, upn: 'a@corp.example.com' }
    const claims = (all: Readonly<Record<string, unknown>>) =>
      ({ email: String(all['upn']), username: 'a', subject: 'b', issuer: 'c' }) as object
    expect(await identified(signIn(providerAt(issuer, { claims }), issuer))).toEqual({
      issuer: issuer.issuer,
      subject: 'alice-1',
      email: 'a@corp.example.com',
      emailVerified: false,
      username: 'a',
    })
  })

  it('hands the tokens to the host once, and waits for it', async () => {
    const issuer = await startIssuer()
    issuer.lies.token = { refresh_token: 'rt-1', expires_in: 60, scope: 'openid' }
    const onTokens = vi.fn(async () => {})
    const identity = await identified(signIn(providerAt(issuer, { onTokens }), issuer))
    expect(onTokens.mock.calls).toEqual([
      [
        identity,
        {
          accessToken: 'at-1',
          refreshToken: 'rt-1',
          idToken: expect.any(String),
          scope: 'openid',
          expiresIn: 60,
        },
      ],
    ])
    const failing = providerAt(issuer, { onTokens: () => Promise.reject(new Error('down')) })
    await expect(signIn(failing, issuer)).rejects.toThrow('down')
  })
})

describe('discovery', () => {
  const document = '/.well-known/openid-configuration'
  const asks = (requests: readonly string[]) => requests.filter((one) => one === document).length

  it('is remembered for an hour, and asked once by many at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    await Promise.all(Array.from({ length: 20 }, () => provider.start({ state, callbackUrl })))
    expect(asks(issuer.asked.requests)).toBe(1)
    vi.setSystemTime(Date.now() + 3_599_000)
    await provider.start({ state, callbackUrl })
    expect(asks(issuer.asked.requests)).toBe(1)
    vi.setSystemTime(Date.now() + 2000)
    await provider.start({ state, callbackUrl })
    expect(asks(issuer.asked.requests)).toBe(2)
  })

  it('is asked anew, with the keys, for a token with an unknown key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    await identified(signIn(provider, issuer))
    issuer.lies.keys = [{ ...issuer.keys.es, kid: 'rotated' }]
    issuer.lies.idToken = (claims) => sign(claims, { kid: 'rotated' })
    expect(await signIn(provider, issuer)).toEqual({ outcome: 'refused', reason: 'id-token' })
    expect(asks(issuer.asked.requests)).toBe(1)
    vi.setSystemTime(Date.now() + 61_000)
    await identified(signIn(provider, issuer))
    expect(asks(issuer.asked.requests)).toBe(2)
  })

  it('reads the keys themselves again after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    await identified(signIn(provider, issuer))
    issuer.lies.keys = []
    await identified(signIn(provider, issuer))
    vi.setSystemTime(Date.now() + 601_000)
    expect(await signIn(provider, issuer)).toEqual({ outcome: 'refused', reason: 'id-token' })
  })

  it('is asked again after an outage', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    issuer.lies.paths = { [document]: (_request, response) => response.writeHead(503).end() }
    await expect(provider.start({ state, callbackUrl })).rejects.toThrow()
    issuer.lies.paths = {}
    await identified(signIn(provider, issuer))
  })
})
