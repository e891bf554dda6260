import { randomFillSync } from 'node:crypto'

// Drawn many at a time, as `randomUUID` does: a call costs far more than the few bytes it brings. What was taken is wiped from here.
const drawn = Buffer.alloc(512)
let taken = drawn.length

/** So many bytes, 1-512, from the system's generator. */
export function randomBuffer(count: number): Buffer {
  if (count > drawn.length) throw new RangeError(`no more than ${drawn.length} random bytes at a time`)
  if (taken + count > drawn.length) {
    randomFillSync(drawn)
    taken = 0
  }
  const piece = drawn.subarray(taken, taken + count)
  const bytes = Buffer.from(piece)
  piece.fill(0)
  taken += count
  return bytes
}

/** A secret of 256 random bits as 43 base64url characters. */
export function randomSecret(): string {
  return randomBuffer(32).toString('base64url')
}

/** An identifier of 128 random bits as 22 base64url characters: unguessable, but not a credential. */
export function randomId(): string {
  return randomBuffer(16).toString('base64url')
}
