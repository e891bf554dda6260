// https://github.com/authts/oidc-client-ts: a page of another origin, in Chromium.
import type { UserManagerSettings } from 'oidc-client-ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { answerPages, pageOrigin, servePage } from './support/chromium-tab.js'
import { alice, type Provider } from './support/provider.js'
import { page } from './support/registrations.js'
import { bothPaths, describeClient } from './support/suites.js'

declare global {
  interface Window {
    /** What the script of the package defines. */
    oidc: typeof import('oidc-client-ts')
  }
}

const settingsFor = ({ issuer }: Provider): UserManagerSettings => ({
  authority: issuer,
  client_id: page.id,
  redirect_uri: page.redirectUris[0],
  popup_redirect_uri: page.redirectUris[1],
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
    const tab = await context.newPage()
    await servePage(tab, provider)
    await tab.goto(`${pageOrigin}/`)
    return tab
  }

  describeClient('oidc-client-ts', bothPaths, (provider) => {
    it('signs in by a redirect, refreshes, and revokes', async () => {
      const settings = settingsFor(provider())
      const tab = await openPage(provider())
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

    it('signs in by a popup', async () => {
      const settings = settingsFor(provider())
      const tab = await openPage(provider())
      const opened = tab.context().waitForEvent('page')
      const signedIn = tab.evaluate(async (own) => {
        const user = await new window.oidc.UserManager(own).signinPopup()
        return user.profile
      }, settings)
      const popup = await opened
      await answerPages(popup, provider())
      await popup.evaluate(
        (own) => new window.oidc.UserManager(own).signinPopupCallback(),
        settings,
      )
      expect(await signedIn).toMatchObject({ sub: alice.id, ...alice.claims })
      await expect.poll(() => popup.isClosed()).toBe(true)
    })

    it('refuses an answer that it did not ask for', async () => {
      const tab = await openPage(provider())
      await tab.goto(`${pageOrigin}/callback.html?code=x&state=of-another-sign-in`)
      const refused = await tab.evaluate(
        (own) =>
          new window.oidc.UserManager(own).signinCallback().then(
            () => 'signed in',
            (error: Error) => error.message,
          ),
        settingsFor(provider()),
      )
      expect(refused).toBe('No matching state found in storage')
    })
  })
})
