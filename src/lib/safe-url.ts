import { isIP } from 'node:net'
import { isLoopbackAddress, isSpecialUse } from './special-use.js'

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
