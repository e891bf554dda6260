import '../support/steps.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkAuthorizationRequest,
  parseAuthorizationRequest,
} from '../../src/oauth/authorization-request.js'
import { redirectLocation } from '../../src/oauth/redirect-uri.js'
import { rounds } from '../support/rounds.js'
import { stepsOf } from '../support/steps.js'
import { bridge, desktop, knownScopes, ownResource, tracker, wiki } from './some-clients.js'

const clients = [wiki, desktop, tracker, bridge, { ...wiki, id: 'gone', disabled: true }]
const honest =
  'client_id=wiki&redirect_uri=https%3A%2F%2Fwiki.example.com%2Foidc%2Fcallback' +
  '&response_type=code&scope=openid&state=xyz&code_challenge_method=S256' +
  '&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

function ask(query: string) {
  const parsed = parseAuthorizationRequest(query)
  if (parsed.at === 'page') return parsed
  const client = clients.find(({ id }) => id === parsed.clientId) ?? null
  return checkAuthorizationRequest(parsed, client, {
    knownScopes,
    ownResource,
    ownAddress: ownResource,
  })
}

describe('a query that two readers could understand differently', () => {
  it.each([
    'client_id=wiki',
    'client_id=tracker',
    'client%5Fid=wiki',
    'client_id=',
    'client_id',
    'redirect_uri=https%3A%2F%2Fevil.example%2F',
    'state=xyz',
    'scope=',
    'code_challenge=x',
    'response_type=code',
    'prompt=none&prompt=none',
    'utm=1&utm=2',
    '=a&=b',
    '__proto__=a&__proto__=b',
  ])('has a page where %s comes twice, in front or behind', (again) => {
    for (const query of [`${honest}&${again}`, `${again}&${honest}`])
      expect(ask(query)).toEqual({ at: 'page', problem: 'repeated-parameter' })
  })

  it.each([
    ['no hexadecimal digits', 'state=%zz'],
    ['half a byte', 'state=%4'],
    ['a % alone', 'state=%'],
    ['a byte of no UTF-8', 'state=%ff'],
    ['half a character', 'state=%c3'],
    ['a longer form of /', 'state=%c0%af'],
    ['a surrogate', 'state=%ed%a0%80'],
    ['a code point that there is not', 'state=%f4%90%80%80'],
    ['such a name', '%ff=x'],
    ['a character that is not encoded', 'state=\u00e4'],
    ['a byte as Node hands it on', 'state=\u00c3\u00a4'],
    ['a blank', 'state=a b'],
    ['a line break', 'state=a\r\nSet-Cookie: b=c'],
    ['a NUL', 'state=a\0'],
    ['a fragment', 'state=a#b'],
  ])('has a page where there is %s', (_what, wrong) => {
    const withoutState = honest.replace('&state=xyz', '')
    expect(ask(withoutState).at).toBe('request')
    expect(ask(`${withoutState}&${wrong}`)).toEqual({ at: 'page', problem: 'malformed' })
  })

  it('means nothing by names that objects have', () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'scope%5B%5D']
    const query = names.map((name) => `${name}=x`).join('&')
    expect(ask(`${honest}&${query}`).at).toBe('request')
    expect(ask('client_id=__proto__&redirect_uri=constructor')).toEqual({
      at: 'page',
      problem: 'unknown-client',
    })
  })

  it('finds nothing on a polluted Object.prototype', () => {
    const names = ['code', 'error', 'prompt', 'nonce', 'state', 'firstParty', 'disabled']
    const before = ask(honest)
    for (const name of names) Object.defineProperty(Object.prototype, name, options)
    try {
      expect(ask(honest)).toEqual(before)
      const answer = { code: 'c', state: null, iss: 'https://i.example' }
      expect(redirectLocation('https://a.example/', answer)).toBe(
        'https://a.example/?code=c&iss=https%3A%2F%2Fi.example',
      )
    } finally {
      for (const name of names) Reflect.deleteProperty(Object.prototype, name)
    }
  })
})

const options = { value: 'polluted', configurable: true, writable: true }

const pick = (...some: string[]) => fc.constantFrom(...some)
const names = pick(
  'client_id',
  'client_id',
  'redirect_uri',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'prompt',
  'max_age',
  'resource',
  'request',
  'request_uri',
  'code_challenge',
  'code_challenge_method',
  'iss',
  'error',
)
const registered = clients.flatMap(({ redirectUris }) => redirectUris)
const values = fc.oneof(
  pick(...clients.map(({ id }) => id), ...registered, 'code', 'S256', 'openid', 'none', ''),
  pick(
    'http://127.0.0.1:4711/callback',
    'http://localhost:4711/callback',
    'https://evil.example/',
    'https://wiki.example.com/oidc/callback/../../evil',
    'https://wiki.example.com/oidc/callback#',
    'https://wiki.example.com.evil.example/oidc/callback',
    'http://localhost:1@evil.example/callback',
    '//evil.example',
    'javascript:alert(1)',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const pair = fc.tuple(names, values).map((both) => both.map(encodeURIComponent).join('='))
/** An honest request of one of the clients. */
const begun = fc
  .constantFrom(...clients)
  .chain(({ id, redirectUris }) => pick(...redirectUris).map((uri) => [id, uri] as const))
  .map(([id, uri]) =>
    honest
      .replace('client_id=wiki', `client_id=${id}`)
      .replace(/redirect_uri=[^&]*/, `redirect_uri=${encodeURIComponent(uri)}`),
  )
/** With parameters put in, taken out and replaced, and characters changed. */
const mutated = fc
  .tuple(
    begun,
    fc.array(fc.tuple(fc.nat(8), pair), { maxLength: 4 }),
    fc.option(fc.tuple(fc.nat(400), fc.string({ maxLength: 2 })), { freq: 3 }),
  )
  .map(([query, changes, typo]) => {
    const pairs = query.split('&')
    for (const [at, put] of changes) {
      const name = put.slice(0, put.indexOf('=') + 1)
      const same = pairs.findIndex((one) => one.startsWith(name))
      if (at % 3 === 0 || same < 0) pairs.splice(at, 0, put)
      else pairs.splice(same, 1, ...(at % 3 === 1 ? [put] : []))
    }
    const text = pairs.join('&')
    return typo === null ? text : text.slice(0, typo[0]) + typo[1] + text.slice(typo[0] + 1)
  })

/** What the query names, by a reader that is not ours; null where it names none, or several. */
function named(query: string, name: string): string | null {
  const all = new URLSearchParams(query).getAll(name)
  return all.length === 1 ? (all[0] ?? null) : null
}

const withoutPort = (uri: string) =>
  uri.replace(/^(http:\/\/(?:127\.0\.0\.1|localhost)):\d+\//, '$1/')

/** Whether this client has registered what the query names, by another technique than ours. */
function isProven(query: string): boolean {
  const client = clients.find(({ id }) => id === named(query, 'client_id'))
  const uri = named(query, 'redirect_uri')
  if (client === undefined || client.disabled === true || uri === null) return false
  return (
    client.redirectUris.includes(uri) ||
    (client.type === 'native' && client.redirectUris.includes(withoutPort(uri)))
  )
}

describe('a request that somebody has tampered with', () => {
  it('is redirected only to what its client has registered, with any fault at all', () => {
    const seen = { page: 0, client: 0, request: 0 }
    fc.assert(
      fc.property(mutated, (query) => {
        const answer = ask(query)
        seen[answer.at] += 1
        if (answer.at === 'page') {
          expect(Object.keys(answer)).toEqual(['at', 'problem'])
          return
        }
        expect(isProven(query), query).toBe(true)
        expect(answer.redirectUri).toBe(named(query, 'redirect_uri'))
        if (answer.at === 'client' && answer.state !== null)
          expect(answer.state).toBe(named(query, 'state'))
      }),
      { numRuns: rounds(2000), seed: 20_261_122 },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(rounds(100))
  })

  it('repeats nothing of it in a description', () => {
    fc.assert(
      fc.property(
        names,
        fc.string({ unit: 'grapheme', minLength: 12, maxLength: 40 }),
        (name, text) => {
          const mark = `mark${text}`
          const cleared = honest.split('&').filter((one) => !one.startsWith(`${name}=`))
          const answer = ask([...cleared, `${name}=${encodeURIComponent(mark)}`].join('&'))
          const { raw: _raw, state: _state, ...rest } = { raw: '', state: '', ...answer }
          if (answer.at !== 'request') expect(JSON.stringify(rest)).not.toContain('mark')
        },
      ),
      { numRuns: rounds(200), seed: 3 },
    )
  })
})

describe('a query of any length', () => {
  const units = ['a', 'a=', '&', '=', '+', '%41', '%', 'a=b&', 'resource=a&', '%C2%A3', '\u0301']
  const beginnings = ['', 'state=', 'scope=', 'login_hint=', 'acr_values=', `${honest}&x=`]

  const queries = beginnings.flatMap((beginning) =>
    units.flatMap((unit) =>
      [2000, 4096, 1_000_000].map((chars) =>
        (beginning + unit.repeat(chars / unit.length)).slice(0, chars),
      ),
    ),
  )

  it('takes no more than 50 steps a character, and beyond 4,096 characters none', () => {
    for (const query of queries) {
      const most = 5000 + 50 * (query.length > 4096 ? 0 : query.length)
      const steps = stepsOf(() => ask(query))
      expect(steps, `${query.slice(0, 20)} ${query.length}`).toBeLessThan(most)
    }
    for (const query of queries.filter(({ length }) => length > 4096))
      expect(ask(query)).toEqual({ at: 'page', problem: 'too-long' })
  })

  it('takes at most twice as many steps for twice the length', () => {
    const of = (pairs: number) =>
      `${honest}&${Array.from({ length: pairs }, (_none, at) => `p${1000 + at}=a+b`).join('&')}`
    const [short, long] = [of(150), of(330)]
    const stepsFor = (query: string) => stepsOf(() => ask(query))
    expect(ask(long).at).toBe('request')
    expect(stepsFor(long) / stepsFor(short)).toBeLessThan((1.1 * long.length) / short.length)
  })
})
