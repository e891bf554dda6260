import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../src/http/client-address.js'
import { AuthConfigError } from '../../src/index.js'
import { post } from '../support/client.js'
import { password, startHost } from '../support/host.js'

const addressOf = async (trustProxy: unknown, forwarded: string, express: 4 | 5 = 5) => {
  const host = await startHost({ express, before: (app) => trustProxy !== undefined && app.set('trust proxy', trustProxy) })
  await post(host, '/login', { username: 'alice', password }, { 'X-Forwarded-For': forwarded })
  return host.events.find(({ type }) => type === 'login.succeeded')?.ip
}

describe('the client’s address', () => {
  it('is the socket’s, whatever a header says, unless the host trusts a proxy', async () => {
    expect(await addressOf(undefined, '203.0.113.7')).toBe('127.0.0.1')
  })

  it.each([4, 5] as const)('is what the trusted proxy says, in Express %i', async (express) => {
    expect(await addressOf(1, '198.51.100.1, 203.0.113.7', express)).toBe('203.0.113.7')
  })

  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['not an address', '127.0.0.1'],
    ['<script>', '127.0.0.1'],
  ])('%s is taken as %s', async (forwarded, expected) => {
    expect(await addressOf(1, forwarded)).toBe(expected)
  })

  it('is not guessed where any client could choose it: the host is told what to set', async () => {
    const host = await startHost({ before: (app) => app.set('trust proxy', true) })
    const response = await supertest(host.url).get('/auth/jwks.json')
    expect(response.body).toEqual({ host: 'failed' })
    expect(host.unforeseen[0]).toBeInstanceOf(AuthConfigError)
    expect(String(host.unforeseen[0])).toContain("app.set('trust proxy', 1)")
  })
})

describe('a network', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:0db8:0001:0002:0003::', '2001:db8:1:2::/64'],
    [null, 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
