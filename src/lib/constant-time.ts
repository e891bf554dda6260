import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two strings in a time that depends only on their lengths. Hashes both first, because
 * `timingSafeEqual` throws for different lengths, and an early return would reveal the length.
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
 * The same for two results of `sha256`. Nobody can choose their beginning, so they are not hashed
 * again, which would be most of the cost in a guard.
 */
export function equalDigests(left: string, right: string): boolean {
  if (left.length !== digestLength || right.length !== digestLength) return false
  one.write(left, 'latin1')
  other.write(right, 'latin1')
  // The buffers keep one byte of each character, so longer ones are compared here.
  return timingSafeEqual(one, other) && left === right
}
