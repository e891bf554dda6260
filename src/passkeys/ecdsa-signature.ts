/**
 * Whether these bytes are an ECDSA signature over P-256 in its only valid DER encoding ([RFC 3279
 * §2.2.3](https://www.rfc-editor.org/rfc/rfc3279#section-2.2.3)): two numbers without needless
 * zeros, and nothing after them.
 */
export function isEcdsaSignature(bytes: Buffer): boolean {
  if (bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) return false
  const second = endOfNumber(bytes, 2)
  return second !== null && endOfNumber(bytes, second) === bytes.length
}

/** Bytes of a 256-bit number, including the zero before one whose first bit is set. */
const maxNumberBytes = 33

function endOfNumber(bytes: Buffer, start: number): number | null {
  const [tag, length = 0, first = 0, next = 0] = bytes.subarray(start)
  if (tag !== 0x02 || length < 1 || length > maxNumberBytes || first >= 0x80) return null
  if (first === 0 && length > 1 && next < 0x80) return null
  const end = start + 2 + length
  return end <= bytes.length ? end : null
}
