import { randomInt } from 'node:crypto'

/** Characters; longer than any code with what stands between its digits. */
const maxTypedChars = 100

/**
 * The digits of a code without the blanks and hyphens with which apps show it and people copy it.
 * A text that is too long to be a code is returned as it is. Every code of digits is compared in
 * this form, at whichever door.
 */
export function typedDigits(typed: string): string {
  return typed.length > maxTypedChars ? typed : typed.replaceAll(/[\s\p{Pd}]/gu, '')
}

/**
 * [RFC 8628 §6.1](https://www.rfc-editor.org/rfc/rfc8628#section-6.1): letters that make no words
 * and are hard to mistake.
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
/** With room for spaces and hyphens. */
const maxTyped = 64

/** A code for people to type: eight of twenty letters, 34 bits. */
export function newUserCode(): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

/** A code as it is shown, such as `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/** The code in what was typed, in any case and with any separators; null if there is none. */
export function readUserCode(typed: string): string | null {
  if (typed.length > maxTyped) return null
  const code = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '')
  return code.length === length && [...code].every((one) => letters.includes(one)) ? code : null
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Encodes RFC 4648 §6 base32 in upper case without padding, as authenticator apps expect in a key
 * URI.
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
 * Decodes base32 in either case, with or without padding. Returns null for anything else: a lenient
 * decoder turns garbage into a short or empty key, and an empty key accepts known codes. Ignores
 * trailing bits (RFC 4648 §3.5), since some other software leaves some.
 */
export function decodeBase32(text: string): Buffer | null {
  // This is checked before the conversion: the upper case of some non-ASCII letters, such as the
  // long s, is in the alphabet.
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
