// In whichever order parameters are sent, and however they are encoded: the same is decided. A
// reader that takes the first of two, or judges one before another, can be told two stories.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkAuthorizationRequest,
  parseAuthorizationRequest,
} from '../../src/oauth/authorization-request.js'
import { hasWords, wordsOfGrant } from '../../src/oauth/consent-words.js'
import {
  type AuthorizationFlow,
  type BrowserSignIn,
  decideAuthorization,
} from '../../src/oauth/decide-authorization.js'
import { expectNothingTold } from '../support/after-attack.js'
import { rounds } from '../support/rounds.js'
import {
  desktop as app,
  wiki as confidential,
  formOf,
  requestOf,
  secret,
  startRelyingParties,
} from './relying-party.js'
import { bridge, desktop, knownScopes, ownResource, tracker, wiki } from './some-clients.js'

type Pair = readonly [name: string, value: string]
type Pairs = readonly Pair[]

const clients = new Map([wiki, desktop, tracker, bridge].map((client) => [client.id, client]))
const now = new Date('2026-03-01T12:00:00Z')
const session: BrowserSignIn = {
  userId: 'u-alice',
  authenticatedAt: new Date(now.getTime() - 60_000),
  acr: 'urn:mar:1fa',
  reachableAcrs: ['urn:mar:2fa'],
  required: [],
  isByFormerSecret: false,
}
const granted: readonly string[] = ['openid', 'messages:read']
const flows: readonly AuthorizationFlow[] = [
  { done: [], hintedUserId: null, now },
  { done: ['login'], hintedUserId: 'u-bob', now },
]

/** All that is decided of a query, for a browser that is signed in and for one that is not. */
function decisionsOf(query: string): object {
  const parsed = parseAuthorizationRequest(query)
  if (parsed.at === 'page') return parsed
  const client = clients.get(parsed.clientId ?? '') ?? null
  const checked = checkAuthorizationRequest(parsed, client, {
    knownScopes,
    ownResource,
    ownAddress: ownResource,
  })
  if (checked.at !== 'request') return checked
  const { raw: _raw, ...request } = checked
  const isAllowed = hasWords(granted, wordsOfGrant(checked, ownResource))
  const next = [session, null].flatMap((who) =>
    flows.map((flow) => decideAuthorization(checked, who, isAllowed, flow)),
  )
  return { request, next }
}

const formEncoded = ([name, value]: Pair) => new URLSearchParams([[name, value]]).toString()
const percentEncoded = (pair: Pair) =>
  pair.map((text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&')).join('=')
const queryOf = (pairs: Pairs, encode = formEncoded) => pairs.map(encode).join('&')

const challenge = 'A'.repeat(43)
const bases: readonly Pairs[] = [wiki, desktop, tracker, bridge].map(({ id, redirectUris }) => [
  ['client_id', id],
  ['redirect_uri', redirectUris.at(-1) ?? ''],
  ['response_type', 'code'],
  ['code_challenge', challenge],
  ['code_challenge_method', 'S256'],
  ['scope', 'openid'],
  ['state', 'a &=+'],
])
const some: Readonly<Record<string, readonly string[]>> = {
  client_id: ['wiki', 'nobody'],
  redirect_uri: ['https://evil.example/', wiki.redirectUris[0] ?? ''],
  response_type: ['token', 'code token'],
  response_mode: ['query', 'fragment'],
  code_challenge: ['short', challenge],
  code_challenge_method: ['plain'],
  scope: ['openid messages:read', 'openid  profile', '*', 'unknown', ''],
  state: ['£', 'x', ''],
  nonce: ['n', '€'],
  prompt: ['none', 'login', 'none login', 'consent', 'select_account', 'page'],
  max_age: ['0', '30', '3600', '-1'],
  login_hint: ['alice', 'sub:x'],
  id_token_hint: ['x'],
  acr_values: ['phr urn:mar:2fa', 'urn:mar:1fa'],
  ui_locales: ['de en'],
  resource: [ownResource, 'https://search.example.com/', 'https://evil.example/'],
  request: ['x'],
  request_uri: ['x'],
  registration: ['{}'],
  claims: ['{}'],
  __proto__x: ['y'],
}
const changes = Object.entries(some).flatMap(([name, values]) =>
  values.map((value): Pair => [name, value]),
)
/** A base, of which some is left out or replaced, and to which some is added, even twice. */
const requests = fc
  .tuple(
    fc.constantFrom(...bases),
    fc.array(fc.constantFrom(...changes), { maxLength: 4 }),
    fc.array(fc.constantFrom(...changes), { maxLength: 1 }),
    fc.nat(60),
  )
  .map(([base, replaced, added, out]): Pairs => {
    const names = replaced.map(([name]) => name)
    const kept = base.filter(([name], at) => !names.includes(name) && at !== out)
    return [...kept, ...replaced, ...added]
  })
/** The same in two orders. */
const shuffled = requests.chain((pairs) => {
  const { length } = pairs
  const other = fc.shuffledSubarray([...pairs], { minLength: length, maxLength: length })
  return fc.tuple(fc.constant(pairs), other)
})

describe('an authorization request', () => {
  it('decides the same in any order of its parameters, over a thousand requests', () => {
    const seen: Record<string, number> = {}
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        const decided = decisionsOf(queryOf(one))
        const what = 'request' in decided ? 'request' : String((decided as { at: string }).at)
        seen[what] = (seen[what] ?? 0) + 1
        return isDeepStrictEqual(decisionsOf(queryOf(other)), decided)
      }),
      { numRuns: rounds(1000), seed: 20_261_122 },
    )
    // Of each kind there were enough.
    for (const what of ['request', 'client', 'page'])
      expect(seen[what]).toBeGreaterThan(rounds(100))
  })

  it('decides the same in either encoding, with empty pairs anywhere', () => {
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        const decided = decisionsOf(queryOf(one))
        const encoded = queryOf(other, percentEncoded)
        if (encoded.length > 4000) return
        expect(decisionsOf(encoded)).toEqual(decided)
        expect(decisionsOf(`&${queryOf(other).replaceAll('&', '&&')}&`)).toEqual(decided)
      }),
      { numRuns: rounds(100), seed: 20_261_122 },
    )
  })

  it('is answered the same over HTTP: the same code for a session, the same error', async () => {
    const at = await startRelyingParties()
    const base = Object.entries(requestOf(confidential)) as [string, string][]
    const asked: Pairs[] = [
      base,
      [...base, ['prompt', 'none'], ['max_age', '0']],
      [...base, ['prompt', 'login']],
      [...base, ['request', 'x'], ['response_mode', 'fragment'], ['resource', 'urn:x']],
      [...base, ['client_id', 'ledger']],
    ]
    for (const pairs of asked) {
      const orders = fc.sample(
        fc.shuffledSubarray([...pairs], { minLength: pairs.length, maxLength: pairs.length }),
        { numRuns: 8, seed: 7 },
      )
      const answers = new Set<string>()
      for (const order of orders) {
        const { status, params, text } = await at.authorize(queryOf(order), at.cookie)
        const { code, ...rest } = params
        const page = text.replace(/<code [^<]*/, '')
        // A page on the way keeps the order of what it was asked for.
        const told = Object.entries(rest).sort()
        answers.add(JSON.stringify([status, code !== undefined, told, page]))
        // A session may have so many codes in a minute.
        at.clock.advance(60)
      }
      expect([...answers]).toHaveLength(1)
    }
    expectNothingTold(at.host, [secret.secret])
  })
})

describe('a request for tokens', () => {
  const start = () => {
    let last = 0
    // Each from a network of its own: what is refused is counted.
    const clientAddress = () => `10.0.${Math.floor(++last / 200)}.${last % 200}`
    return startRelyingParties({ options: { clientAddress } })
  }
  const orders = (pairs: Pairs, numRuns: number) =>
    fc.sample(
      fc.shuffledSubarray([...pairs], { minLength: pairs.length, maxLength: pairs.length }),
      { numRuns, seed: 11 },
    )

  it('is refused for the same reason in any order', async () => {
    const at = await start()
    const id: Pair = ['client_id', app.id]
    const code: Pair = ['grant_type', 'authorization_code']
    const again: Pair = ['grant_type', 'refresh_token']
    const more: Pairs = [
      ['redirect_uri', 'https://app.example.com/callback'],
      ['code', 'x'],
      ['code_verifier', 'short'],
      ['refresh_token', 'x'],
      ['scope', 'openid'],
      ['resource', 'urn:x'],
    ]
    const asked: Pairs[] = [
      [id, code, ...more],
      [id, again, ...more],
      [id, code, again, ...more],
      [id, ...more],
      [id, code, ...more, ['client_secret', 'x']],
      [id, ['client_id', 'wiki'], code, ...more],
      [...more, code],
    ]
    for (const pairs of asked) {
      const answers = new Set<string>()
      for (const order of orders(pairs, 10)) {
        const body = queryOf(order)
        const answer = await fetch(`${at.host.url}/oauth/token`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body,
        })
        expect(answer.status).toBeGreaterThanOrEqual(400)
        answers.add(`${answer.status} ${await answer.text()}`)
      }
      expect([...answers]).toHaveLength(1)
    }
  })

  it('is granted in any order, as a form and as JSON', async () => {
    const at = await start()
    for (let round = 0; round < 6; round += 1) {
      const form = Object.entries(await at.codeFor(app)) as [string, string][]
      const [order = []] = orders([...form, ['client_id', app.id]], round + 1).slice(-1)
      const isForm = round % 2 === 0
      const answer = await fetch(`${at.host.url}/oauth/token`, {
        method: 'POST',
        headers: {
          'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        },
        body: isForm
          ? formOf(Object.fromEntries(order))
          : JSON.stringify(Object.fromEntries(order)),
      })
      const { scope, token_type } = (await answer.json()) as Record<string, string>
      expect([answer.status, scope, token_type]).toEqual([200, 'openid', 'Bearer'])
    }
  })
})
