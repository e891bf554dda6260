// Signing out of an app and of the provider at once, by libraries as they are. Against this package
// alone: the control asks on a page for development that no library can answer.
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { oursModule } from './provider-ours.js'
import { openBrowser } from './support/browser.js'
import { answerPages, servePage } from './support/chromium-tab.js'
import { askBriefly, discover } from './support/openid-client.js'
import type { Provider } from './support/provider.js'
import { page, wiki } from './support/registrations.js'
import { bothPaths } from './support/suites.js'

describe.each(bothPaths)('against messaging-auth-router, with the path "%s"', (path) => {
  let provider: Provider
  beforeAll(async () => {
    provider = await oursModule.start(path)
  })
  afterAll(() => provider?.stop())

  it('openid-client: buildEndSessionUrl leads through the provider and back', async () => {
    const browser = openBrowser(provider)
    const { id_token } = await askBriefly(provider, browser, wiki)
    await askBriefly(provider, browser, wiki, { prompt: 'none' })
    const config = await discover(provider, wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const [goodbye] = wiki.postLogoutRedirectUris
    const address = oidc.buildEndSessionUrl(config, {
      id_token_hint: id_token ?? '',
      post_logout_redirect_uri: goodbye,
      state: 'of the wiki',
    })
    const { href } = await browser.ask(address)
    expect(href).toBe(`${goodbye}?state=of%20the%20wiki`)
    const silently = askBriefly(provider, browser, wiki, { prompt: 'none' })
    await expect(silently).rejects.toMatchObject({ error: 'login_required' })
  })

  it('openid-client: without an ID token its user is asked first', async () => {
    const browser = openBrowser(provider)
    await askBriefly(provider, browser, wiki)
    const config = await discover(provider, wiki.id, oidc.ClientSecretBasic(wiki.secret))
    const [goodbye] = wiki.postLogoutRedirectUris
    const address = oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: goodbye })
    const asking = await browser.ask(address)
    expect(asking.pathname).toBe('/api/v1/oauth/sign-out')
    await askBriefly(provider, browser, wiki, { prompt: 'none' })
  })

  it.skipIf(chromiumPath === null)(
    'oidc-client-ts: signoutRedirect of a page, in Chromium',
    async () => {
      const chromium = await launchChromium()
      try {
        const tab = await (await chromium.newContext()).newPage()
        const origin = await servePage()
        await tab.goto(origin)
        const settings = {
          authority: provider.issuer,
          client_id: page.id,
          redirect_uri: `${origin}/callback`,
          post_logout_redirect_uri: `${origin}/goodbye`,
          scope: 'openid profile',
          automaticSilentRenew: false,
        }
        void tab
          .evaluate((own) => new window.oidc.UserManager(own).signinRedirect(), settings)
          .catch(() => 'the page is left')
        await answerPages(tab, provider)
        await tab.evaluate((own) => new window.oidc.UserManager(own).signinCallback(), settings)
        void tab
          .evaluate(
            (own) => new window.oidc.UserManager(own).signoutRedirect({ state: 'of the page' }),
            settings,
          )
          .catch(() => 'the page is left')
        await tab.waitForURL(`${origin}/goodbye?state=*`)
        const back = await tab.evaluate(async (own) => {
          const manager = new window.oidc.UserManager(own)
          return { ...(await manager.signoutCallback()), user: await manager.getUser() }
        }, settings)
        expect(back).toMatchObject({ userState: 'of the page', user: null })
        void tab
          .evaluate(
            (own) => new window.oidc.UserManager(own).signinRedirect({ prompt: 'none' }),
            settings,
          )
          .catch(() => 'the page is left')
        await tab.waitForURL(`${origin}/callback?*`)
        expect(new URL(tab.url()).searchParams.get('error')).toBe('login_required')
      } finally {
        await chromium.close()
      }
    },
  )
})
