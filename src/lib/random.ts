import { randomFillSync } from 'node:crypto'

// A call of the generator costs as much as hashing ten kilobytes, so one call serves many values,
// like in `randomUUID` of Node. Each byte is used once and erased.
const pool = Buffer.alloc(4096)
let used = pool.length

/** A secret of 256 random bits as 43 base64url characters. */
export function randomSecret(): string {
  return randomText(32)
}

/**
 * An identifier of 128 random bits as 22 base64url characters: unguessable, but not a credential.
 */
export function randomId(): string {
  return randomText(16)
}

function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const from = used
  used += bytes
  const text = pool.toString('base64url', from, used)
  pool.fill(0, from, used)
  return text
}
