// https://github.com/authts/oidc-client-ts: a page of another origin, in Chromium.
import type { UserManagerSettings } from 'oidc-client-ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { answerPages, servePage } from './support/chromium-tab.js'
import { alice, type Provider } from './support/provider.js'
import { page } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

declare global {
  interface Window {
    /** What the script of the package defines. */
    oidc: typeof import('oidc-client-ts')
  }
}

const settingsFor = ({ issuer }: Provider, origin: string): UserManagerSettings => ({
  authority: issuer,
  client_id: page.id,
  redirect_uri: `${origin}/callback`,
  popup_redirect_uri: `${origin}/popup`,
  scope: 'openid profile email offline_access',
  prompt: 'consent',
  loadUserInfo: true,
  automaticSilentRenew: false,
})

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  let chromium: Awaited<ReturnType<typeof launchChromium>>
  beforeAll(async () => {
    chromium = await launchChromium()
  })
  afterAll(() => chromium?.close())

  async function openPage(provider: Provider) {
    const context = await chromium.newContext()
    onTestFinished(() => context.close())
    // The pages of the provider may name fonts and pictures of elsewhere.
    await context.route(/^https:/, (route) => route.abort())
    const tab = await context.newPage()
    const origin = await servePage()
    await tab.goto(origin)
    return { tab, origin, settings: settingsFor(provider, origin) }
  }

  describeClient('oidc-client-ts', bothPaths, (provider) => {
    it('signs in by a redirect, refreshes, and revokes', async () => {
      const { tab, settings } = await openPage(provider())
      void tab
        .evaluate((own) => new window.oidc.UserManager(own).signinRedirect(), settings)
        .catch(() => 'the page is left')
      await answerPages(tab, provider())
      const signedIn = await tab.evaluate(async (own) => {
        const { profile, access_token } =
          (await new window.oidc.UserManager(own).signinCallback()) ?? {}
        return { profile, access_token }
      }, settings)
      expect(signedIn.profile).toMatchObject({ sub: alice.id, ...alice.claims })

      const fresh = await tab.evaluate(async (own) => {
        const user = await new window.oidc.UserManager(own).signinSilent()
        return user?.access_token
      }, settings)
      expect(fresh).toEqual(expect.any(String))
      expect(fresh).not.toBe(signedIn.access_token)

      const afterwards = await tab.evaluate(async (own) => {
        const manager = new window.oidc.UserManager(own)
        const refresh_token = (await manager.getUser())?.refresh_token
        await manager.revokeTokens(['refresh_token'])
        const client = new window.oidc.OidcClient(own)
        const state = { refresh_token, profile: { sub: '' } } as never
        return client.useRefreshToken({ state }).then(
          () => 'refreshed',
          (error: { error?: string }) => error.error,
        )
      }, settings)
      expect(afterwards).toBe('invalid_grant')
    })

    it('signs in by a popup, also where alice is signed in already', async () => {
      const { tab, settings } = await openPage(provider())
      const answerPopup = async () => {
        const popup = await tab.context().waitForEvent('page')
        await answerPages(popup, provider())
        const comeBack = (own: UserManagerSettings) =>
          new window.oidc.UserManager(own).signinPopupCallback()
        await popup.evaluate(comeBack, settings).catch(() => 'it has closed itself')
      }
      for (const _time of ['first', 'second']) {
        const [user] = await Promise.all([
          tab.evaluate(async (own) => {
            const { profile } = await new window.oidc.UserManager(own).signinPopup()
            return profile
          }, settings),
          answerPopup(),
        ])
        expect(user).toMatchObject({ sub: alice.id, ...alice.claims })
        await expect.poll(() => tab.context().pages().length).toBe(1)
      }
    })

    it('refuses an answer that it did not ask for', async () => {
      const { tab, origin, settings } = await openPage(provider())
      await tab.goto(`${origin}/callback?code=x&state=of-another-sign-in`)
      const refused = await tab.evaluate(
        (own) =>
          new window.oidc.UserManager(own).signinCallback().then(
            () => 'signed in',
            (error: Error) => error.message,
          ),
        settings,
      )
      expect(refused).toBe('No matching state found in storage')
    })
  })
})
