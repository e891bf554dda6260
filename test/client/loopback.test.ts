// A tool signs its user in by the browser of the system, which comes back to a port of its own.
import { describe, expect, it } from 'vitest'
import { type LoopbackOptions, signInByBrowser } from '../../src/client/node/loopback.js'
import { openPageBrowser } from '../oauth/page-browser.js'
import { password } from '../support/host.js'
import { issuer } from '../support/oauth-apps.js'
import { appOf, type OAuthHost, startOAuth } from './oauth-client.js'

/** Where the pages of the server lead somebody who signs in on them. */
async function pass({ host }: OAuthHost, address: string): Promise<URL> {
  const here = new URL(host.url).origin
  const browser = openPageBrowser(issuer, (url) => url.replace(issuer, here))
  const rest = await browser.open(address)
  const { url, page } = await browser.send(rest, { username: 'alice', password })
  if (page !== null) throw new Error(page.text)
  host.issued.add(url.searchParams.get('code') ?? '')
  return url
}

async function start() {
  const started = await startOAuth()
  const { client } = appOf(started)
  const sign = (open: LoopbackOptions['open'], more: Partial<LoopbackOptions> = {}) =>
    signInByBrowser(client, { clientId: 'tool', scope: '* offline_access', open, ...more })
  return { started, client, sign }
}

describe('a tool', () => {
  it('is signed in when the browser comes back to its port, and closes it', async () => {
    const { started, client, sign } = await start()
    const shown: Promise<Response>[] = []
    let port = ''
    const { me, scope } = await sign(async (address) => {
      const back = await pass(started, address)
      port = back.origin
      shown.push(fetch(back))
    })
    expect([me.username, scope]).toEqual(['alice', ['*', 'offline_access']])
    expect(port).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const page = await shown[0]
    expect([page?.status, await page?.text()]).toEqual([
      200,
      'You are signed in. You can close this window.',
    ])
    expect(page?.headers.get('cache-control')).toBe('no-store')
    await expect(fetch(port)).rejects.toThrow()
    started.clock.advance(700)
    expect((await client.me()).username).toBe('alice')
  })

  it('is told that the user would not', async () => {
    const { client, sign } = await start()
    const shown: Promise<Response>[] = []
    const refused = sign(async (address) => {
      const asked = new URL(address).searchParams
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.search = String(
        new URLSearchParams({
          error: 'access_denied',
          state: asked.get('state') ?? '',
          iss: issuer,
        }),
      )
      shown.push(fetch(back))
    })
    await expect(refused).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' })
    expect([(await shown[0])?.status, client.state.status]).toEqual([400, 'signed-out'])
  })

  it('waits no longer than it is told to', async () => {
    const { sign } = await start()
    await expect(sign(() => {}, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'no-answer' })
  })

  it('nor than it is told to while the browser is open', async () => {
    const { sign } = await start()
    const open = () => new Promise<void>(() => {})
    await expect(sign(open, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'no-answer' })
  })

  it('throws what cannot be opened or asked, and listens no more', async () => {
    const { sign } = await start()
    let address = ''
    const broken = sign((asked) => {
      address = new URL(asked).searchParams.get('redirect_uri') ?? ''
      throw new Error('no browser')
    })
    await expect(broken).rejects.toThrow('no browser')
    await expect(fetch(address)).rejects.toThrow()
  })
})
