import '../support/steps.js'
import type { IncomingMessage } from 'node:http'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { readPresentedClient } from '../../src/oauth/client-credentials.js'
import {
  assertionOf,
  bare,
  basic,
  client,
  ecKeys,
  edKeys,
  issuer,
  type KeyPair,
  nextSecret,
  onceInMemory,
  rsaKeys,
  type Shown,
  secret,
  startClients,
  tokenEndpoint,
} from '../support/oauth-clients.js'
import { stepsOf } from '../support/steps.js'
import { registerOf } from './some-clients.js'

const keys = ecKeys()
const wiki = client('wiki', { secretHashes: [secret.hash] })
const tool = client('tool', { jwks: { keys: [keys.jwk] } })
const desktop = client('desktop', { type: 'native' })
const gone = client('gone', { secretHashes: [secret.hash], disabled: true })
const goneApp = client('gone-app', { type: 'native', disabled: true })
const all = [wiki, tool, desktop, gone, goneApp]
const wrong = nextSecret.secret

const refusal = ({ status, text, headers }: Shown) => ({
  status,
  text,
  headers: Object.fromEntries(
    [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  ),
})
const reasons = (events: readonly object[]) =>
  events.map((event) => ('reason' in event ? event.reason : event))

describe('a client whose row has lost its secrets', () => {
  it.each<[string, object]>([
    ['all hashes', { secretHashes: [] }],
    ['all keys', { jwks: { keys: [] } }],
    ['both', { secretHashes: [], jwks: { keys: [] } }],
  ])('is nobody without %s, instead of one that everybody can be', async (_what, change) => {
    const { show, events } = await startClients(
      [],
      registerOf({ find: async () => ({ ...client('wiki'), ...change }) }),
    )
    for (const shown of [{}, { client_secret: secret.secret }, { client_secret: 'x' }])
      expect((await show({ client_id: 'wiki', ...shown })).status).toBe(401)
    expect(new Set(reasons(events))).toEqual(new Set(['unknown-client']))
  })
})

describe('a client that shows too much or too little', () => {
  const assertion = assertionOf('e30.e30.e30')
  const inBody = { client_id: 'wiki', client_secret: secret.secret }

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['nothing', {}, {}],
    ['a secret of nobody', { client_secret: 'secret' }, {}],
    ['a secret twice', inBody, basic('wiki', secret.secret)],
    ['a secret in each place, of another client each', inBody, basic('tool', 'secret')],
    ['a secret and an assertion', { ...inBody, ...assertion }, {}],
    ['a header and an assertion', assertion, basic('wiki', secret.secret)],
    ['two ids', { client_id: 'tool' }, basic('wiki', secret.secret)],
    ['an assertion that is none', assertion, {}],
    ['an assertion alone', { client_assertion: 'e30.e30.e30' }, {}],
    [
      'the type of an assertion alone',
      { client_id: 'desktop', ...assertion, client_assertion: '' },
      {},
    ],
    [
      'an assertion of another type',
      {
        client_assertion: 'e30.eyJzdWIiOiJ0b29sIn0.e30',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
      {},
    ],
    ['an id too long', { client_id: 'a'.repeat(201) }, {}],
    ['an id of other characters', { client_id: 'wiki\n' }, {}],
    ['an id outside of ASCII', { client_id: 'wikı' }, {}],
  ])('is refused with %s', async (_name, parameters, headers) => {
    const { show, events, app } = await startClients(all)
    const { status, json } = await show(parameters, headers)
    expect([status, json['error']]).toEqual([400, 'invalid_request'])
    expect(json['error_description']).not.toBe('The request is not valid.')
    expect([events, app.unforeseen]).toEqual([[], []])
  })

  it('is refused with two ids, of which one is in an assertion', async () => {
    const { show, sign, claimsOf } = await startClients(all)
    const assertion = await sign(keys, 'ES256', claimsOf('tool'))
    const { status, json } = await show({ ...assertionOf(assertion), client_id: 'wiki' })
    expect([status, json['error']]).toEqual([400, 'invalid_request'])
  })

  it.each([
    ['another scheme', 'Bearer abc'],
    ['a scheme alone', 'Basic'],
    ['a longer scheme', 'Basically d2lraTpzZWNyZXQ='],
    ['no base64', 'Basic ?'],
    ['the other base64', 'Basic d2lra-_='],
    ['no colon', bare('wiki').Authorization],
    ['no id', bare(':secret').Authorization],
    ['bytes that are no UTF-8', `Basic ${Buffer.from('wiki:\xff', 'latin1').toString('base64')}`],
    ['what is not form-encoded', bare('wiki:100%').Authorization],
    ['half a character', bare('wiki:%E2%82').Authorization],
    ['too much', bare(`wiki:${'a'.repeat(5000)}`).Authorization],
  ])('is refused with a header of %s', async (_name, Authorization) => {
    const { show } = await startClients(all)
    const { status, json } = await show({}, { Authorization })
    expect([status, json['error']]).toEqual([400, 'invalid_request'])
  })

  it('is refused with a parameter that is there twice', async () => {
    const { url } = await startClients(all)
    const answer = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `client_id=wiki&client_id=wiki&client_secret=${secret.secret}`,
    })
    expect(answer.status).toBe(400)
  })
})

describe('a client that is refused', () => {
  const cases: readonly [string, Record<string, string>, string][] = [
    ['is unknown', { client_id: 'nobody', client_secret: wrong }, 'unknown-client'],
    [
      'is unknown, by a right secret',
      { client_id: 'nobody', client_secret: secret.secret },
      'unknown-client',
    ],
    ['is unknown, and public', { client_id: 'nobody' }, 'unknown-client'],
    ['has another secret', { client_id: 'wiki', client_secret: wrong }, 'wrong-secret'],
    [
      'has no secret',
      { client_id: 'desktop', client_secret: wrong },
      'credentials-of-another-kind',
    ],
    ['has keys', { client_id: 'tool', client_secret: wrong }, 'credentials-of-another-kind'],
    ['shows none', { client_id: 'wiki' }, 'no-credentials'],
    ['shows no assertion', { client_id: 'tool' }, 'no-credentials'],
    ['is disabled', { client_id: 'gone', client_secret: secret.secret }, 'disabled'],
    ['is disabled, and public', { client_id: 'gone-app' }, 'disabled'],
  ]

  it('is told the same bytes for every reason', async () => {
    const answers: object[] = []
    for (const [, parameters] of cases) {
      const { show } = await startClients(all)
      answers.push(refusal(await show(parameters)))
    }
    expect(answers[0]).toMatchObject({ status: 401 })
    expect(JSON.parse((answers[0] as Shown).text).error).toBe('invalid_client')
    expect(answers).toEqual(cases.map(() => answers[0]))
  })

  it('is told the same bytes for every reason where it comes by Basic', async () => {
    const answers: object[] = []
    for (const id of ['nobody', 'wiki', 'desktop', 'tool', 'gone']) {
      const { show } = await startClients(all)
      const headers = basic(id, id === 'gone' ? secret.secret : wrong)
      answers.push(refusal(await show({}, headers)))
    }
    expect(answers[0]).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="oauth"' },
    })
    expect(answers).toEqual(answers.map(() => answers[0]))
  })

  it.each(cases)('because it %s, raises one event', async (_name, parameters, reason) => {
    const { show, events } = await startClients(all)
    await show(parameters)
    const isKnown = all.some(({ id }) => id === parameters['client_id'])
    expect(events).toEqual([
      { type: 'client.refused', reason, clientId: isKnown ? parameters['client_id'] : null },
    ])
    for (const text of [wrong, secret.secret, 'nobody'])
      expect(JSON.stringify(events)).not.toContain(text)
  })

  it('is not found by a store that compares loosely', async () => {
    const find = async (id: string) => all.find((one) => one.id === id.toLowerCase()) ?? null
    const { show, events } = await startClients(all, { find })
    expect((await show({ client_id: 'Wiki', client_secret: secret.secret })).status).toBe(401)
    expect(reasons(events)).toEqual(['unknown-client'])
  })

  it.each(['wiki', 'nobody'])('20 times in 15 minutes, as %s, waits', async (id) => {
    const { show, events } = await startClients(all)
    const guess = () => show({ client_id: id, client_secret: wrong })
    const answers = await Promise.all(Array.from({ length: 25 }, guess))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
    const last = await guess()
    expect([last.status, last.json['error']]).toEqual([429, 'too-many-requests'])
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(events.filter(({ type }) => type === 'login.throttled')).toHaveLength(6)
    // Others are not made to wait, nor who has the secret.
    expect((await show({ client_id: 'wiki', client_secret: secret.secret })).status).toBe(200)
    expect((await show({ client_id: 'gone', client_secret: wrong })).status).toBe(401)
    expect((await show({ client_id: 'desktop' })).status).toBe(200)
  })

  it('is not refused because a store is out of reach: that is 503', async () => {
    const down = async () => {
      throw new AuthError('temporarily-unavailable', { retryAfter: 2 })
    }
    const noClients = await startClients(all, { find: down })
    const noOnce = await startClients(all, { once: { claim: down } })
    const assertion = await noOnce.sign(keys, 'ES256', noOnce.claimsOf('tool'))
    for (const answer of [
      await noClients.show({ client_id: 'desktop' }),
      await noOnce.show(assertionOf(assertion)),
    ])
      expect([answer.status, answer.json['error'], answer.headers.get('retry-after')]).toEqual([
        503,
        'temporarily_unavailable',
        '2',
      ])
  })
})

type Started = Awaited<ReturnType<typeof startClients>>

describe('an assertion', () => {
  const start = (of: readonly KeyPair[] = [keys], once = onceInMemory()) =>
    startClients([client('tool', { jwks: { keys: of.map(({ jwk }) => jwk) } }), wiki], { once })
  const claimed = (started: Started, changes: Record<string, unknown>) => ({
    ...started.claimsOf('tool'),
    ...changes,
  })

  it.each<[string, (started: Started) => Record<string, unknown>, string]>([
    ['of another issuer', () => ({ iss: 'wiki' }), 'assertion-claims'],
    ['without an issuer', () => ({ iss: undefined }), 'assertion-claims'],
    ['for another server', () => ({ aud: 'https://evil.example' }), 'assertion-audience'],
    ['for others besides', () => ({ aud: [issuer, 'https://evil.example'] }), 'assertion-audience'],
    [
      'for us in two ways and others besides',
      () => ({ aud: [issuer, tokenEndpoint, 'https://evil.example'] }),
      'assertion-audience',
    ],
    ['for a list of another', () => ({ aud: ['https://evil.example'] }), 'assertion-audience'],
    ['for a list of lists', () => ({ aud: [[issuer]] }), 'assertion-audience'],
    ['for an empty list', () => ({ aud: [] }), 'assertion-audience'],
    ['for almost us', () => ({ aud: `${issuer}/` }), 'assertion-audience'],
    ['for nobody', () => ({ aud: undefined }), 'assertion-audience'],
    ['without a name', () => ({ jti: undefined }), 'assertion-claims'],
    ['with an empty name', () => ({ jti: '' }), 'assertion-claims'],
    ['with a name too long', () => ({ jti: 'a'.repeat(257) }), 'assertion-claims'],
    ['with a number for a name', () => ({ jti: 1 }), 'assertion-claims'],
    ['without an end', () => ({ exp: undefined }), 'assertion-times'],
    ['that is over', ({ seconds }) => ({ exp: seconds() - 20 }), 'assertion-times'],
    ['good for too long', ({ seconds }) => ({ exp: seconds() + 321 }), 'assertion-times'],
    ['not good yet', ({ seconds }) => ({ nbf: seconds() + 21 }), 'assertion-times'],
    ['with a text for an end', () => ({ exp: 'soon' }), 'assertion-malformed'],
  ])('%s is refused, and its name not used up', async (_name, changes, reason) => {
    const once = onceInMemory()
    const started = await start([keys], once)
    const { show, sign, events } = started
    const assertion = await sign(keys, 'ES256', claimed(started, changes(started)))
    expect((await show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(events)).toEqual([reason])
    expect(once.keys.size).toBe(0)
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['an access token', { typ: 'at+jwt' }, 'assertion-malformed'],
    ['of a type that is no text', { typ: 1 }, 'assertion-malformed'],
    ['with what must be understood', { crit: ['exp'], exp: 1 }, 'assertion-malformed'],
    ['that names another key', { kid: 'another' }, 'assertion-of-unknown-key'],
  ])('%s is refused', async (_name, header, reason) => {
    const started = await start()
    const { show, events } = started
    const sign = new SignJWT(started.claimsOf('tool'))
    const assertion = await sign
      .setProtectedHeader({ alg: 'ES256', ...header })
      .sign(keys.privateKey, { crit: { exp: true } })
    expect((await show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(events)).toEqual([reason])
  })

  it('that brings its own key is judged by ours', async () => {
    const thief = ecKeys()
    const started = await start()
    for (const header of [{ jwk: thief.jwk }, { jku: 'https://evil.example/keys' }]) {
      const claims = started.claimsOf('tool')
      const assertion = await started.sign(thief, 'ES256', claims, header)
      expect((await started.show(assertionOf(assertion))).status).toBe(401)
    }
    expect(reasons(started.events)).toEqual(['assertion-signature', 'assertion-signature'])
  })

  it('cannot choose its algorithm: the key does', async () => {
    const rsa = rsaKeys({ alg: 'PS256' })
    const started = await start([keys, rsa])
    const claims = started.claimsOf('tool')
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const body = encode(claims)
    const assertions = [
      // The same key by the other padding.
      await started.sign(rsa, 'RS256', claims),
      // The public key as the secret of an HMAC.
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(JSON.stringify(keys.jwk))),
      // No signature at all.
      `${encode({ alg: 'none' })}.${body}.`,
      `${encode({ alg: 'ES256' })}.${body}.`,
      `${encode({ alg: 'ES256' })}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    ]
    for (const assertion of assertions)
      expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(started.app.unforeseen).toEqual([])
  })

  it('that is over is so by whichever of the client’s keys', async () => {
    const [first, second] = [ecKeys(), ecKeys()]
    const started = await start([first, second])
    const claims = claimed(started, { exp: started.seconds() - 20 })
    for (const one of [first, second])
      await started.show(assertionOf(await started.sign(one, 'ES256', claims)))
    expect(reasons(started.events)).toEqual(['assertion-times', 'assertion-times'])
  })

  it('of another client’s key is refused', async () => {
    const theirs = edKeys()
    const started = await startClients([tool, client('other', { jwks: { keys: [theirs.jwk] } })])
    const assertion = await started.sign(theirs, 'EdDSA', started.claimsOf('tool'))
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(started.events)).toEqual(['assertion-of-unknown-key'])
  })

  it.each([
    ['for encryption', ecKeys({ use: 'enc' }), 'ES256', 'assertion-of-unknown-key'],
    ['for another algorithm', ecKeys({ alg: 'ES384' }), 'ES256', 'assertion-of-unknown-key'],
    ['of 1024 bits', rsaKeys({}, 1024), 'RS256', 'unusable-key'],
    [
      'that is broken',
      { ...keys, jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } },
      'ES256',
      'unusable-key',
    ],
  ])('by a key %s is refused', async (_name, pair, alg, reason) => {
    const started = await start([pair])
    const claims = started.claimsOf('tool')
    const { privateKey } = pair
    // jose signs with no such key.
    const header = Buffer.from(JSON.stringify({ alg })).toString('base64url')
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    const { sign } = await import('node:crypto')
    const signature = sign('sha256', Buffer.from(`${header}.${body}`), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    const assertion = `${header}.${body}.${signature.toString('base64url')}`
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(started.events)).toEqual([reason])
    expect(started.app.unforeseen).toEqual([])
  })

  it('of a client that has a secret and no key is refused', async () => {
    const started = await start()
    const assertion = await started.sign(keys, 'ES256', started.claimsOf('wiki'))
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(started.events)).toEqual(['credentials-of-another-kind'])
  })

  it('of a client that is disabled is refused, and its name not used up', async () => {
    const once = onceInMemory()
    const off = client('tool', { jwks: { keys: [keys.jwk] }, disabled: true })
    const started = await startClients([off], { once })
    const assertion = await started.sign(keys, 'ES256', started.claimsOf('tool'))
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect([reasons(started.events), once.keys.size]).toEqual([['disabled'], 0])
  })

  it('is good once, of 50 that come together', async () => {
    const started = await start()
    const assertion = await started.sign(keys, 'ES256', started.claimsOf('tool'))
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => started.show(assertionOf(assertion))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = started.events.filter(({ type }) => type === 'client.refused')
    expect(new Set(reasons(refused))).toEqual(new Set(['assertion-replayed']))
    expect(refused).toHaveLength(49)
  })

  it('is good once, signed anew or not, until nobody would take it any more', async () => {
    const started = await start()
    const claims = started.claimsOf('tool')
    const assertion = await started.sign(keys, 'ES256', claims)
    expect((await started.show(assertionOf(assertion))).status).toBe(200)
    const again = await started.sign(keys, 'ES256', { ...claims, scope: 'more' })
    expect((await started.show(assertionOf(again))).status).toBe(401)
    // The last second in which the tolerance lets it in.
    started.clock.advance(60 + 19)
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    started.clock.advance(1)
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(started.events)).toEqual([
      'assertion-replayed',
      'assertion-replayed',
      'assertion-times',
    ])
  })

  it('is good once, also where its end and the clock are between two seconds', async () => {
    const started = await start()
    started.clock.set(new Date('2026-03-01T12:00:00.950Z'))
    const claims = claimed(started, { exp: started.seconds() - 19.9 })
    const assertion = await started.sign(keys, 'ES256', claims)
    expect((await started.show(assertionOf(assertion))).status).toBe(200)
    expect((await started.show(assertionOf(assertion))).status).toBe(401)
    expect(reasons(started.events)).toEqual(['assertion-replayed'])
  })

  it('does not use up the name of another client’s', async () => {
    const theirs = ecKeys()
    const other = client('other', { jwks: { keys: [theirs.jwk] } })
    const started = await startClients([tool, other])
    for (const [id, pair] of [
      ['tool', keys],
      ['other', theirs],
    ] as const) {
      const claims = { ...started.claimsOf(id), jti: 'the same' }
      const assertion = await started.sign(pair, 'ES256', claims)
      expect((await started.show(assertionOf(assertion))).status).toBe(200)
    }
    // Of the names nothing is kept in clear.
    expect([...started.once.keys.keys()].join()).not.toContain('the same')
  })
})

describe('what a client sends, at its full length,', () => {
  const nothing = { one: () => null, all: () => [] }
  const request = (authorization: string) =>
    ({ rawHeaders: ['Authorization', authorization], headers: {} }) as unknown as IncomingMessage

  it.each([
    ['blanks', (n: number) => `Basic ${' '.repeat(n)}!`],
    ['base64', (n: number) => `Basic ${'A'.repeat(n)}!`],
    ['padding', (n: number) => `Basic A${'='.repeat(n)}`],
    ['percent signs', (n: number) => bare(`a:${'%25'.repeat(n / 4)}`).Authorization],
    ['colons', (n: number) => bare(':'.repeat(n)).Authorization],
  ])('of %s, takes at most 20 steps a byte at 10 KB, and at 20 KB', (_name, make) => {
    for (const length of [4_000, 10_000, 20_000]) {
      const header = make(length)
      const read = () => {
        try {
          readPresentedClient(request(header), nothing)
        } catch (error) {
          if (!(error instanceof AuthError)) throw error
        }
      }
      read()
      expect(stepsOf(read)).toBeLessThan(2000 + 20 * header.length)
    }
  })

  it('an assertion that is longer than any is not read', async () => {
    const { show } = await startClients(all)
    const long = assertionOf(`${'e30'.repeat(2000)}.e30.e30`)
    expect((await show(long)).status).toBe(400)
  })
})
