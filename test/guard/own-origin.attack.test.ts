// Which pages may open a socket: only those of the host they connect to, or those that the host has
// listed.
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/index.js'
import { logIn } from '../support/client.js'
import { type HostSettings, startHost } from '../support/host.js'

interface Upgrade {
  readonly origin: string
  readonly host?: string
  readonly isTls?: boolean
  /** What a proxy in front has said of the request. */
  readonly forwarded?: string
}

/** 101, or the status of the refusal. */
async function startUpgrades(
  settings: HostSettings = {},
): Promise<(upgrade: Upgrade) => Promise<number>> {
  const host = await startHost(settings)
  const { authToken } = await logIn(host)
  return ({ origin, host: name = 'chat.example.com', isTls, forwarded }) => {
    const request = {
      rawHeaders: ['Authorization', `Bearer ${authToken}`, 'Origin', origin],
      headers: {
        host: name,
        ...(forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded }),
      },
      socket: isTls === undefined ? {} : { encrypted: isTls },
    }
    return host.auth.sockets.authenticate(request as never).then(
      () => 101,
      (error: AuthError) => error.status,
    )
  }
}

describe('an upgrade', () => {
  it.each([
    ['https://chat.example.com', 'chat.example.com'],
    ['HTTPS://Chat.Example.COM', 'chat.example.com'],
    ['http://chat.example.com', 'chat.example.com'],
    ['https://chat.example.com', 'chat.example.com:443'],
    ['http://chat.example.com', 'Chat.Example.com:80'],
    ['https://chat.example.com:8443', 'chat.example.com:8443'],
    ['http://[2001:db8::1]:8080', '[2001:DB8:0::1]:8080'],
    ['https://xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
  ])('from %s at the host it came from is let in (%s)', async (origin, host) => {
    const upgrade = await startUpgrades()
    expect(await upgrade({ origin, host })).toBe(101)
  })

  it.each([
    'chrome-extension://chat.example.com',
    'evil://chat.example.com',
    'ws://chat.example.com',
    'httpss://chat.example.com',
    'https://evil.com@chat.example.com',
    'https://chat.example.com@evil.com',
    'https://:@chat.example.com',
    'https://chat.example.com/',
    'https://chat.example.com/x',
    'https://chat.example.com?',
    'https://chat.example.com#',
    'https:chat.example.com',
    'https:/chat.example.com',
    'https:\\\\chat.example.com',
    'https://chat.example.com.',
    'https://chat.example.com:8443',
    'https://evil.chat.example.com',
    'https://example.com',
    'https://chat.example.com.evil.com',
    'https://evilchat.example.com',
    'https://chat.example.com https://chat.example.com',
    ' https://chat.example.com',
    'https://ch\tat.example.com',
    'https://ｃhat.example.com',
    'null',
    'file://',
    '',
  ])('from %j is 403', async (origin) => {
    expect(await (await startUpgrades())({ origin })).toBe(403)
  })

  it(
    'over TLS is refused to a page that came in the clear: anybody on the way may have written ' +
      'it',
    async () => {
      const upgrade = await startUpgrades()
      const [plain, safe] = ['http://chat.example.com', 'https://chat.example.com']
      expect(await upgrade({ origin: plain, isTls: true })).toBe(403)
      expect(await upgrade({ origin: safe, isTls: true })).toBe(101)
      for (const forwarded of ['https', 'HTTPS', 'wss', 'https,http', 'http, https']) {
        expect([forwarded, await upgrade({ origin: plain, forwarded })]).toEqual([forwarded, 403])
        expect(await upgrade({ origin: safe, forwarded })).toBe(101)
      }
      for (const forwarded of ['http', 'ws', '', 'x'.repeat(64_000)]) {
        expect(await upgrade({ origin: plain, forwarded })).toBe(101)
      }
    },
  )

  it(
    'of a host that lists origins is let in from those, exactly as they are written, and from ' +
      'no other',
    async () => {
      const upgrade = await startUpgrades({
        options: { allowedOrigins: ['https://app.example.com', 'https://chat.example.com:8443'] },
      })
      expect(await upgrade({ origin: 'https://app.example.com' })).toBe(101)
      expect(await upgrade({ origin: 'https://chat.example.com:8443' })).toBe(101)
      for (const origin of [
        'https://chat.example.com',
        'https://app.example.com/',
        'http://app.example.com',
        'null',
      ]) {
        expect(await upgrade({ origin })).toBe(403)
      }
    },
  )
})
