import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redirectLocation } from '../../src/oauth/redirect-uri.js'
import { rounds } from '../support/rounds.js'

const iss = 'https://chat.example.com'
const encodedIss = 'https%3A%2F%2Fchat.example.com'

describe('the address of an answer', () => {
  it('has code, state and iss behind the redirect URI', () => {
    expect(
      redirectLocation('https://wiki.example.com/cb', { code: 'mar_oc_x', state: 'a b', iss }),
    ).toBe(`https://wiki.example.com/cb?code=mar_oc_x&state=a%20b&iss=${encodedIss}`)
  })

  it('has error, description, state and iss where there is no code', () => {
    const error_description = 'A page must be shown first.'
    expect(
      redirectLocation('https://a.example/', {
        error: 'login_required',
        error_description,
        state: 'x',
        iss,
      }),
    ).toBe(
      'https://a.example/?error=login_required&' +
        `error_description=A%20page%20must%20be%20shown%20first.&state=x&iss=${encodedIss}`,
    )
  })

  it('has iss without a state, too', () => {
    expect(redirectLocation('https://a.example/', { code: 'c', state: null, iss })).toBe(
      `https://a.example/?code=c&iss=${encodedIss}`,
    )
  })

  it.each([
    ['https://wiki.example.com', '?'],
    ['https://wiki.example.com/cb?tenant=a', '&'],
    ['https://wiki.example.com/cb?', ''],
    ['https://wiki.example.com/cb?a=1&', ''],
    // A URL parser would change each of these.
    ['https://wiki.example.com:443/a/../b//c', '?'],
    ["https://wiki.example.com/cb?q='a'&%41=|", '&'],
    ['http://127.0.0.1:80/callback', '?'],
    ['http://localhost:4711', '?'],
    ['com.example.chat:/callback', '?'],
    ['com.example.chat://callback?x=1', '&'],
  ])('keeps %s to the letter', (redirectUri, separator) => {
    expect(redirectLocation(redirectUri, { code: 'c', state: 's', iss })).toBe(
      `${redirectUri}${separator}code=c&state=s&iss=${encodedIss}`,
    )
  })

  it('brings any state back byte for byte, however it is read, and adds nothing else', () => {
    const visible = fc.string({
      unit: fc.integer({ min: 32, max: 126 }).map((at) => String.fromCharCode(at)),
    })
    fc.assert(
      fc.property(visible, (state) => {
        const text = redirectLocation('https://a.example/cb?x=1', { code: 'c', state, iss })
        expect(text).toMatch(/^[!-~]+$/)
        // As a form, as a URI, and by a browser, which writes nothing otherwise.
        expect([...new URL(text).searchParams]).toEqual([
          ['x', '1'],
          ['code', 'c'],
          ['state', state],
          ['iss', iss],
        ])
        expect(decodeURIComponent(/&state=([^&]*)&/.exec(text)?.[1] ?? '')).toBe(state)
        expect(new URL(text).href).toBe(text)
      }),
      { numRuns: rounds(200), seed: 5 },
    )
  })
})
