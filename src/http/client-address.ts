import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { AuthConfigError } from '../errors.js'

/** The part of an Express request that knows the proxy setting. */
interface ProxyAware {
  readonly ip?: string | undefined
  readonly app?: { get(setting: string): unknown }
}

/**
 * The client's address as the host's `trust proxy` setting sees it, or the socket's where that is no address.
 * IPv4 mapped into IPv6 comes out as IPv4, so that one client has one address.
 *
 * Throws when the setting is `true`: Express then believes the leftmost `X-Forwarded-For`, which the client writes itself,
 * and every limit per network could be walked around.
 */
export function clientAddress(request: IncomingMessage & ProxyAware): string | null {
  if (request.app?.get('trust proxy') === true) {
    throw new AuthConfigError(
      "app.set('trust proxy', true)",
      'any client could choose its own address.',
      "name the proxies you run: app.set('trust proxy', 1), or 'loopback', or their subnets.",
    )
  }
  return asAddress(request.ip) ?? asAddress(request.socket.remoteAddress)
}

/** The network an address belongs to, as the unit of throttling: an IPv4 address, or the /64 of IPv6. */
export function networkOf(address: string | null): string {
  return prefixOf(address, 4)
}

/** The site an address belongs to, as the unit of fairness: an IPv4 address, or the /48 of IPv6, since one line may have thousands of /64. */
export function siteOf(address: string | null): string {
  return prefixOf(address, 3)
}

function prefixOf(address: string | null, groups: number): string {
  if (address === null) return 'unknown'
  return isIPv4(address) ? address : `${groupsOf(address).slice(0, groups).join(':')}::/${groups * 16}`
}

/** The address in its one form, IPv4 mapped into IPv6 as IPv4; null for what is none. */
export function asAddress(text: unknown): string | null {
  if (typeof text !== 'string') return null
  const address = text.replace(/%.*$/s, '')
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? address : (mappedIPv4(address) ?? address.toLowerCase())
}

function mappedIPv4(address: string): string | null {
  const groups = groupsOf(address)
  if (!groups.slice(0, 5).every((group) => group === '0') || groups[5] !== 'ffff') return null
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

// The URL parser writes every spelling of an IPv6 address in the one form of RFC 5952, so only '::' is left to expand.
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
