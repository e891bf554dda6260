// While passwords are hashed, or wait for it, the pages of a sign-in are served as ever.
import { describe, expect, it } from 'vitest'
import { openPageBrowser } from '../oauth/page-browser.js'
import { post } from '../support/client.js'
import { type CrowdedHost, gatedHasher, startCrowd, until } from '../support/gated-hasher.js'
import { issuer, oauthOptions, wiki } from '../support/mounted-oauth.js'

const asked = new URLSearchParams({
  client_id: wiki.id,
  response_type: 'code',
  redirect_uri: wiki.redirectUris[0] as string,
  scope: 'openid',
  code_challenge: 'A'.repeat(43),
  code_challenge_method: 'S256',
})

/** A browser that nobody is signed in to, and where it is sent. */
function browserAt(host: CrowdedHost) {
  const site = host.url.replace('/api/v1', '')
  const browser = openPageBrowser(issuer, (url) => url.replace(issuer, site))
  const open = (page: string) => browser.open(`${issuer}/api/v1/oauth/${page}?${asked}`)
  return { ...browser, openSignIn: () => open('sign-in'), openAuthorize: () => open('authorize') }
}

const signInPage = { status: 200, text: expect.stringContaining('<h1>Sign in</h1>') }

describe('the pages of a sign-in', () => {
  it('are shown while two hundred logins hash', async () => {
    const logins = 200
    const options = { ...oauthOptions(), maxPasswordWait: 30 }
    const host = await startCrowd(options, gatedHasher(20))
    // Each from a network of its own, for a name that nobody has: the work is the same.
    const storm = Array.from({ length: logins }, (_none, index) => {
      const forwarded = { 'X-Forwarded-For': `192.0.2.${index}` }
      const credentials = { username: `nobody${index}`, password: 'guess' }
      return post(host, '/login', credentials, forwarded).then(({ status }) => status)
    })
    // A test that fails closes the server under those that still wait.
    for (const one of storm) one.catch(() => {})
    const inHand = () => {
      const { running, waiting } = host.auth.stats().passwords
      return running + waiting
    }
    await until(() => inHand() === logins)
    const { openSignIn, openAuthorize } = browserAt(host)
    for (const open of [openSignIn, openAuthorize])
      expect(await open()).toMatchObject({ page: signInPage })
    const many = await Promise.all(Array.from({ length: 50 }, () => browserAt(host).openSignIn()))
    expect(many.map(({ page }) => page?.status)).toEqual(many.map(() => 200))
    // Nothing of it has ended meanwhile.
    expect(inHand()).toBe(logins)
    host.hasher.openUp()
    expect(new Set(await Promise.all(storm))).toEqual(new Set([401]))
  })

  it('say so where a password cannot be taken, and sign in once it can', async () => {
    const host = await startCrowd(oauthOptions())
    const { openAuthorize, send } = browserAt(host)
    const shown = await openAuthorize()
    // Of the same network: each has its turn, however many another sends.
    const guesses = Array.from({ length: 6 }, (_none, index) => `guess ${index}`)
    await host.queueUp(guesses, '127.0.0.1')
    const refused = await send(shown, { username: 'alice', password: 'right' })
    expect(refused.page?.status).toBe(503)
    expect(refused.page?.text).toContain('A lot is going on here just now.')
    expect(refused.page?.text).toContain('value="alice"')
    expect(refused.page?.text).not.toContain('right')
    await host.finishAll()
    host.hasher.openUp()
    const signedIn = await send(refused, { username: 'alice', password: 'right' })
    expect([signedIn.page, signedIn.url.origin]).toEqual([null, 'https://wiki.example.com'])
    expect(signedIn.url.searchParams.get('code')).toEqual(expect.any(String))
  })
})
