import { BlockList, isIP } from 'node:net'
import { lazily } from './lazily.js'

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
 * link-local, multicast, documentation and so on. Of IPv6 also every address that contains one of
 * IPv4 (mapped, NAT64, 6to4, Teredo), since it may lead there. True for a text that is no address.
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
