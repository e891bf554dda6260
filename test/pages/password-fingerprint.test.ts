import { describe, expect, it } from 'vitest'
import { createPasswordFingerprint } from '../../src/pages/flow.js'
import { passwordHash } from '../support/host.js'
import { key, otherKey } from './flow-parts.js'

const alice = { id: 'u-alice', passwordHash }

describe('the fingerprint of a password', () => {
  it('has 128 bits, says nothing of the hash, and is the same each time', () => {
    const fingerprint = createPasswordFingerprint([key])
    const made = fingerprint.of(alice)
    expect(Buffer.from(made, 'base64url').toString('base64url')).toBe(made)
    expect(Buffer.from(made, 'base64url')).toHaveLength(16)
    expect(fingerprint.of(alice)).toBe(made)
  })

  it.each<[string, { id: string; passwordHash: string | null }]>([
    ['another hash', { ...alice, passwordHash: `${passwordHash}x` }],
    ['none', { ...alice, passwordHash: null }],
    ['the same hash of somebody else', { ...alice, id: 'u-bob' }],
  ])('fits no other: %s', (_name, other) => {
    const fingerprint = createPasswordFingerprint([key])
    const made = fingerprint.of(alice)
    expect([alice, other].map((user) => fingerprint.matches(made, user))).toEqual([true, false])
    expect(fingerprint.matches('', other)).toBe(false)
  })

  it('fits under every key that there is, and is made under the first', () => {
    const [before, after] = [
      createPasswordFingerprint([key]),
      createPasswordFingerprint([otherKey, key]),
    ]
    expect(after.matches(before.of(alice), alice)).toBe(true)
    expect(before.matches(after.of(alice), alice)).toBe(false)
  })
})
