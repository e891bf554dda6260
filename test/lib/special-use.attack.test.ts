// Addresses to which nobody else may direct this server.
import { describe, expect, it } from 'vitest'
import {
  isAllowedAddress,
  isLoopbackAddress,
  isSafeUrlOfOthers,
  isSpecialUse,
} from '../../src/lib/addresses.js'

const special = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::ffff:0:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b::808:808',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
]
const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '192.167.255.255',
  '198.17.255.255',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2003::1',
  '2606:4700::1111',
  '2a00:1450:4001::1',
]

describe('an address', () => {
  it.each(special)('%s is for special use', (address) => {
    expect(isSpecialUse(address)).toBe(true)
    expect(isAllowedAddress(address, { allowsLoopback: false })).toBe(false)
  })

  it.each(open)('%s is one of the public internet', (address) => {
    expect([isSpecialUse(address), isLoopbackAddress(address)]).toEqual([false, false])
  })

  it.each(['', 'nonsense', 'localhost', '1.2.3', '[::1]', '8.8.8.8 '])(
    'that is none is for special use: %j',
    (text) => expect([isSpecialUse(text), isLoopbackAddress(text)]).toEqual([true, false]),
  )

  it('of this machine is allowed for experiments, and no other of its network', () => {
    const allowed = special.filter((one) => isAllowedAddress(one, { allowsLoopback: true }))
    expect(allowed).toEqual([
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ])
  })
})

describe('a URL that somebody else has chosen', () => {
  const isSafe = (url: string, allowsLoopback: boolean) =>
    isSafeUrlOfOthers(new URL(url), { allowsLoopback })

  it.each([
    'http://wiki.example.com/',
    'http://8.8.8.8/',
    'ftp://wiki.example.com/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://0/',
    'https://0xa000001/',
    'https://012.1/',
    'http://10.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://wiki.localhost/',
  ])('%s is refused, also for experiments', (url) =>
    expect([isSafe(url, false), isSafe(url, true)]).toEqual([false, false]),
  )

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://wiki.localhost/',
    'http://localhost:3001/a',
    'http://127.0.0.1:3001/a',
    'http://[::1]:3001/a',
  ])('%s is for experiments alone', (url) =>
    expect([isSafe(url, false), isSafe(url, true)]).toEqual([false, true]),
  )

  it.each(['https://wiki.example.com/a?b=c', 'https://8.8.8.8:8443/', 'https://[2a00::1]/'])(
    '%s is allowed',
    (url) => expect([isSafe(url, false), isSafe(url, true)]).toEqual([true, true]),
  )
})
