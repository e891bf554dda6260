import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { AuthConfigError, invalidRequest } from '../errors.js'

/** The members of an Express request that follow its proxy setting. */
export interface ProxyAware {
  readonly ip?: string | undefined
  readonly app?: ProxySettings
}

/**
 * The client's address by the host's `trust proxy` setting, or the socket's if that is not an IP
 * address. IPv4 within IPv6 becomes IPv4, so that one client has one address.
 *
 * Throws AuthConfigError for a setting that trusts everybody, and 400 for an overlong
 * `X-Forwarded-For`.
 */
export function clientAddress(request: IncomingMessage & ProxyAware): string | null {
  refuseTrustInEverybody(request.app)
  if (request.app !== undefined) refuseEndlessForwarding(request)
  return parsedAddress(request.ip) ?? connectionAddress(request)
}

/** The remote address of the connection. */
export function connectionAddress({ socket }: IncomingMessage): string | null {
  return asAddress(socket.remoteAddress)
}

/** Characters: a dozen full IPv6 addresses. */
const maxForwardingCharacters = 512

/**
 * Throws 400 for an overlong `X-Forwarded-For`: Express compares each address with each trusted
 * subnet, which takes 57 ms for 60 KB of `::1,`.
 */
export function refuseEndlessForwarding({ headers }: IncomingMessage): void {
  if (String(headers['x-forwarded-for'] ?? '').length <= maxForwardingCharacters) return
  throw invalidRequest([{ path: 'X-Forwarded-For', message: 'This header is too long.' }])
}

/** The network of clients without an address. */
const unknown = 'unknown'

/**
 * The network of an address, the unit of throttling: an IPv4 address, or the /64 of IPv6.
 */
export function networkOf(address: string | null): string {
  return prefixOf(address, 4)
}

/** Whether two addresses are of one network. False if an address is unknown. */
export function isOneNetwork(address: string | null, other: string | null): boolean {
  return address !== null && other !== null && networkOf(address) === networkOf(other)
}

/**
 * The site of an address, the unit of fairness: an IPv4 address, or the /48 of IPv6, since one
 * customer may have thousands of /64.
 */
export function siteOf(address: string | null): string {
  return prefixOf(address, 3)
}

/** The prefixes under which an address is counted: /64, /56 and /48 of IPv6, all of IPv4. */
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

/** Characters; longer than any address with its zone. */
const maxAddressCharacters = 80

/** The canonical form of an address, IPv4 within IPv6 as IPv4; null for any other text. */
export function asAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxAddressCharacters) return null
  const address = text.replace(/%.*$/s, '')
  const family = isIP(address)
  if (family === 0) return null
  return family === 4 ? address : (embeddedIPv4(address) ?? address.toLowerCase())
}

/**
 * The canonical form of the address that a proxy sends, which may have a port: `203.0.113.7:40000`,
 * `[2001:db8::1]:40000`.
 */
export function parsedAddress(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > maxAddressCharacters) return null
  const { v4, v6 } =
    /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]*)\](?::\d{1,5})?)$/.exec(text)?.groups ?? {}
  return asAddress(v4 ?? v6 ?? text)
}

// Mapped (RFC 4291 §2.5.5.2), or by NAT64 (RFC 6052 §2.1), which maps all of IPv4 into one /96.
const prefixesOfIPv4 = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']

function embeddedIPv4(address: string): string | null {
  const groups = groupsOf(address)
  if (!prefixesOfIPv4.includes(groups.slice(0, 6).join(':'))) return null
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16)) as [number, number]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

// The URL parser converts every spelling of an IPv6 address to RFC 5952; only '::' is left to
// expand.
function groupsOf(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  return [...before, ...new Array<string>(8 - before.length - after.length).fill('0'), ...after]
}

/** The members of an Express app that hold its proxy setting. */
export interface ProxySettings {
  get(setting: string): unknown
}

/**
 * Whether a proxy is trusted; `hop` counts from the nearest. Express compiles every setting to
 * this.
 */
type Trusts = (address: string, hop: number) => unknown

/** More proxies in a row than anybody runs. */
const mostHops = 16

/** Unrelated public addresses: no list of proxies contains all of one family. */
const strangers = [
  ['8.8.8.8', '31.13.24.1', '62.4.3.1', '93.184.216.34', '151.101.1.1', '203.0.113.1'],
  [
    '2001:4860:4860::8888',
    '2400:cb00::1',
    '2606:4700:4700::1111',
    '2800:3f0::1',
    '2a00:1450:4001::1',
    '2c0f:fb50::1',
  ],
] as const

// By the compiled function: Express compiles a changed setting again.
const judged = new WeakMap<Trusts, boolean>()

/**
 * Throws {@link AuthConfigError} if `trust proxy` trusts everybody, in any spelling: `true`, a
 * function, subnets with all addresses, a hop count above 16. Express would then believe the
 * client's own `X-Forwarded-For`, which evades every limit per network.
 */
function refuseTrustInEverybody(app: ProxySettings | undefined): void {
  if (app === undefined || !trustsEverybody(app)) return
  const setting = app.get('trust proxy')
  throw new AuthConfigError(
    `app.set('trust proxy', ` +
      `${typeof setting === 'number' || typeof setting === 'boolean' ? setting : '…'})`,
    'any client could choose its own address.',
    "name the proxies you run: app.set('trust proxy', 1), or 'loopback', or their subnets.",
  )
}

/** Whether the app trusts no proxy, as by default. */
export function trustsNobody(app: ProxySettings): boolean {
  return [undefined, false, 0, ''].includes(app.get('trust proxy') as undefined)
}

function trustsEverybody(app: ProxySettings): boolean {
  const trusts = app.get('trust proxy fn')
  if (typeof trusts !== 'function') return app.get('trust proxy') === true
  const known = judged.get(trusts as Trusts)
  if (known !== undefined) return known
  // The function gets a hop that no real proxy has, so that a hop count answers no.
  const isFooled = (addresses: readonly string[]) =>
    addresses.every((address) => Boolean((trusts as Trusts)(address, mostHops)))
  const verdict = strangers.some(isFooled)
  judged.set(trusts as Trusts, verdict)
  return verdict
}
