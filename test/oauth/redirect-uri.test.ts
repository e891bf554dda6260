import { describe, expect, it } from 'vitest'
import { redirectKind, redirectMatches, redirectProblem } from '../../src/oauth/redirect-uri.js'

const forBoth = [
  'https://wiki.example.com/oidc/callback',
  'https://wiki.example.com',
  'https://wiki.example.com:8443/cb?tenant=a&b=%C3%A4',
  'https://wiki.example.com?tenant=a',
  'https://[2001:db8::1]:8443/cb',
  'https://localhost/cb',
  "https://a_b.example.com/~x/@y;z=1,2/!$&'()+",
  `https://wiki.example.com/${'a'.repeat(1975)}`,
]
const forNative = [
  'http://127.0.0.1/callback',
  'http://127.0.0.1:65535/callback?x=1',
  'http://[::1]/callback',
  'http://localhost/callback',
  'http://localhost',
  'com.example.chat:/callback',
  'com.example.chat:/',
  'com.example.chat://callback',
  'com.example.chat://callback/deeper?x=1',
  'com.googleusercontent.apps.123-abc:/oauth2redirect',
  'vscode://example.chat/callback',
  'vscode-insiders://example.chat/callback',
  'cursor://anysphere.cursor-retrieval/oauth/callback',
  'myapp:/callback',
]

describe('a redirect URI that a client wants to register', () => {
  it.each(forBoth)('may be %s, of web and native clients', (uri) => {
    expect(redirectProblem(uri, 'web')).toBeNull()
    expect(redirectProblem(uri, 'native')).toBeNull()
  })

  it.each(forNative)('may be %s, of native clients alone', (uri) => {
    expect(redirectProblem(uri, 'native')).toBeNull()
    expect(redirectProblem(uri, 'web')).toBe('is not https with a host in small letters.')
  })

  it('may be on a loopback address, of web clients of a router that says so', () => {
    const allowed = forNative.filter((uri) => redirectProblem(uri, 'web', true) === null)
    expect(allowed).toEqual(forNative.filter((uri) => uri.startsWith('http:')))
    expect(redirectProblem('http://127.0.0.1.evil.example/cb', 'web', true)).not.toBeNull()
  })

  it.each([...forBoth, ...forNative])('may not be %s of a service, nor any other', (uri) => {
    expect(redirectProblem(uri, 'service')).toMatch(/no browser/)
    expect(redirectProblem(uri, 'service', true)).toMatch(/no browser/)
  })

  it.each([
    ['https://wiki.example.com/cb#', /fragment/],
    ['https://wiki.example.com/cb#part', /fragment/],
    ['https://*.example.com/cb', /wildcard/],
    ['https://wiki.example.com/*', /wildcard/],
    ['https://alice@wiki.example.com/cb', /user name/],
    ['https://alice:secret@wiki.example.com/cb', /user name/],
    ['com.example.chat://alice@callback', /user name/],
    ['https://1.2.3.4.5/cb', /cannot open/],
    ['https://999.1.1.1/cb', /cannot open/],
    ['https://[::::]/cb', /cannot open/],
    ['https://a.0x/cb', /cannot open/],
    ['https://xn--/cb', /cannot open/],
    ['https://127.1/cb', /write otherwise/],
    ['https://2130706433/cb', /write otherwise/],
    ['https://0x7f.1/cb', /write otherwise/],
    ['https://[0:0:0:0:0:0:0:1]:8443/cb', /write otherwise/],
    ['https://[::ffff:127.0.0.1]/cb', /write otherwise/],
    ['https://wiki.example.com/cb?iss=x', /every answer adds/],
    ['https://wiki.example.com/cb?x=1&state', /every answer adds/],
    [`https://wiki.example.com/${'a'.repeat(1976)}`, /longer than 2000/],
  ])('is told what is wrong with %s', (uri, problem) => {
    expect(redirectProblem(uri, 'native')).toMatch(problem)
    expect(redirectProblem(uri, 'web')).toMatch(problem)
  })
})

describe('a redirect URI that is presented', () => {
  it.each([...forBoth, ...forNative])('is %s only as the same text', (uri) => {
    for (const type of ['web', 'native'] as const) {
      expect(redirectMatches(uri, uri, type)).toBe(true)
      for (const other of [`${uri}/`, `${uri}?`, `${uri}#`, ` ${uri}`, `${uri}\n`, uri.slice(1)])
        expect(redirectMatches(other, uri, type), other).toBe(false)
    }
  })

  it.each(['127.0.0.1', '[::1]', 'localhost'])(
    'may have any port of a native client on %s, also where one is registered',
    (host) => {
      for (const registered of [`http://${host}/cb?x=1`, `http://${host}:8080/cb?x=1`])
        for (const port of ['', ':1', ':80', ':49152', ':65535'])
          expect(redirectMatches(`http://${host}${port}/cb?x=1`, registered, 'native')).toBe(true)
      expect(redirectMatches(`http://${host}:49152`, `http://${host}`, 'native')).toBe(true)
    },
  )

  it('may have another port nowhere else', () => {
    for (const [presented, registered] of [
      ['https://wiki.example.com:8443/cb', 'https://wiki.example.com/cb'],
      ['https://localhost:8443/cb', 'https://localhost/cb'],
      ['com.example.chat://callback:1/', 'com.example.chat://callback/'],
    ] as const)
      expect(redirectMatches(presented, registered, 'native')).toBe(false)
    const of = 'http://127.0.0.1/cb'
    expect(redirectMatches('http://127.0.0.1:1/cb', of, 'web')).toBe(false)
    expect(redirectMatches('http://127.0.0.1:1/cb', of, 'service')).toBe(false)
  })
})

describe('the kind of a redirect URI', () => {
  it('is https, loopback or private', () => {
    const sites = forBoth.filter((uri) => !uri.includes('localhost'))
    const alike = [
      'localhost.example.com',
      'notlocalhost',
      '127.0.0.1.example',
      '[::2]',
      '128.0.0.1',
    ]
    for (const uri of [...sites, ...alike.map((host) => `https://${host}/cb`)])
      expect(redirectKind(uri), uri).toBe('https')
    for (const uri of ['https://localhost', 'https://127.0.0.1:8443/cb', 'https://[::1]?x=1'])
      expect(redirectKind(uri)).toBe('loopback')
    expect(forNative.map(redirectKind)).toEqual([
      ...Array.from({ length: 5 }, () => 'loopback'),
      ...Array.from({ length: 9 }, () => 'private'),
    ])
  })

  it.each([
    '127.0.0.2',
    '127.255.255.255',
    '0.0.0.0',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:0:0]',
    'app.localhost',
    'a.b.localhost',
  ])('is loopback on %s, which every browser takes for the device', (host) => {
    for (const uri of [`https://${host}/cb`, `https://${host}:8443`, `https://${host}?x=1`]) {
      expect(redirectProblem(uri, 'native')).toBeNull()
      expect(redirectKind(uri)).toBe('loopback')
    }
  })
})
