import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two strings in a time that depends on their lengths only. Both are hashed first, because
 * `timingSafeEqual` throws on different lengths and an early answer would tell the length.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

const digestLength = 43
const one = Buffer.alloc(digestLength)
const other = Buffer.alloc(digestLength)

/**
 * The same for two digests as `sha256` writes them, of which nobody can choose the beginning: they
 * need not be hashed again, which is most of what a comparison would cost a guard.
 */
export function equalDigests(left: string, right: string): boolean {
  if (left.length !== digestLength || right.length !== digestLength) return false
  one.write(left, 'latin1')
  other.write(right, 'latin1')
  // Of characters that have more than a byte, only one was compared.
  return timingSafeEqual(one, other) && left === right
}
