import '../support/steps.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redirectMatches, redirectProblem } from '../../src/oauth/redirect-uri.js'
import { rounds } from '../support/rounds.js'
import { stepsOf } from '../support/steps.js'

const registeredOnes = [
  'http://127.0.0.1/callback',
  'http://127.0.0.1:8080/callback?x=1',
  'http://[::1]/callback',
  'http://localhost/callback',
  'http://localhost',
  'https://wiki.example.com/callback',
  'https://localhost/callback',
  'com.example.chat:/callback',
]

const refused = [
  // Schemes that run something, or hand it to whoever takes it.
  'javascript:alert(1)',
  'JavaScript:alert(1)//https://wiki.example.com/callback',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'intent://callback#Intent;scheme=com.example.chat;end',
  'intent:/callback',
  'blob:https://wiki.example.com/x',
  'vbscript:x',
  'javascript:/%0aalert(1)',
  'javascript://callback/%0aalert(1)',
  'data://callback',
  'file://callback/etc/passwd',
  'blob://callback',
  'filesystem://callback',
  'view-source://callback',
  'intent://callback',
  'android-app://callback',
  'chrome-extension://callback',
  'moz-extension://callback',
  'about://callback',
  'ms-msdt://callback',
  'search-ms://callback',
  'smb://callback',
  'ssh://callback',
  'mailto://callback',
  'ws://callback',
  'x://callback',
  'c:/callback',
  'vscode:callback',
  'vscode:///callback',
  'VSCode://callback',
  'vscode-://callback',
  'vs_code://callback',
  'ftp://wiki.example.com/callback',
  'http://wiki.example.com/callback',
  // What a URL parser takes for the loopback address.
  'http://127.1/callback',
  'http://0177.0.0.1/callback',
  'http://2130706433/callback',
  'http://0x7f000001/callback',
  'http://127.0.0.2/callback',
  'http://0.0.0.0/callback',
  'http://[::ffff:127.0.0.1]/callback',
  'http://[0:0:0:0:0:0:0:1]/callback',
  'http://LOCALHOST/callback',
  'http://localhost./callback',
  'http://%6cocalhost/callback',
  'http://loc\u0430lhost/callback',
  'http:\\\\localhost/callback',
  'http:/localhost/callback',
  'http:localhost/callback',
  'HTTP://localhost/callback',
  // What only begins like it.
  'http://127.0.0.1.evil.example/callback',
  'http://localhost.evil.example/callback',
  'http://localhost:1@evil.example/callback',
  'http://localhost@evil.example/callback',
  'http://localhost:/callback',
  'http://localhost:0/callback',
  'http://localhost:080/callback',
  'http://localhost:65536/callback',
  'http://localhost:99999/callback',
  'http://localhost:1:2/callback',
  'http://localhost:+1/callback',
  'http://localhost:1e3/callback',
  'http://localhost:\u0661/callback',
  'http://localhost\\@evil.example/callback',
  'http://localhost?/callback',
  'http://evil.example/http://localhost/callback',
  // Other texts of a site.
  'https://wiki.example.com\\@evil.example/callback',
  'https://wiki.example.com%2eevil.example/callback',
  'https:///wiki.example.com/callback',
  'https://WIKI.example.com/callback',
  'https://wiki.example.com:0/callback',
  'https://wiki.example.com:65536/callback',
  'https://wiki..example.com/callback',
  'https://wiki.example.com./callback',
  'https://w\u0456ki.example.com/callback',
  'https://wiki.example.com/call back',
  'https://wiki.example.com/callback\r\nSet-Cookie: a=b',
  'https://wiki.example.com/callback\n',
  'https://wiki.example.com/%zz',
  'https://wiki.example.com/%2',
  'https://',
  '//wiki.example.com/callback',
  '/callback',
  '',
  ' ',
  // Other texts of an app.
  'com.example.chat:callback',
  'com.example.chat:///callback',
  'com.example.chat:',
  '.example:/callback',
  'com.:/callback',
  '1com.example:/callback',
  'com.example.chat:/call<back>',
]

describe('a redirect URI of an attacker', () => {
  it.each(refused)('%j can be registered by nobody', (uri) => {
    for (const type of ['web', 'native', 'service'] as const)
      expect(redirectProblem(uri, type)).toEqual(expect.any(String))
  })

  it.each(refused)('%j is none of those that are registered', (uri) => {
    for (const registered of registeredOnes)
      expect(redirectMatches(uri, registered, 'native')).toBe(false)
  })
})

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/**
 * The same by another technique: a URL parser says where the text leads, and then it must be what
 * the registered one is once its port is put there.
 */
function shouldMatch(presented: string, registered: string): boolean {
  if (presented === registered) return true
  if (!URL.canParse(presented) || !URL.canParse(registered)) return false
  const [from, to] = [new URL(registered), new URL(presented)]
  if (from.protocol !== 'http:' || from.hostname !== to.hostname || to.port === '0') return false
  if (!loopbackHosts.includes(from.hostname)) return false
  const path = registered.indexOf('/', 'http://'.length)
  const rest = path < 0 ? '' : registered.slice(path)
  const ports = to.port === '' ? ['', ':80'] : [`:${to.port}`]
  return ports.some((port) => presented === `http://${from.hostname}${port}${rest}`)
}

const text = (...some: string[]) => fc.constantFrom(...some)
const composed = fc
  .tuple(
    text('http://', 'http://', 'https://', 'HTTP://', 'http:/', 'http:\\\\', 'com.example.chat:'),
    text('', '', '', 'a@', 'localhost@', '%00'),
    text(...loopbackHosts, ...loopbackHosts, '127.1', 'localhost.', '[::01]', 'evil.example'),
    fc.oneof(
      text('', ':', ':0', ':080', ':80', ':65535', ':65536', ':1@evil.example', ':1:2'),
      fc.nat(70_000).map((port) => `:${port}`),
    ),
    text('/callback', '/callback', '/callback?x=1', '', '/', '/callback/', '/./callback', '/%63b'),
    text('', '', '', '#', '?', '\t', '\n', '\\', '.'),
  )
  .map((parts) => parts.join(''))
/** One that is registered, with a character changed, put in or taken out. */
const mutated = fc
  .tuple(text(...registeredOnes), fc.nat(40), fc.nat(1), fc.string({ maxLength: 2 }))
  .map(([uri, at, out, put]) => uri.slice(0, at) + put + uri.slice(at + out))
/** With a port put in where one may stand. */
const onPort = fc
  .tuple(text(...registeredOnes), fc.nat(70_000))
  .map(([uri, port]) => uri.replace(/(?<=[a-z1\]])(:8080)?(?=\/c|$)/, `:${port}`))
const presentedOnes = fc.oneof(composed, mutated, onPort, fc.webUrl(), fc.string())

describe('the comparison of redirect URIs', () => {
  it('agrees with a URL parser over 10,000 texts: only a loopback port may differ', () => {
    const seen = { matched: 0, byPort: 0 }
    const compare = (presented: string, registered: string) => {
      const matches = redirectMatches(presented, registered, 'native')
      if (matches !== shouldMatch(presented, registered)) return false
      if (matches) seen.matched += 1
      if (matches && presented !== registered) seen.byPort += 1
      return redirectMatches(presented, registered, 'web') === (presented === registered)
    }
    fc.assert(
      fc.property(presentedOnes, (presented) =>
        registeredOnes.every((registered) => compare(presented, registered)),
      ),
      { numRuns: rounds(10_000), seed: 20_261_122 },
    )
    expect(seen.byPort).toBeGreaterThan(rounds(500))
    expect(seen.matched - seen.byPort).toBeGreaterThan(rounds(50))
  })

  const runs = ['javascript:', 'vbscript:', 'data:', 'file:', 'blob:', 'intent:', 'about:']
  // A URL parser knows no origin for schemes that are none of the web’s.
  const isOfApp = (uri: string) =>
    new URL(uri).origin === 'null' && !runs.includes(new URL(uri).protocol)

  it('registers nothing that leads elsewhere than it says', () => {
    let allowed = 0
    fc.assert(
      fc.property(presentedOnes, (uri) => {
        if (redirectProblem(uri, 'native') !== null) return
        allowed += 1
        const { protocol, hostname, username, password, hash } = new URL(uri)
        expect([username, password, hash]).toEqual(['', '', ''])
        if (protocol === 'http:') expect(loopbackHosts).toContain(hostname)
        else expect(protocol === 'https:' || isOfApp(uri), uri).toBe(true)
        expect(uri.startsWith(`${protocol}/`)).toBe(true)
      }),
      { numRuns: rounds(2000), seed: 20_261_122 },
    )
    expect(allowed).toBeGreaterThan(rounds(50))
  })
})

describe('a redirect URI of any length', () => {
  const beginnings = ['https://', 'https://a.', 'http://localhost:1/', 'com.example.', 'a.b:/', '']
  const units = ['a', 'a.', '.', '%41', '%', '/', '@', '-', ':1', '[', '?', '&state', '*', '\n']

  const mostSteps = (chars: number) => 5000 + 100 * (chars > 2000 ? 0 : chars)

  it('is judged in 100 steps for each of 2,000 characters, and not at all beyond', () => {
    for (const beginning of beginnings)
      for (const unit of units) {
        const of = (chars: number) => beginning + unit.repeat(chars / unit.length)
        for (const chars of [1000, 2000, 1_000_000]) {
          const uri = of(chars)
          const judge = () => {
            redirectProblem(uri, 'native')
            redirectMatches(uri, 'http://localhost/callback', 'native')
          }
          expect(stepsOf(judge), `${beginning}${unit} ${chars}`).toBeLessThan(mostSteps(chars))
        }
        expect(redirectProblem(of(2100), 'native')).toEqual(expect.any(String))
        expect(redirectMatches(of(2100), of(2100), 'native')).toBe(false)
      }
  })

  it('takes at most twice as many steps for twice the length', () => {
    const of = (chars: number) => `http://localhost:1/${'a'.repeat(chars)}`
    const [short, long] = [of(950), of(1900)]
    const stepsFor = (uri: string) => {
      const judge = () => {
        redirectProblem(uri, 'native')
        redirectMatches(uri, `${uri}b`, 'native')
      }
      judge()
      return stepsOf(judge)
    }
    expect(stepsFor(long) / stepsFor(short)).toBeLessThan(2.1)
  })
})
