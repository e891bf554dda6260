import { BlockList, isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { z } from 'zod'
import { lazily } from './async.js'
import { isWellFormed } from './texts.js'

// Nothing that a URL would cut off, or decode.
const labels = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u

/**
 * The address with its domain in ASCII ([UTS #46](https://www.unicode.org/reports/tr46/)), the one
 * form in which addresses are stored, compared and sent. Browsers send this form from a field for
 * addresses, people type the readable form. A text without such a domain is returned unchanged.
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
  // Punycode whose readable form belongs to another domain must not be shown in that form.
  return domainToASCII(readable) === ascii ? address.slice(0, at) + readable : address
}

/** How to reach a server whose address somebody else has chosen, such as the maker of an app. */
export interface OfOthers {
  /** Also this machine, over http as well: for experiments. */
  readonly allowsLoopback: boolean
  /** Names that may stand for any address: the operator has chosen them. Default: none. */
  readonly privateHosts?: ReadonlySet<string>
}

/** Whether a URL is one over https, or over http on this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

/** Whether somebody else may choose this URL, as far as it can be seen without a look-up. */
export function isSafeUrlOfOthers(url: URL, given: OfOthers): boolean {
  const host = bareHost(url)
  if (/^(?:.+\.)?localhost\.?$/.test(host)) return given.allowsLoopback && isSafeUrl(url)
  return isSafeUrl(url) && (isIP(host) === 0 || isAllowedAddress(host, given))
}

/** Whether a server whose address somebody else has chosen may have this IP address. */
export function isAllowedAddress(address: string, { allowsLoopback }: OfOthers): boolean {
  return !isSpecialUse(address) || (allowsLoopback && isLoopbackAddress(address))
}

/** The host of a URL, an IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

// From the registries of special-purpose addresses, RFC 6890, and of multicast. Blocks that are
// routed like any other are not here.
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

// Within 2000::/3, which is all of IPv6 that is routed: Teredo and others of the IETF,
// documentation, 6to4.
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const lists = lazily(() => ({
  special: listOf([...special4, ...special6]),
  routed6: listOf(['2000::/3']),
  loopback: listOf(['127.0.0.0/8', '::1/128']),
}))

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', bits] = block.split('/')
    list.addSubnet(network, Number(bits), familyOf(network))
  }
  return list
}

/**
 * Whether an IP address belongs to this machine, to its network or to nobody: loopback, private,
 * link-local, multicast, documentation and so on. In IPv6, also every address that contains an IPv4
 * address (mapped, NAT64, 6to4, Teredo), since it may lead there. True for a text that is no
 * address.
 *
 * @internal
 */
export function isSpecialUse(address: string): boolean {
  const { special, routed6 } = lists()
  const family = isIP(address)
  if (family === 4) return special.check(address, 'ipv4')
  return family === 0 || !routed6.check(address, 'ipv6') || special.check(address, 'ipv6')
}

/** Whether an IP address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && lists().loopback.check(address, familyOf(address))
}

/**
 * Whether an address is in this block of addresses, which may be a single one. Null for a text that
 * is no block.
 */
export function addressBlock(text: string): ((address: string) => boolean) | null {
  const [network = '', bits, ...others] = text.split('/')
  const all = isIP(network) === 4 ? 32 : 128
  const isBlock = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= all)
  if (isIP(network) === 0 || !isBlock || others.length > 0) return null
  const list = listOf([`${network}/${bits ?? all}`])
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6'
}

const maxOctets = 254

const maxLocalOctets = 64

// RFC 5321 §4.1.2 without quoted strings, with the letters of RFC 6531. The first character is no
// hyphen, which some programs take for an option. Each part has one way to match.
const dotString = /^(?!-)[\w!#$%&'*+/=?^`{|}~\P{ASCII}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\P{ASCII}-]+)*$/u

const domainName = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u

// A hyphen at the edge of a label; and a number last, as in an address of IP.
const unusable = /(?:^|\.)-|-(?:\.|$)|(?:^|\.)\d+$/

const dnsLabels = /^[^.]{1,63}(?:\.[^.]{1,63})*$/

const unseen = /[\p{C}\p{Z}]/u

/**
 * An address in a body, before it is judged: without the characters that keyboards put around it.
 */
export const mailAddressText: z.ZodString = z.string().max(254, { abort: true }).trim().min(1)

/**
 * One mailbox ([RFC 5321 §4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2)) with its
 * domain in lower case and in ASCII, and the rest unchanged; null for everything else. An address
 * that Unicode form NFKC would change is refused, because a mail program could send to the other
 * one.
 */
export function parseMailAddress(given: unknown): string | null {
  // The length is counted in units before anything is read, then in octets.
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

// IDNA must agree as well: a resolver takes a name that IDNA would change for another name.
function isOneDomain(address: string, given: string): boolean {
  const ascii = domainOf(address)
  const readable = domainOf(withReadableDomain(address))
  // Otherwise it is Punycode of no name, or of a name that is written in another way.
  const isRead = readable !== ascii || !/(?:^|\.)xn--/.test(ascii)
  return dnsLabels.test(ascii) && isRead && (ascii === given || readable === given)
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)

/**
 * The schemes that browsers and systems act on themselves: they run code, open a file or start a
 * program.
 */
const taken: readonly RegExp[] = [
  /^(?:https?|wss?|s?ftps?|gopher|news|nntp|urn|about|blob|data|file|filesystem|content|cid|mid)$/,
  /^(?:javascript|livescript|mocha|vbscript|jscript|view-source|view|jar|resource|wyciwyg)$/,
  /^(?:chrome[a-z-]*|devtools|edge|opera|brave|vivaldi|moz-[a-z-]*|safari[a-z-]*|webkit[a-z-]*)$/,
  /^(?:intents?|android-app|market|itms[a-z-]*|x-apple[a-z-]*|x-web-search|applescript)$/,
  /^(?:help|prefs|ms-[a-z-]*|microsoft-[a-z-]*|search|search-ms|shell|res|mk|mhtml|its|hcp)$/,
  /^(?:ldaps?|vnd[a-z-]*|smb|cifs|nfs|afp|dav|davs|ssh|rlogin|tn3270|rdp|vnc|git|svn|steam)$/,
  /^(?:ssh-[a-z]*|mailto|tel|telnet|sms|mms|facetime[a-z-]*|sip|sips|callto|magnet)$/,
  /^(?:irc|ircs|geo|maps)$/,
]

/**
 * Whether an address begins with a scheme that an app on the device may have registered, with or
 * without a dot: `com.example.app:`, `vscode:`. The scheme is not the letter of a drive, and none
 * that a browser or system acts on itself.
 */
export function hasAppScheme(uri: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]{1,62}[a-z0-9]):\//.exec(uri) ?? []
  return scheme !== undefined && !taken.some((schemes) => schemes.test(scheme))
}
