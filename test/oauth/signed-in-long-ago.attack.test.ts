// Somebody who sits down at a browser later, and opens an address from its history.
import { describe, expect, it } from 'vitest'
import { pkcePair } from '../support/client.js'
import { password } from '../support/host.js'
import { openPageBrowser } from './page-browser.js'
import { formOf, issuer, requestOf, startRelyingParties, tracker } from './relying-party.js'

const authorize = `${issuer}/api/v1/oauth/authorize`

/** Signs alice in for the tracker, which then asks her what it may; answers that page. */
async function signedIn(change: Readonly<Record<string, string>>) {
  const { host, local, clock } = await startRelyingParties()
  const browser = openPageBrowser(issuer, local)
  const query = formOf({ ...requestOf(tracker, pkcePair().codeChallenge), ...change })
  const signIn = await browser.open(`${authorize}?${query}`)
  const consent = await browser.send(signIn, { username: 'alice', password })
  expect(consent.url.pathname).toMatch(/consent$/)
  const ofCode = (rest: { readonly url: URL }) => {
    const code = rest.url.searchParams.get('code')
    if (code !== null) host.issued.add(code)
    return code !== null
  }
  return { browser, clock, consent, history: `${authorize}${consent.url.search}`, ofCode }
}

describe('the address of a sign-in that was asked for here and now', () => {
  it.each<[string, Record<string, string>, good: number, late: number]>([
    ['prompt=login', { prompt: 'login' }, 290, 310],
    ['max_age=0', { max_age: '0' }, 290, 310],
    ['max_age=1', { max_age: '1' }, 50, 70],
    ['max_age=60', { max_age: '60' }, 50, 70],
    ['max_age=600', { max_age: '600' }, 590, 610],
    ['prompt=login and max_age=600', { prompt: 'login', max_age: '600' }, 290, 310],
    ['prompt=login and max_age=100', { prompt: 'login', max_age: '100' }, 90, 110],
  ])(
    'with %s brings a code as long as that says, and then the form',
    async (_what, change, good, late) => {
      const { browser, clock, consent, history, ofCode } = await signedIn(change)
      // Nobody reads a consent sooner.
      clock.advance(1)
      expect(ofCode(await browser.send(consent, { choice: 'allow' }))).toBe(true)
      clock.advance(good - 1)
      expect(ofCode(await browser.open(history))).toBe(true)
      clock.advance(late - good)
      const asked = await browser.open(history)
      expect([asked.url.pathname, asked.page?.status]).toEqual(['/api/v1/oauth/sign-in', 200])
      expect(asked.page?.text).toContain('name="password"')
    },
  )

  it('does not call a user away from a consent that takes longer, and asks her before the code', async () => {
    const { browser, clock, consent, ofCode } = await signedIn({ prompt: 'login', max_age: '60' })
    clock.advance(240)
    // Still the consent, and what it allows is kept.
    expect((await browser.open(consent.url.href)).url.pathname).toMatch(/consent$/)
    const again = await browser.send(consent, { choice: 'allow' })
    expect(again.url.pathname).toMatch(/sign-in$/)
    expect(ofCode(await browser.send(again, { username: 'alice', password }))).toBe(true)
  })

  it('brings a code after a consent of four minutes, where the app names no age', async () => {
    const { browser, clock, consent, ofCode } = await signedIn({ prompt: 'login consent' })
    clock.advance(240)
    expect(ofCode(await browser.send(consent, { choice: 'allow' }))).toBe(true)
  })
})
