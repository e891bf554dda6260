// Addresses are written and read by hand: the platform's own reader is the judge.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryOf, withQuery } from '../../src/client/oauth/query.js'

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const parameters = fc.dictionary(
  text.filter((name) => name !== ''),
  text,
  { noNullPrototype: true },
)

describe('the query of an address', () => {
  it('is read as it was written, and as the platform reads it', () => {
    fc.assert(
      fc.property(parameters, fc.boolean(), (asked, hasQuery) => {
        const address = withQuery(`https://a.example/b${hasQuery ? '?%20=1' : ''}`, asked)
        const found = Object.fromEntries(queryOf(`${address}#x=y`))
        const { ' ': _own, ...read } = Object.fromEntries(new URL(address).searchParams)
        const { ' ': _same, ...mine } = found
        const { ' ': _given, ...wanted } = asked
        expect(mine).toEqual(wanted)
        expect(mine).toEqual(read)
      }),
    )
  })

  it('never throws, and has nothing that stands there twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        const found = queryOf(`https://a.example/?${query}`)
        const read = new URLSearchParams(query.split('#')[0])
        for (const [name, value] of found) {
          if (value === '' || name === '' || value.includes('%')) continue
          expect(read.getAll(name).length).toBeLessThanOrEqual(1)
        }
      }),
    )
    expect([...queryOf('https://a.example/?code=1&state=s&code=2&%63ode=3')]).toEqual([
      ['state', 's'],
    ])
    expect(queryOf('https://a.example/?a=%E0&b=1+2').get('a')).toBe('')
    expect(queryOf('https://a.example/?a=%E0&b=1+2').get('b')).toBe('1 2')
    expect([...queryOf('https://a.example/#?code=1')]).toEqual([])
    expect(queryOf('https://a.example/?a=b?c=d&&').get('a')).toBe('b?c=d')
  })
})
