import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { invalidRequest } from '../errors.js'
import { type ProxySettings, refuseTrustInEverybody } from './trust-proxy.js'

/** The part of an Express request that knows the proxy setting. */
export interface ProxyAware {
  readonly ip?: string | undefined
  readonly app?: ProxySettings
}

/**
 * The client's address as the host's `trust proxy` setting sees it, or the socket's where that is
 * no address. IPv4 within IPv6 comes out as IPv4, so that one client has one address.
 *
 * Throws AuthConfigError for a setting that trusts everybody, and 400 for an endless
 * `X-Forwarded-For`.
 */
export function clientAddress(request: IncomingMessage & ProxyAware): string | null {
  refuseTrustInEverybody(request.app)
  if (request.app !== undefined) refuseEndlessForwarding(request)
  return parsedAddress(request.ip) ?? connectionAddress(request)
}

/** The address at the other end of the connection. */
export function connectionAddress({ socket }: IncomingMessage): string | null {
  return asAddress(socket.remoteAddress)
}

/** Characters: a dozen addresses of IPv6, written in full. */
const maxForwardingCharacters = 512

/**
 * Throws 400 for an endless `X-Forwarded-For`: Express compares each address with each trusted
 * subnet, and 60 KB of `::1,` take it 57 ms.
 */
export function refuseEndlessForwarding({ headers }: IncomingMessage): void {
  if (String(headers['x-forwarded-for'] ?? '').length <= maxForwardingCharacters) return
  throw invalidRequest([{ path: 'X-Forwarded-For', message: 'This header is too long.' }])
}

/** What is counted for a client without an address. */
const unknown = 'unknown'

/**
 * The network an address belongs to, as the unit of throttling: an IPv4 address, or the /64 of
 * IPv6.
 */
export function networkOf(address: string | null): string {
  return prefixOf(address, 4)
}

/**
 * The site an address belongs to, as the unit of fairness: an IPv4 address, or the /48 of IPv6,
 * since one line may have thousands of /64.
 */
export function siteOf(address: string | null): string {
  return prefixOf(address, 3)
}

/** What an address is counted by in IPv6: its /64, /56 and /48; the address alone in IPv4. */
export function prefixesOf(address: string | null): readonly string[] {
  if (address === null || isIPv4(address)) return [address ?? unknown]
  const groups = groupsOf(address)
  const fourth = Number.parseInt(groups[3] as string, 16)
  const of56 = [...groups.slice(0, 3), (fourth & 0xff00).toString(16)].join(':')
  return [networkOf(address), `${of56}::/56`, siteOf(address)]
}

function prefixOf(address: string | null, groups: number): string {
  if (address === null) return unknown
  return isIPv4(address)
    ? address
    : `${groupsOf(address).slice(0, groups).join(':')}::/${groups * 16}`
}

/** Characters. The longest address with its zone has fewer. */
const maxAddressCharacters = 80

/** The address in its one form, IPv4 within IPv6 as IPv4; null for what is none. */
export function asAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxAddressCharacters) return null
  const address = text.replace(/%.*$/s, '')
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? address : (embeddedIPv4(address) ?? address.toLowerCase())
}

/**
 * The same of what a proxy wrote; some add the port: `203.0.113.7:40000`, `[2001:db8::1]:40000`.
 */
export function parsedAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxAddressCharacters) return null
  const { v4, v6 } =
    /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]*)\](?::\d{1,5})?)$/.exec(text)?.groups ?? {}
  return asAddress(v4 ?? v6 ?? text)
}

// Mapped (RFC 4291 §2.5.5.2), or behind a NAT64 (RFC 6052 §2.1), which has all of IPv4 in one /96.
const prefixesOfIPv4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']

function embeddedIPv4(address: string): string | null {
  const groups = groupsOf(address)
  if (!prefixesOfIPv4.includes(groups.slice(0, 6).join(':'))) return null
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

// The URL parser writes every spelling of an IPv6 address in the one form of RFC 5952, so only '::'
// is left to expand.
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
