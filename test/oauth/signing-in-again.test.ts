// What becomes of the other apps of a browser in which somebody signs in once more.
import { expect, test } from 'vitest'
import { byPages } from './by-pages.js'
import { ledger, startRelyingParties, wiki } from './relying-party.js'

const lasting = { scope: 'openid offline_access' }

test('a sign-in that is asked for anew ends no app that has a refresh token', async () => {
  const { post, userinfo, ...at } = await startRelyingParties()
  const { flow, openBrowser } = byPages({ post, userinfo, ...at })
  const browser = openBrowser()
  const kept = await flow(ledger, lasting, browser)
  const passing = await flow(ledger, {}, browser)
  const anew = await flow(wiki, { prompt: 'login' }, browser)
  expect(anew.seen).toEqual(['sign-in'])
  // Its session went with the browser's: the app asks again, and comes back without a page.
  expect((await userinfo(passing.tokens['access_token'])).status).toBe(401)
  expect((await flow(ledger, {}, browser)).seen).toEqual([])
  const refreshed = await post('/oauth/token', ledger, {
    grant_type: 'refresh_token',
    refresh_token: String(kept.tokens['refresh_token']),
  })
  expect(refreshed.status).toBe(200)
})
