// What a client may say of how its user is asked, by https://github.com/panva/openid-client: which
// pages are shown, and that each of them leads back to the client.
import * as oidc from 'openid-client'
import { expect, it } from 'vitest'
import { openBrowser } from './support/browser.js'
import { askBriefly, discover } from './support/openid-client.js'
import { alice, type Provider } from './support/provider.js'
import { calendar, desktop, wiki } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

/** Alice's browser, and how many pages waited for her there: to sign in, and in all. */
function openCounting(provider: Provider, agrees = true) {
  const shown = { signIns: 0, pages: 0 }
  const answer: Provider['answer'] = (page, agreed) => {
    shown.pages += 1
    if (page.html.includes('name="password"')) shown.signIns += 1
    return provider.answer(page, agreed)
  }
  return { shown, browser: openBrowser({ ...provider, answer }, { agrees }) }
}

const silently = { prompt: 'none' }
/** An app on a device, by a port and by a scheme of its own. */
const byPort = { ...desktop, redirectUris: ['http://127.0.0.1:50127/callback'] }
const byScheme = { ...desktop, redirectUris: ['com.example.desktop:/callback'] }

describeClient('openid-client', bothPaths, (provider) => {
  it('asks without a word to the user: first she has to sign in, then she is let in', async () => {
    const browser = openBrowser(provider())
    const how = { prompt: 'none' }
    await expect(askBriefly(provider(), browser, wiki, how)).rejects.toMatchObject({
      error: 'login_required',
    })
    const first = (await askBriefly(provider(), browser, wiki)).claims()
    const second = (await askBriefly(provider(), browser, wiki, how)).claims()
    const auth_time = first?.auth_time
    expect(auth_time).toEqual(expect.any(Number))
    expect(second).toMatchObject({ sub: alice.id, auth_time })
  })

  it('has alice asked once, where it is of somebody else, and not again', async () => {
    const browser = openBrowser(provider())
    await askBriefly(provider(), browser, wiki)
    const how = { prompt: 'none' }
    await expect(askBriefly(provider(), browser, calendar, how)).rejects.toMatchObject({
      error: 'consent_required',
    })
    await askBriefly(provider(), browser, calendar)
    const again = await askBriefly(provider(), browser, calendar, how)
    expect(again.claims()).toMatchObject({ sub: alice.id, aud: calendar.id })
  })

  it('gets a code by each prompt that the metadata list, of a page that is shown', async () => {
    const config = await discover(provider(), wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const listed = config.serverMetadata()['prompt_values_supported'] as string[] | undefined
    const { shown, browser } = openCounting(provider())
    await askBriefly(provider(), browser, calendar)
    for (const prompt of listed ?? ['none', 'login', 'consent']) {
      const before = shown.pages
      const tokens = await askBriefly(provider(), browser, calendar, { prompt })
      expect(tokens.claims()).toMatchObject({ sub: alice.id, aud: calendar.id })
      expect([prompt, shown.pages > before]).toEqual([prompt, prompt !== 'none'])
    }
  })

  it.each([{ prompt: 'login' }, { max_age: '0' }])('has alice sign in anew: %o', async (said) => {
    const { shown, browser } = openCounting(provider())
    const first = (await askBriefly(provider(), browser, wiki)).claims()
    const again = (await askBriefly(provider(), browser, wiki)).claims()
    expect([shown.signIns, again?.auth_time]).toEqual([1, first?.auth_time])
    const anew = (await askBriefly(provider(), browser, wiki, said)).claims()
    expect(shown.signIns).toBe(2)
    expect(anew?.auth_time).toBeGreaterThanOrEqual(first?.auth_time ?? Number.NaN)
  })

  it('names whom it expects by an ID Token of its own', async () => {
    const { shown, browser } = openCounting(provider())
    const first = await askBriefly(provider(), browser, wiki)
    const said = { ...silently, id_token_hint: first.id_token ?? '' }
    const { pages } = shown
    const again = (await askBriefly(provider(), browser, wiki, said)).claims()
    expect([shown.pages, again?.sub]).toEqual([pages, alice.id])
  })

  it.each([
    ['a port', byPort],
    ['a scheme of its own', byScheme],
  ])('signs in an app on a device by %s, and asks who is signed in already', async (_how, app) => {
    const { shown, browser } = openCounting(provider())
    const first = (await askBriefly(provider(), browser, app)).claims()
    expect([shown.signIns, first?.sub]).toEqual([1, alice.id])
    const { pages } = shown
    const again = (await askBriefly(provider(), browser, app)).claims()
    expect([shown.pages - pages, shown.signIns, again?.sub]).toEqual([1, 1, alice.id])
    await expect(askBriefly(provider(), browser, app, silently)).rejects.toMatchObject({
      error: expect.stringMatching(/^(?:consent|interaction)_required$/),
    })
  })

  it('is told that alice does not go on in an app on a device', async () => {
    const { browser } = openCounting(provider(), false)
    await askBriefly(provider(), browser, wiki).catch((error: { error?: string }) => {
      // A provider may ask her here already.
      expect(error.error).toBe('access_denied')
    })
    await expect(askBriefly(provider(), browser, byPort)).rejects.toMatchObject({
      error: 'access_denied',
    })
  })
})
