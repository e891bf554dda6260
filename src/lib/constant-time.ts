import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two strings in a time that depends on their lengths only. Both are hashed first, because `timingSafeEqual`
 * throws on different lengths and an early answer would tell the length.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
