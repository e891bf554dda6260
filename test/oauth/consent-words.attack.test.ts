// The words that a consent is kept by say each pair of an API and a scope, and never another one,
// whatever scopes and APIs are called.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fitsWith,
  hasWords,
  isReservedScope,
  readConsent,
  wordsOfGrant,
  wordsOfPage,
} from '../../src/oauth/consent-words.js'

const own = 'https://chat.example.com/api'
const digest = 'A'.repeat(43)
const scope = fc
  .oneof(
    fc.constantFrom('read', 'write', ':read', 'a:read', 'Mar-at:x', 'mar', 'at:read', digest),
    fc.constantFrom(`${digest}:read`, `:${digest}:read`, 'xmar-at:read'),
    fc.stringMatching(/^[!#-[\]-~]{1,12}$/),
  )
  .filter((word) => !isReservedScope(word))
const resource = fc.constantFrom(own, 'https://a.example/', 'https://a.example', 'urn:a', 'urn:a:b')
const pair = fc.tuple(resource, scope)

const grantOf = ([one, word]: readonly [string, string]) =>
  wordsOfGrant({ scopes: [word], resources: [one] }, own)

describe('The words of a consent', () => {
  it('have a pair if it was allowed, and no other', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 8 }), pair, (allowed, asked) => {
        const granted = allowed.flatMap(grantOf)
        const isAllowed = allowed.some(([one, word]) => one === asked[0] && word === asked[1])
        expect(hasWords(granted, grantOf(asked))).toBe(isAllowed)
      }),
      { numRuns: 20_000, seed: 20_261_124 },
    )
  })

  it('are read as the pairs that they were written of', () => {
    const lists = fc.array(pair, { maxLength: 12 })
    const resources = ['https://a.example/', 'https://a.example', 'urn:a', 'urn:a:b']
    fc.assert(
      fc.property(lists, (allowed) => {
        const { scopes, resources: others } = readConsent(allowed.flatMap(grantOf), resources)
        const read = [
          ...scopes.map((word) => `${own} ${word}`),
          ...others.flatMap((one) => one.scopes.map((word) => `${one.resource} ${word}`)),
        ]
        expect(read.sort()).toEqual(allowed.map((one) => one.join(' ')).sort())
      }),
      { numRuns: 2000, seed: 20_261_124 },
    )
  })

  it.each<[string, 'web' | 'native', [string, string], boolean]>([
    ['two paths', 'web', ['https://a.example/b', 'https://a.example/c?d'], true],
    ['two hosts', 'web', ['https://a.example/b', 'https://b.example/b'], false],
    ['two ports', 'web', ['https://a.example/b', 'https://a.example:8443/b'], false],
    ['two ports of loopback', 'native', ['http://127.0.0.1:1/b', 'http://[::1]:2/c'], true],
    ['a site on loopback', 'native', ['https://localhost/b', 'http://localhost:2/c'], true],
    ['two schemes', 'native', ['com.example.a:/b', 'com.example.b:/b'], false],
    ['a scheme and loopback', 'native', ['com.example.a:/b', 'http://127.0.0.1/b'], false],
    ['a scheme and a site', 'native', ['com.example:/b', 'https://com.example/b'], false],
    ['a host called as the device', 'native', ['https://device/b', 'http://127.0.0.1/b'], false],
    ['a name and its end', 'web', ['https://a.example/b', 'https://b.a.example/b'], false],
  ])('take %s, of a client that is %s, %j, for one place: %s', (_what, type, uris, isOne) => {
    const [one, other] = uris.map((redirectUri) =>
      wordsOfPage({ client: { type }, redirectUri, scopes: ['read'], resources: [own] }, own),
    )
    expect(hasWords(one as string[], other as string[])).toBe(isOne)
  })

  it('are in no row that a text column could not hold', () => {
    const words = (count: number, chars: number) =>
      Array.from({ length: count }, (_none, at) => `${at}`.padEnd(chars, 'x'))
    const rowOf = (all: readonly string[]) =>
      JSON.stringify(Object.fromEntries(all.map((word) => [word, 1]))).length
    for (const chars of [5, 64, 200, 3000]) {
      const most = Math.floor(16_000 / (chars + '"":1,'.length))
      for (let count = most - 5; count <= most + 5; count += 1) {
        const all = words(Math.max(count, 1), chars)
        const row = rowOf(all)
        const isFit = fitsWith(all.slice(1), all)
        expect(isFit, `${count} of ${chars}`).toBe(fitsWith([], all))
        // The comma that the last one has not is counted all the same.
        expect(isFit).toBe(row + 1 <= 16_000)
      }
    }
  })
})
