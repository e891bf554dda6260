// Whatever a stranger sends is an answer, and never a fault.
import { sign } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { readPresentedClient } from '../../src/oauth/client-credentials.js'
import { assertionAlgorithms, judgeAssertion } from '../../src/signers/client-assertion.js'
import { ecKeys, issuer } from '../support/oauth-clients.js'
import { rounds } from '../support/rounds.js'

const seed = 20_260_301
const now = new Date('2026-03-01T12:00:00Z')
const seconds = now.getTime() / 1000
const keys = ecKeys({ kid: 'one' })
const rules = { clientId: 'tool', keys: [keys.jwk], audiences: [issuer], now }
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** With a good signature, whatever it says. */
function signed(header: unknown, claims: unknown): string {
  const input = `${encode(header)}.${encode(claims)}`
  const key = { key: keys.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

const right = {
  alg: 'ES256',
  iss: 'tool',
  sub: 'tool',
  aud: issuer,
  jti: 'a',
  exp: seconds + 60,
}
/** The right value, or any other. */
const about = (value: unknown) => fc.oneof(fc.constant(value), fc.jsonValue({ maxDepth: 2 }))

describe('an assertion with any content', () => {
  it('holds only if each part of it is right', async () => {
    const headers = fc.record(
      { alg: about('ES256'), typ: about('JWT'), kid: about('one'), crit: fc.jsonValue() },
      { requiredKeys: ['alg'] },
    )
    const claims = fc.record({
      iss: about('tool'),
      sub: about('tool'),
      aud: about(issuer),
      jti: about('a'),
      exp: about(seconds + 60),
    })
    const property = fc.asyncProperty(headers, claims, async (header, body) => {
      const { problem } = await judgeAssertion(signed(header, body), rules)
      if (problem !== null) return
      expect(body).toMatchObject({ iss: 'tool', sub: 'tool', aud: issuer })
      expect(typeof body.jti).toBe('string')
      expect(typeof body.exp).toBe('number')
      expect([header.alg, header.crit]).toEqual(['ES256', undefined])
    })
    await fc.assert(property, { seed, numRuns: rounds(200) })
  })

  it('that is changed anywhere is refused', async () => {
    const { alg, ...claims } = right
    const assertion = signed({ alg }, claims)
    expect((await judgeAssertion(assertion, rules)).problem).toBeNull()
    // The last character holds bits that no byte has.
    const places = fc.nat({ max: assertion.length - 2 })
    const characters = fc.constantFrom(...'ABCxyz019-_.=')
    const property = fc.asyncProperty(places, characters, async (at, character) => {
      if (assertion[at] === character) return
      const changed = `${assertion.slice(0, at)}${character}${assertion.slice(at + 1)}`
      expect((await judgeAssertion(changed, rules)).problem).not.toBeNull()
    })
    await fc.assert(property, { seed, numRuns: rounds(100) })
  })

  it('is judged without a fault where it is any text', async () => {
    const property = fc.asyncProperty(
      fc.string({ unit: 'binary', maxLength: 200 }),
      async (text) => {
        expect((await judgeAssertion(text, rules)).problem).toBe('assertion-malformed')
      },
    )
    await fc.assert(property, { seed, numRuns: rounds(100) })
  })

  it('costs no more signatures than a client may have keys', async () => {
    const many = Array.from({ length: 11 }, () => ecKeys())
    const last = many.at(-1) as (typeof many)[number]
    const { alg, ...claims } = right
    const input = `${encode({ alg })}.${encode(claims)}`
    const key = { key: last.privateKey, dsaEncoding: 'ieee-p1363' } as const
    const assertion = `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
    const judge = (some: typeof many) =>
      judgeAssertion(assertion, { ...rules, keys: some.map(({ jwk }) => jwk) })
    expect((await judge(many)).problem).toBe('assertion-signature')
    expect((await judge(many.slice(1))).problem).toBeNull()
  })

  it('may be by these algorithms, which the metadata tells', () => {
    expect([...assertionAlgorithms].sort()).toEqual(['ES256', 'EdDSA', 'PS256', 'RS256'])
  })
})

describe('a client with any credentials', () => {
  it('is one client by one method, or refused', () => {
    const text = fc.oneof(
      fc.constantFrom('', 'wiki', 'a:b', '%', '+', 'é'),
      fc.string({ unit: 'binary', maxLength: 30 }),
    )
    const header = fc.option(
      fc.oneof(
        text,
        text.map((one) => `Basic ${Buffer.from(one).toString('base64')}`),
        fc.tuple(text, text).map((two) => `Basic ${Buffer.from(two.join(':')).toString('base64')}`),
      ),
      { nil: null },
    )
    const parameters = fc.record(
      {
        client_id: text,
        client_secret: text,
        client_assertion: text,
        client_assertion_type: text,
      },
      { requiredKeys: [] },
    )
    const property = fc.property(header, parameters, (authorization, sent) => {
      const rawHeaders = authorization === null ? [] : ['Authorization', authorization]
      const request = { rawHeaders, headers: {} } as unknown as IncomingMessage
      const one = (name: string) => sent[name as keyof typeof sent] || null
      try {
        const { id } = readPresentedClient(request, { one, all: () => [] })
        expect(id).toMatch(/^[ -~]{1,200}$/)
        if (sent.client_id) expect(id).toBe(sent.client_id)
      } catch (error) {
        expect(error).toBeInstanceOf(AuthError)
        expect((error as AuthError).status).toBe(400)
      }
    })
    fc.assert(property, { seed, numRuns: rounds(500) })
  })
})
