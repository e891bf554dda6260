import { z } from 'zod'
import { withAsciiDomain, withReadableDomain } from '../lib/addresses.js'
import { isWellFormed } from '../lib/texts.js'

const maxOctets = 254
const maxLocalOctets = 64

// RFC 5321 §4.1.2 without quoted strings, with the letters of RFC 6531. Never with a hyphen first,
// which some programs take for an option of theirs. Each part has one way to match.
const dotString = /^(?!-)[\w!#$%&'*+/=?^`{|}~\P{ASCII}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\P{ASCII}-]+)*$/u
const domainName = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u
// A hyphen at the edge of a label; and a number last, as in an address of IP.
const unusable = /(?:^|\.)-|-(?:\.|$)|(?:^|\.)\d+$/
const dnsLabels = /^[^.]{1,63}(?:\.[^.]{1,63})*$/
const unseen = /[\p{C}\p{Z}]/u

/** An address in a body, before it is judged: without what keyboards put around it. */
export const mailAddressText: z.ZodString = z.string().max(254, { abort: true }).trim().min(1)

/**
 * One mailbox ([RFC 5321 §4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2)) with its
 * domain in lower case and in ASCII, and the rest unchanged; null for everything else. An address
 * that Unicode form NFKC would change is refused, because a mail program could send to the other
 * one.
 */
export function parseMailAddress(given: unknown): string | null {
  // Counted in units before anything is read, then in octets.
  if (typeof given !== 'string' || given.length > maxOctets) return null
  if (Buffer.byteLength(given) > maxOctets || !isPlain(given)) return null
  const at = given.lastIndexOf('@')
  const [local, domain] = [given.slice(0, at), lowerCase(given.slice(at + 1))]
  if (at < 1 || Buffer.byteLength(local) > maxLocalOctets || !dotString.test(local)) return null
  if (!domainName.test(domain) || unusable.test(domain)) return null
  const address = withAsciiDomain(`${local}@${domain}`)
  return isOneDomain(address, domain) && Buffer.byteLength(address) <= maxOctets ? address : null
}

function isPlain(text: string): boolean {
  return isWellFormed(text) && !unseen.test(text) && text.normalize('NFKC') === text
}

// Empty, and so no domain, where a letter would become two.
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : ''
}

// By IDNA as well: a name that it would change is another name to whoever resolves it.
function isOneDomain(address: string, given: string): boolean {
  const ascii = domainOf(address)
  const readable = domainOf(withReadableDomain(address))
  // Or it is Punycode of no name, or of a name that is written otherwise.
  const isRead = readable !== ascii || !/(?:^|\.)xn--/.test(ascii)
  return dnsLabels.test(ascii) && isRead && (ascii === given || readable === given)
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)
