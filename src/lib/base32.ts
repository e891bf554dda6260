const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * RFC 4648 §6 base32 in upper case, without padding: what authenticator apps expect in a key URI.
 */
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
 * Decodes base32 of either case, without padding or with all of it. Returns null for anything else:
 * a lenient decoder turns rubbish into a short or empty key, and an empty key lets anybody's code
 * in. Bits at the end that make no byte are not looked at (RFC 4648 §3.5): other makers of seeds
 * leave some there.
 */
export function decodeBase32(text: string): Buffer | null {
  // The alphabet comes first: some letters outside of ASCII, such as the long s, are inside once
  // they are in upper case.
  const given = /^([A-Za-z2-7]+)=*$/.exec(text)?.[1]
  if (given === undefined || [1, 3, 6].includes(given.length % 8)) return null
  if (text !== given && text.length !== 8 * Math.ceil(given.length / 8)) return null
  const unpadded = given.toUpperCase()
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
