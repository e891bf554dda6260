import { describe, expect, it } from 'vitest'
import { newUserCode, readUserCode, shownUserCode } from '../../src/lib/typed-codes.js'

describe('codes for people to type', () => {
  it('are eight of twenty letters, each drawn anew', () => {
    const codes = Array.from({ length: 200 }, newUserCode)
    for (const code of codes) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
    expect(new Set(codes).size).toBe(200)
    expect(new Set(codes.join('')).size).toBe(20)
  })

  it('are read in any case and with any separators', () => {
    for (const typed of ['WDJBMJHT', 'wdjb-mjht', ' wdjb mjht ', 'W D J B – M J H T'])
      expect(readUserCode(typed)).toBe('WDJBMJHT')
    expect(shownUserCode('WDJBMJHT')).toBe('WDJB-MJHT')
  })

  it('are not read from anything else, however long', () => {
    for (const typed of ['', 'WDJBMJH', 'WDJBMJHTX', 'ADJBMJHT', 'WDJB1JHT', 'ẞDJBMJHT'])
      expect(readUserCode(typed)).toBeNull()
    expect(readUserCode(`${' '.repeat(100)}WDJBMJHT`)).toBeNull()
  })
})
