import { describe, expect, it } from 'vitest'
import { equalDigests, sha256 } from '../../src/lib/secrets.js'

const digest = sha256('a secret')

describe('two digests', () => {
  it('are equal where every character is, and in no other case', () => {
    expect(equalDigests(digest, sha256('a secret'))).toBe(true)
    for (let at = 0; at < digest.length; at += 1) {
      // The same low byte in the last of them.
      for (const wrong of ['!', '\0', String.fromCharCode(digest.charCodeAt(at) + 256)]) {
        const changed = digest.slice(0, at) + wrong + digest.slice(at + 1)
        expect(equalDigests(digest, changed)).toBe(false)
        expect(equalDigests(changed, digest)).toBe(false)
      }
    }
    for (const wrong of ['', digest.slice(1), `${digest}A`, 'é'.repeat(43)])
      expect(equalDigests(digest, wrong)).toBe(false)
    expect(equalDigests('', '')).toBe(false)
  })
})
