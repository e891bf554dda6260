const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6 base32 in upper case, without padding: what authenticator apps expect in a key URI. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >>> bits) & 31]
      buffer &= (1 << bits) - 1
    }
  }
  return bits === 0 ? text : text + alphabet[(buffer << (5 - bits)) & 31]
}

/**
 * Decodes base32 of either case, with or without padding. Returns null for anything else: a lenient decoder turns
 * rubbish into a short or empty key, and an empty key lets anybody's code in.
 */
export function decodeBase32(text: string): Buffer | null {
  const unpadded = text.replace(/={1,6}$/, '').toUpperCase()
  if (!/^[A-Z2-7]+$/.test(unpadded) || [1, 3, 6].includes(unpadded.length % 8)) return null
  const bytes: number[] = []
  let buffer = 0
  let bits = 0
  for (const character of unpadded) {
    buffer = (buffer << 5) | alphabet.indexOf(character)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((buffer >>> bits) & 255)
      buffer &= (1 << bits) - 1
    }
  }
  return Buffer.from(bytes)
}
