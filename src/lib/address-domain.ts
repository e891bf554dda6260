import { domainToASCII, domainToUnicode } from 'node:url'

// Nothing that a URL would cut off, or decode.
const labels = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u

/**
 * The address with its domain in ASCII ([UTS #46](https://www.unicode.org/reports/tr46/)), the one
 * form in which addresses are stored, compared and sent: browsers send it from a field for
 * addresses, people type the readable one. What has no such domain is returned unchanged.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  const isForeign = at > 0 && domain.length <= 253 && /\P{ASCII}/u.test(domain)
  const ascii = isForeign && labels.test(domain) ? domainToASCII(domain) : ''
  return ascii === '' ? address : address.slice(0, at) + ascii
}

/** The address as people read it. */
export function withReadableDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const ascii = address.slice(at)
  const readable = at > 0 ? domainToUnicode(ascii) : ''
  // Punycode of what is another domain must not be shown as that one.
  return domainToASCII(readable) === ascii ? address.slice(0, at) + readable : address
}
