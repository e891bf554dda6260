import { describe, expect, it } from 'vitest'
import { createPasswordMarker } from '../../src/pages/password-mark.js'
import { passwordHash } from '../support/host.js'
import { key, otherKey } from './flow-parts.js'

const alice = { id: 'u-alice', passwordHash }

describe('the mark of a password', () => {
  it('has 128 bits, says nothing of the hash, and is the same each time', () => {
    const { markOf } = createPasswordMarker([key])
    const mark = markOf(alice)
    expect(Buffer.from(mark, 'base64url').toString('base64url')).toBe(mark)
    expect(Buffer.from(mark, 'base64url')).toHaveLength(16)
    expect(markOf(alice)).toBe(mark)
  })

  it.each<[string, { id: string; passwordHash: string | null }]>([
    ['another hash', { ...alice, passwordHash: `${passwordHash}x` }],
    ['none', { ...alice, passwordHash: null }],
    ['the same hash of somebody else', { ...alice, id: 'u-bob' }],
  ])('fits no other: %s', (_name, other) => {
    const { markOf, fits } = createPasswordMarker([key])
    expect([fits(markOf(alice), alice), fits(markOf(alice), other)]).toEqual([true, false])
    expect(fits('', other)).toBe(false)
  })

  it('fits under every key that there is, and is made under the first', () => {
    const [before, after] = [createPasswordMarker([key]), createPasswordMarker([otherKey, key])]
    expect(after.fits(before.markOf(alice), alice)).toBe(true)
    expect(before.fits(after.markOf(alice), alice)).toBe(false)
  })
})
