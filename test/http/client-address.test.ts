import { describe, expect, it, vi } from 'vitest'
import { networkOf } from '../../src/http/client-address.js'
import { AuthConfigError } from '../../src/index.js'
import { get, post } from '../support/client.js'
import { type HostSettings, password, startHost } from '../support/host.js'

const addressOf = async (trustProxy: unknown, forwarded: string, express: 4 | 5 = 5) => {
  const host = await startHost({
    express,
    before: (app) => trustProxy !== undefined && app.set('trust proxy', trustProxy),
  })
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
    ['203.0.113.7:40000', '203.0.113.7'],
    ['[2001:DB8::1]:40000', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['203.0.113.7:port', '127.0.0.1'],
    ['[203.0.113.7', '127.0.0.1'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:FF9B::cb00:7107', '203.0.113.7'],
    ['64:ff9b:1::203.0.113.7', '64:ff9b:1::203.0.113.7'],
  ])('%s is taken as %s', async (forwarded, expected) => {
    expect(await addressOf(1, forwarded)).toBe(expected)
  })

  it(
    'is not looked for in a header that is endless: 400, on the router’s routes and on guarded ' +
      'ones',
    async () => {
      const host = await startHost({
        before: (app) => app.set('trust proxy', 'loopback'),
        after: (app, auth) =>
          app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => void response.end()),
      })
      const headers = { 'X-Forwarded-For': '::1,'.repeat(300), Authorization: 'Bearer x' }
      for (const path of ['/me', '/rooms']) {
        const response = await get(host, path, headers)
        expect([response.status, response.body.details]).toEqual([
          400,
          { issues: [{ path: 'X-Forwarded-For', message: expect.any(String) }] },
        ])
      }
    },
  )
})

describe.each([4, 5] as const)('a proxy setting of Express %i that trusts everybody', (express) => {
  const settings: Record<string, unknown> = {
    true: true,
    'a function': () => true,
    'two halves of IPv4': '0.0.0.0/1, 128.0.0.0/1',
    'all of IPv6': ['loopback', '::/1', '8000::/1'],
    '17 hops': 17,
    'a function that counts 20 hops': (_address: string, hop: number) => hop < 20,
  }
  const start = (setting: unknown, more: HostSettings = {}) =>
    startHost({ express, before: (app) => app.set('trust proxy', setting), ...more })

  it.each(Object.entries(settings))('is refused: %s', async (_name, setting) => {
    const host = await start(setting)
    for (const response of [
      await get(host, '/auth/jwks.json'),
      await post(host, '/login', { username: 'alice', password }),
    ]) {
      expect(response.status).toBe(500)
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      })
      expect(response.body).toEqual({
        success: false,
        status: 'error',
        error: 'configuration',
        message: 'Internal server error',
      })
    }
    expect(host.log.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: expect.stringMatching(/trust proxy.*Remedy: .*app\.set\('trust proxy', 1\)/),
        fields: undefined,
      },
    ])
  })

  it('reaches the host’s own error handler from the host’s own routes', async () => {
    const host = await start(true, {
      after: (app, auth) =>
        app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => void response.end()),
    })
    expect((await get(host, '/rooms')).body).toEqual({ host: 'failed' })
    expect(host.unforeseen).toEqual([expect.any(AuthConfigError)])
  })

  it('is told by a process warning where the host has no logger', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const host = await start(true, { options: { logger: undefined as never } })
    await get(host, '/auth/jwks.json')
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('Remedy: '), { code: 'MAR_MISCONFIGURED' }],
    ])
    warn.mockRestore()
  })

  it.each<[string, unknown]>([
    ['16 hops', 16],
    ['a function that counts two', (_address: string, hop: number) => hop < 2],
    [
      'the subnets of a network for content',
      ['loopback', '103.21.244.0/22', '104.16.0.0/13', '2400:cb00::/32'],
    ],
    ['half of IPv4', '128.0.0.0/1'],
  ])('is not %s', async (_name, setting) => {
    expect((await get(await start(setting), '/auth/jwks.json')).status).toBe(200)
  })

  it('is refused once it was set, and no longer than that', async () => {
    let set = (_setting: unknown): void => {}
    const host = await startHost({
      express,
      before: (app) => {
        set = (setting) => void app.set('trust proxy', setting)
      },
    })
    const statuses: number[] = []
    for (const setting of [1, true, 'loopback']) {
      set(setting)
      statuses.push((await get(host, '/auth/jwks.json')).status)
    }
    expect(statuses).toEqual([200, 500, 200])
  })
})

describe.each([4, 5] as const)('the host is told once, in Express %i', (express) => {
  const warnings = async (setting: unknown, headers: Record<string, string>) => {
    const host = await startHost({
      express,
      before: (app) => setting !== undefined && app.set('trust proxy', setting),
    })
    for (let time = 0; time < 3; time += 1) await get(host, '/auth/jwks.json', headers)
    return host.log.filter(({ level }) => level === 'warn').map(({ message }) => message)
  }

  it.each([undefined, false, 0])('that a proxy is not trusted (%s)', async (setting) => {
    for (const headers of [
      { 'X-Forwarded-For': '203.0.113.7' },
      { Forwarded: 'for=203.0.113.7' },
    ] as Record<string, string>[]) {
      expect(await warnings(setting, headers)).toEqual([
        expect.stringMatching(/'trust proxy' is off.*Remedy: app\.set\('trust proxy', 1\)/),
      ])
    }
  })

  it('that what the proxy writes is no address', async () => {
    expect(await warnings(1, { 'X-Forwarded-For': 'unknown' })).toEqual([
      expect.stringContaining('req.ip is no IP address'),
    ])
  })

  it('and of nothing else', async () => {
    expect(await warnings(undefined, {})).toEqual([])
    expect(await warnings('10.0.0.0/8', { 'X-Forwarded-For': '203.0.113.7' })).toEqual([])
    expect(await warnings(1, { 'X-Forwarded-For': '203.0.113.7:4000' })).toEqual([])
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
