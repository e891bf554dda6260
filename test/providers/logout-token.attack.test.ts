import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  clientId,
  clientSecret,
  foreign,
  type Issuer,
  providerAt,
  sign,
  startIssuer,
} from './evil-issuer.js'

afterEach(() => void vi.useRealTimers())

const now = () => Math.floor(Date.now() / 1000)
const event = 'http://schemas.openid.net/event/backchannel-logout'
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { typ: 'logout+jwt' }

/** What a right logout token says. */
const right = ({ issuer }: Issuer): Record<string, unknown> => ({
  iss: issuer,
  aud: clientId,
  iat: now(),
  exp: now() + 120,
  jti: 'j-1',
  events: { [event]: {} },
  sub: 'alice-1',
  sid: 's-1',
})

const read = async (issuer: Issuer, token: unknown) =>
  providerAt(issuer).readLogoutToken?.(token as string)

describe('a logout token', () => {
  it('tells whose sessions end', async () => {
    const issuer = await startIssuer()
    const claims = right(issuer)
    const logout = await read(issuer, await sign(claims, header))
    expect(logout).toEqual({
      issuer: issuer.issuer,
      subject: 'alice-1',
      sid: 's-1',
      jti: 'j-1',
      expiresAt: expect.any(Date),
    })
    // Longer than it is taken, so that its id is not forgotten before.
    expect(logout?.expiresAt.getTime()).toBeGreaterThanOrEqual((now() + 630) * 1000)
  })

  const taken: [string, object, object?][] = [
    ['of a subject alone', { sid: undefined }],
    ['of a session alone', { sub: undefined }],
    ['without a type', {}, { typ: undefined }],
    ['with the type in full', {}, { typ: 'application/logout+jwt' }],
    ['for a list of audiences', { aud: [clientId] }],
    ['without an end', { exp: undefined }],
    ['of ten minutes ago', { iat: now() - 595 }],
    ['of a clock that is ahead', { iat: now() + 25 }],
  ]
  it.each(taken)('%s is taken', async (_what, changes, changedHeader) => {
    const issuer = await startIssuer()
    const token = await sign({ ...right(issuer), ...changes }, { ...header, ...changedHeader })
    expect(await read(issuer, token)).toMatchObject({ jti: 'j-1' })
  })

  const refused: [string, object, object?][] = [
    ['with a nonce', { nonce: 'n' }],
    ['with a nonce of null', { nonce: null }],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['without an issuer', { iss: undefined }],
    ['whose audience is another', { aud: 'another' }],
    ['without an audience', { aud: undefined }],
    ['without a time', { iat: undefined }],
    ['whose time is a text', { iat: String(now()) }],
    ['that is too old', { iat: now() - 640, exp: undefined }],
    ['of the future', { iat: now() + 60 }],
    ['that has expired', { exp: now() - 60 }],
    ['without an id', { jti: undefined }],
    ['with an empty id', { jti: '' }],
    ['with an id of 256 bytes', { jti: 'j'.repeat(256) }],
    ['with a number as its id', { jti: 7 }],
    ['without an event', { events: undefined }],
    ['with another event', { events: { other: {} } }],
    ['with an event that is a text', { events: { [event]: 'yes' } }],
    ['with events as a list', { events: [event] }],
    ['with events as a text', { events: event }],
    ['with an inherited event', { events: JSON.parse(`{"__proto__":{"${event}":{}}}`) }],
    ['of nobody', { sub: undefined, sid: undefined }],
    ['of an empty subject', { sub: '' }],
    ['of a number', { sub: 7 }],
    ['of a session that is too long', { sid: 's'.repeat(256) }],
    ['of a session that is null', { sid: null }],
    ['with the type of an access token', {}, { typ: 'at+jwt' }],
    ['with the type of any token', {}, { typ: 'JWT' }],
    ['with a type that is no text', {}, { typ: 7 }],
    ['with an unknown key', {}, { kid: 'nobody' }],
  ]
  it.each(refused)('%s ends nothing', async (_what, changes, changedHeader) => {
    const issuer = await startIssuer()
    const token = await sign({ ...right(issuer), ...changes }, { ...header, ...changedHeader })
    expect(await read(issuer, token)).toBeNull()
  })

  it('that is forged ends nothing', async () => {
    const issuer = await startIssuer()
    const claims = right(issuer)
    const token = await sign(claims, header)
    const [head, body, signature = ''] = token.split('.')
    const secret = new TextEncoder().encode(clientSecret.padEnd(32, '='))
    for (const forged of [
      await sign(claims, header, foreign.privateKey),
      await sign(claims, { ...header, alg: 'HS256' }, secret),
      `${part({ ...header, alg: 'none' })}.${body}.`,
      `${part({ ...header, alg: 'none' })}.${body}.${signature}`,
      `${head}.${part({ ...claims, sub: 'bob-1' })}.${signature}`,
      `${token} `,
      `${token}.`,
      `${head}.${body}`,
      JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] }),
      'at-1',
      '',
      7,
      null,
      { token },
    ])
      expect(await read(issuer, forged)).toBeNull()
  })

  it('that is an ID token or an access token of the same provider ends nothing', async () => {
    const issuer = await startIssuer()
    const claims = {
      iss: issuer.issuer,
      aud: clientId,
      iat: now(),
      exp: now() + 60,
      sub: 'alice-1',
    }
    for (const typ of [undefined, 'JWT', 'at+jwt'])
      expect(await read(issuer, await sign({ ...claims, jti: 'j' }, { typ } as object))).toBeNull()
  })

  it('with an algorithm that the provider does not announce ends nothing', async () => {
    const issuer = await startIssuer()
    issuer.lies.metadata = { id_token_signing_alg_values_supported: ['RS256'] }
    expect(await read(issuer, await sign(right(issuer), header))).toBeNull()
  })

  it('that is too long is not read, and what is no token asks nobody', async () => {
    const issuer = await startIssuer()
    const long = await sign({ ...right(issuer), pad: 'x'.repeat(8192) }, header)
    for (const token of [long, 'a'.repeat(10_000_000), '.'.repeat(8192), 'a b.c.d', '..'])
      expect(await read(issuer, token)).toBeNull()
    expect(issuer.asked.requests).toEqual([])
  })

  it('ten thousand a minute with unknown keys ask the provider once more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const issuer = await startIssuer()
    const provider = providerAt(issuer)
    await provider.readLogoutToken?.(await sign(right(issuer), header))
    const before = issuer.asked.requests.length
    vi.setSystemTime(Date.now() + 61_000)
    const forged = await sign(right(issuer), { ...header, kid: 'nobody' })
    for (let round = 0; round < 20; round += 1) {
      const tokens = Array.from({ length: 500 }, () => provider.readLogoutToken?.(forged))
      expect(new Set(await Promise.all(tokens))).toEqual(new Set([null]))
    }
    const document = '/.well-known/openid-configuration'
    expect(issuer.asked.requests.slice(before).sort()).toEqual([document, '/jwks'])
  })

  it('an outage of the keys rejects, so that the provider sends it again', async () => {
    const issuer = await startIssuer()
    issuer.lies.paths = { '/jwks': (_request, response) => response.writeHead(503).end() }
    await expect(read(issuer, await sign(right(issuer), header))).rejects.toThrow()
  })
})
