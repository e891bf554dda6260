// Pages of others in the same browser can send requests to the port, too.
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { signInByBrowser } from '../../src/client/node/loopback.js'
import { openPageBrowser } from '../oauth/page-browser.js'
import { password } from '../support/host.js'
import { issuer } from '../support/oauth-apps.js'
import { appOf, startOAuth } from './oauth-client.js'

/** The status of a request with headers that `fetch` would not send. */
const statusOf = (url: string, method: string, host?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, { method, headers: host === undefined ? {} : { host } })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end()
  })

it('what nobody has begun ends nothing, and the right answer is still taken', async () => {
  const started = await startOAuth()
  const { client } = appOf(started)
  const here = new URL(started.host.url).origin
  const statuses: (number | undefined)[] = []
  const { me } = await signInByBrowser(client, {
    clientId: 'tool',
    scope: 'openid',
    text: (isSignedIn) => `signed in: ${isSignedIn}`,
    async open(address) {
      const browser = openPageBrowser(issuer, (url) => url.replace(issuer, here))
      const { url } = await browser.send(await browser.open(address), {
        username: 'alice',
        password,
      })
      started.host.issued.add(url.searchParams.get('code') ?? '')
      const right = url.href
      const state = 'A'.repeat(43)
      const asked: [string, string, string?][] = [
        [`${url.origin}/`, 'GET'],
        [`${url.origin}/callback`, 'GET'],
        [`${url.origin}/favicon.ico?code=c&state=${state}`, 'GET'],
        [`${url.origin}/callback?code=c&state=${state}&iss=${issuer}`, 'GET'],
        [`${url.origin}/callback?error=access_denied&state=${state}&iss=${issuer}`, 'GET'],
        [right, 'POST'],
        // The name of somebody else that leads here.
        [right, 'GET', 'evil.example'],
        [right, 'GET', `localhost:${url.port}`],
      ]
      for (const [to, method, host] of asked) statuses.push(await statusOf(to, method, host))
      expect(client.state.status).toBe('signed-out')
      expect(await (await fetch(right)).text()).toBe('signed in: true')
    },
  })
  expect(me.username).toBe('u-alice')
  expect(statuses).toEqual([404, 404, 404, 400, 400, 404, 404, 404])
})
