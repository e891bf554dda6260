// The address of a page is the whole state of a sign-in. Who sends people to one chooses its text.
import '../support/steps.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAuthorizationRequest } from '../../src/oauth/authorization-request.js'
import { maxFlowChars } from '../../src/pages/flow.js'
import { pageAddress, readPageRequest } from '../../src/pages/page-request.js'
import { rounds } from '../support/rounds.js'
import { stepsOf } from '../support/steps.js'
import { binding, flowParts, request } from './flow-parts.js'

const base = new URL('https://chat.example.com/api/v1')
const nothing = { errand: null, flow: null, language: null, ticket: null }
const plain = { at: 'page-request', raw: request, ...nothing }

describe('the query of a page', () => {
  it('is the request as it came, and our flow behind it', () => {
    expect(readPageRequest(request)).toEqual(plain)
    expect(readPageRequest(`${request}&flow=v1.a-_.b`)).toEqual({ ...plain, flow: 'v1.a-_.b' })
    expect(readPageRequest('')).toEqual({ ...plain, raw: '' })
  })

  it.each<[string, string, object]>([
    [
      'a flow of the client’s in the middle',
      `flow=a&x=1&flow=b&${request}`,
      { raw: `flow=a&x=1&flow=b&${request}` },
    ],
    [
      'that, and ours',
      `a=1&flow=theirs&b=2&flow=ours`,
      { raw: 'a=1&flow=theirs&b=2', flow: 'ours' },
    ],
    ['nothing but ours', '&flow=a', { raw: '', flow: 'a' }],
    ['nothing but several', '&flow=a&flow=b', { raw: '' }],
    ['one alone', 'flow=a', { raw: 'flow=a' }],
    ['two at the end', `${request}&flow=a&flow=b`, {}],
    ['the same one twice', `${request}&flow=a&flow=a`, {}],
    ['an empty one', `${request}&flow=`, {}],
    ['an empty one and one', `${request}&flow=&flow=a`, {}],
    ['a name that is encoded', `${request}&%66low=a`, { raw: `${request}&%66low=a` }],
    [
      'that, in front of ours',
      `${request}&fl%6Fw=a&flow=b`,
      { raw: `${request}&fl%6Fw=a`, flow: 'b' },
    ],
    ['another case', `${request}&Flow=a`, { raw: `${request}&Flow=a` }],
    ['a name that begins the same', `${request}&flows=a`, { raw: `${request}&flows=a` }],
    ['a name without a value', `${request}&flow`, { raw: `${request}&flow` }],
    ['a semicolon', `${request};flow=a`, { raw: `${request};flow=a` }],
    ['an ampersand that is encoded', `${request}%26flow=a`, { raw: `${request}%26flow=a` }],
    ['a value that is encoded', `${request}&flow=a%2Eb`, { flow: 'a%2Eb' }],
    ['a blank behind it', `${request}&flow=a `, { flow: 'a ' }],
    ['the language that was chosen', `${request}&language=de`, { language: 'de' }],
    ['both of ours', `${request}&language=pt-BR&flow=a`, { language: 'pt-BR', flow: 'a' }],
    ['both of ours, turned round', `${request}&flow=a&language=de`, { language: 'de', flow: 'a' }],
    ['two languages', `${request}&language=de&flow=a&language=en`, { flow: 'a' }],
    ['a language that is none', `${request}&language=%22%3E`, {}],
    ['one that is too long', `${request}&language=${'a'.repeat(36)}`, {}],
    [
      'the ticket of a provider',
      `${request}&language=de&ticket=t`,
      { language: 'de', ticket: 't' },
    ],
    ['two tickets', `${request}&ticket=t&ticket=u`, {}],
    ['an ampersand behind it', `${request}&flow=a&`, { raw: `${request}&flow=a&` }],
  ])('with %s', (_name, query, expected) => {
    expect(readPageRequest(query)).toEqual({ ...plain, ...expected })
  })

  it('keeps every byte of the request, in its order', () => {
    const odd = 'b=%41+%e4&a=%2f%2F&&c=&b2=%20&login_hint=a%26flow%3Db&state=%C3%A4'
    expect(readPageRequest(`${odd}&flow=x`)).toMatchObject({ raw: odd, flow: 'x' })
    expect(readPageRequest(odd)).toMatchObject({ raw: odd })
  })

  it('with two flows of the client’s, however spelt, is a request that nobody reads in two ways', () => {
    const page = readPageRequest('a=1&flow=x&%66low=y&b=2')
    if (page.at !== 'page-request') throw new Error('no request')
    expect(parseAuthorizationRequest(page.raw)).toEqual({
      at: 'page',
      problem: 'repeated-parameter',
    })
  })

  it('has 4,096 characters and a flow, and no more', () => {
    const long = `client_id=${'x'.repeat(4096 - 10)}`
    const flow = 'f'.repeat(maxFlowChars)
    const tooLong = { at: 'page', problem: 'too-long' }
    expect(readPageRequest(`${long}&flow=${flow}`)).toMatchObject({ raw: long, flow })
    expect(readPageRequest(`${long}x&flow=a`)).toEqual(tooLong)
    expect(readPageRequest(`${long}&flow=${flow}f`)).toEqual(tooLong)
    expect(readPageRequest(`a=1${'&flow=a'.repeat(100_000)}`)).toEqual(tooLong)
    expect(readPageRequest(`a=1&ticket=${'t'.repeat(100)}`)).toMatchObject({ raw: 'a=1' })
    expect(readPageRequest(`a=1&ticket=${'t'.repeat(101)}`)).toEqual(tooLong)
    // Many of ours make no room for a longer request.
    expect(readPageRequest(`${long}x${'&flow='.repeat(10)}`)).toEqual(tooLong)
  })

  it('is read in steps that grow no faster than its length', () => {
    const stepsFor = (length: number) => {
      const query = '&flow='.repeat(length / 6)
      return stepsOf(() => readPageRequest(query))
    }
    stepsFor(6000)
    expect(stepsFor(7200)).toBeLessThan(2.1 * stepsFor(3600) + 200)
    expect(stepsFor(7200)).toBeLessThan(20 * 7200)
  })
})

describe('then=', () => {
  it.each<[string, object]>([
    ['then=account', { name: 'account' }],
    ['then=logout', { name: 'logout' }],
    ['then=device', { name: 'device', userCode: null }],
    ['then=device&user_code=BCDF-GHJK', { name: 'device', userCode: 'BCDF-GHJK' }],
  ])('is a name out of a closed list: %s', (query, errand) => {
    expect(readPageRequest(query)).toEqual({ ...plain, raw: query, errand })
    expect(readPageRequest(`${query}&flow=a`)).toEqual({ ...plain, raw: query, errand, flow: 'a' })
  })

  it.each([
    'then=https://evil.example/',
    'then=//evil.example',
    'then=%2F%2Fevil.example',
    'then=Account',
    'then=account%20',
    'then=accounts',
    'then=account&then=logout',
    'then=account&x=1',
    'then=device&user_code=',
    'then=device&user_code=https://evil.example',
    `then=device&user_code=${'B'.repeat(21)}`,
    'user_code=BCDF-GHJK&then=device',
    '%74hen=account',
    'then=account#',
    'then=account\n',
    'then=constructor',
    `then=account&${request}`,
    `${request}&then=account`,
    `${request}&then=https://evil.example/`,
  ])('elsewhere or otherwise is a parameter that we do not know: %s', (query) => {
    expect(readPageRequest(query)).toEqual({ ...plain, raw: query })
    const address = pageAddress(base, 'sign-in', { raw: query, flow: null, language: null })
    expect(new URL(address).host).toBe('chat.example.com')
  })
})

describe('the address of a page', () => {
  it('stands below where browsers reach us, with or without a path', () => {
    const at = (url: string) =>
      pageAddress(new URL(url), 'consent', { raw: 'a=1', flow: 'f', language: null })
    expect(at('https://chat.example.com/api/v1')).toBe(
      'https://chat.example.com/api/v1/oauth/consent?a=1&flow=f',
    )
    expect(at('https://chat.example.com/api/v1/')).toBe(
      'https://chat.example.com/api/v1/oauth/consent?a=1&flow=f',
    )
    expect(at('https://chat.example.com')).toBe('https://chat.example.com/oauth/consent?a=1&flow=f')
  })

  it('has no room for anything that is no query, whatever the request', () => {
    const { flows } = flowParts()
    const flow = flows.seal(flows.begin(), binding)
    const tags = fc.constantFrom('de', 'zh-Hant', null)
    const queryText = fc.string({
      unit: fc.constantFrom(...'ab=&%+;:/?@.~-_flow{}|\\^`'),
      maxLength: 60,
    })
    fc.assert(
      fc.property(queryText, fc.constantFrom(flow, null), tags, (query, ours, language) => {
        const page = readPageRequest(query)
        if (page.at !== 'page-request') return
        const address = pageAddress(base, 'sign-in', { raw: page.raw, flow: ours, language })
        const url = new URL(address)
        expect([url.origin, url.pathname, url.hash]).toEqual([
          'https://chat.example.com',
          '/api/v1/oauth/sign-in',
          '',
        ])
        // What is written is what is read.
        const [, written = ''] = address.split(/\?(.*)/s)
        const read = readPageRequest(written)
        expect(read).toMatchObject({ raw: page.raw, flow: ours, language, errand: page.errand })
      }),
      { numRuns: rounds(500) },
    )
  })
})
