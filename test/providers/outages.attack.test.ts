import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type Answer,
  callbackUrl,
  clientSecret,
  identified,
  type Lies,
  providerAt,
  signIn,
  startIssuer,
  state,
} from './evil-issuer.js'

afterEach(() => void vi.useRealTimers())

const document = '/.well-known/openid-configuration'
const json =
  (status: number, body: unknown): Answer =>
  (_request, response: ServerResponse) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
const redirect: Answer = (_request: IncomingMessage, response) =>
  response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end()
const huge: Answer = (_request, response) =>
  response
    .writeHead(200, { 'Content-Type': 'application/json' })
    .end(`{"a":"${'a'.repeat(10 * 1024 * 1024)}"}`)
const cut: Answer = (_request, response) => response.destroy()

const broken: [string, Answer][] = [
  ['answers 500', json(500, {})],
  ['answers 503 with an error', json(503, { error: 'invalid_grant' })],
  ['answers 10 MB', huge],
  ['redirects to a metadata service', redirect],
  ['cuts the connection', cut],
  ['answers HTML', (_request, response) => response.end('<html>')],
]

describe.each([document, '/token', '/jwks', '/userinfo'])('an outage of %s', (path) => {
  it.each(broken)('that %s rejects, and nobody is refused or signed in', async (_what, answer) => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer, { userinfo: true })
    issuer.lies.paths = { [path]: answer }
    const error = await signIn(provider, issuer).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain(clientSecret)
    expect(String(error)).not.toContain('code-1')
    issuer.lies.paths = {}
    await identified(signIn(provider, issuer))
  })

  it('that hangs rejects after five seconds', async () => {
    const issuer = await startIssuer()
    const provider = providerAt(issuer, { userinfo: true })
    let hangs = false
    issuer.lies.paths = { [path]: () => (hangs = true) }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const signing = expect(signIn(provider, issuer)).rejects.toThrow('no answer within 5000 ms')
    while (!hangs) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(5000)
    await signing
  })
})

describe('discovery', () => {
  const false_: [string, Lies][] = [
    ['of another issuer', { metadata: { issuer: 'https://login.example.com' } }],
    ['without an issuer', { metadata: { issuer: undefined } }],
    ['with a slash more', { metadata: { issuer: 'SLASH' } }],
    ['with keys over http', { metadata: { jwks_uri: 'http://example.com/jwks' } }],
    ['with keys in a file', { metadata: { jwks_uri: 'file:///etc/passwd' } }],
    ['without keys', { metadata: { jwks_uri: undefined } }],
    ['with a form over http', { metadata: { authorization_endpoint: 'http://example.com/' } }],
    ['with a form that is a script', { metadata: { authorization_endpoint: 'javascript:1' } }],
    ['with tokens over http', { metadata: { token_endpoint: 'http://example.com/' } }],
    ['with tokens that are a list', { metadata: { token_endpoint: [] } }],
    [
      'with no algorithm of ours',
      { metadata: { id_token_signing_alg_values_supported: ['none'] } },
    ],
    ['with algorithms as a text', { metadata: { id_token_signing_alg_values_supported: 'ES256' } }],
    ['that is a list', { paths: { [document]: json(200, []) } }],
    ['that is null', { paths: { [document]: json(200, 'null') } }],
    ['that is nested without end', { paths: { [document]: json(200, '['.repeat(200_000)) } }],
  ]

  it.each(false_)('%s rejects', async (_what, lies) => {
    const issuer = await startIssuer()
    Object.assign(issuer.lies, structuredCloneOf(lies, issuer.issuer))
    await expect(providerAt(issuer).start({ state, callbackUrl })).rejects.toThrow()
    await expect(providerAt(issuer).readLogoutToken?.('a.b.c')).rejects.toThrow()
  })

  const structuredCloneOf = (lies: Lies, issuer: string): Lies => ({
    ...lies,
    ...(lies.metadata && {
      metadata: Object.fromEntries(
        Object.entries(lies.metadata).map(([name, value]) => [
          name,
          value === 'SLASH' ? `${issuer}/` : value,
        ]),
      ),
    }),
  })

  it('takes members of a prototype for nothing', async () => {
    const issuer = await startIssuer()
    const members = JSON.stringify({ issuer: issuer.issuer }).slice(1, -1)
    const keys = `"__proto__":{"jwks_uri":"${issuer.issuer}/jwks"}`
    issuer.lies.paths = { [document]: json(200, `{${members},${keys}}`) }
    await expect(providerAt(issuer).start({ state, callbackUrl })).rejects.toThrow()
  })
})

describe('a provider that does not know this server', () => {
  it.each(['invalid_client', 'unauthorized_client', 'x\nSecret y'])(
    'rejects for %s, and says where to look',
    async (error) => {
      const issuer = await startIssuer()
      issuer.lies.paths = { '/token': json(401, { error, error_description: 'secret' }) }
      const failure = await signIn(providerAt(issuer), issuer).catch((one: Error) => one)
      expect(failure).toBeInstanceOf(Error)
      const { message } = failure as Error
      expect(message).toContain('are clientId, clientSecret')
      expect(message).not.toMatch(/secret y|secret$|\n/i)
      expect(message).not.toContain(clientSecret)
    },
  )
})
