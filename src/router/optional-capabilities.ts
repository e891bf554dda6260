import { type Accounts, createAccounts } from '../accounts/accounts.js'
import type { AccountsKit } from '../accounts/accounts-server.js'
import type { BrowserPagesKit } from '../browser/browser-kit.js'
import { createBrowserPages } from '../browser/browser-pages.js'
import { createBrowserSessions } from '../cookie/browser-session.js'
import { createDeletion, type Deletion } from '../deletion/deletion.js'
import { createDeviceLinks } from '../device-links/device-links.js'
import { createEmailSignIn } from '../email-sign-in/email-sign-in.js'
import type { Capability } from '../http/endpoint.js'
import { addressAt } from '../oauth/base-url.js'
import { createDeviceFlow } from '../oauth/device/device-flow.js'
import { createOAuth, type OAuth } from '../oauth/oauth.js'
import { createFormsKit, type FormsKit, type PagesKit } from '../pages/pages-kit.js'
import { createPasskeys, type Passkeys } from '../passkeys/passkeys.js'
import { createCallbackPages } from '../provider-sign-in/callback-pages.js'
import type { ProvidersKit } from '../provider-sign-in/provider-kit.js'
import { createProviderSignIn } from '../provider-sign-in/provider-sign-in.js'
import { createRegistration, type Registration } from '../registration/registration.js'
import type { Acr } from '../two-factor/acr.js'
import { type Kit, keptAddresses } from './kit.js'

/**
 * What the options `accounts`, `deviceLinks`, `oauth`, `passkeys` and `providers` add: loaded by a
 * router that has one of them, and by no other. The map of the router has their routes.
 */
export interface OptionalCapabilities {
  readonly browsers: Capability | undefined
  readonly passkeys: Passkeys | undefined
  readonly accounts: Accounts | undefined
  readonly emailSignIn: Capability | undefined
  readonly registration: Registration | undefined
  readonly deletion: Deletion | undefined
  readonly providers: Capability | undefined
  readonly deviceLinks: Capability | undefined
  readonly pages: Capability | undefined
  readonly oauth: OAuth | undefined
}

/** What the router has made at its start, for these and for others. */
export interface MadeAtStart
  extends Pick<
    BrowserPagesKit,
    'logInSteps' | 'ownSessions' | 'totpKit' | 'passkeysKit' | 'providerLogos'
  > {
  /** Undefined without the option `accounts`. */
  readonly accountsKit: AccountsKit | undefined
}

/** Makes them. The start has checked all options: this refuses nothing. */
export function createOptional(kit: Kit, made: MadeAtStart): OptionalCapabilities {
  const { accountsKit, passkeysKit, logInSteps, ownSessions, totpKit, providerLogos } = made
  const forApps = kitForApps(kit)
  const forms = forApps && createFormsKit(forApps)
  const ofAccounts = createOffered(accountsKit, forms)
  const { accounts, emailSignIn, deletion } = ofAccounts
  const providersKit = providersKitOf(kit, forms)
  const deviceLinks = createLinks(kit, forms)
  const pages = forms && {
    ...forms,
    logInSteps,
    ownSessions,
    totpKit,
    passkeysKit,
    providerLogos,
    offered: accounts?.offered,
    emailSignInKit: emailSignIn && accountsKit,
    hasDeletion: deletion !== undefined,
    providersKit,
    hasLinks: deviceLinks !== undefined && kit.deviceLinks?.page === undefined,
  }
  return {
    browsers: forApps && createBrowserSessions(forApps),
    passkeys: passkeysKit && createPasskeys(passkeysKit),
    ...ofAccounts,
    providers: providersKit && createProviderSignIn(providersKit),
    deviceLinks,
    pages: pages && createBrowserPages(pages),
    oauth: forApps && createOAuth(forApps),
  }
}

// The kit for apps; undefined without the option `oauth`.
function kitForApps(kit: Kit): PagesKit | undefined {
  const { oauthServer, pages, pageSite } = kit
  if (oauthServer === undefined || pages === undefined || pageSite === undefined) return undefined
  const { deviceRules } = oauthServer
  const { deviceCodes } = kit
  return {
    ...kit,
    ...oauthServer,
    pages,
    pageSite,
    acrValues: acrValuesOf(kit),
    locales: [...pageSite.languages.keys()],
    providerIds: kit.providerServer?.list.map(({ id }) => id) ?? [],
    deviceFlow: deviceRules && deviceCodes && createDeviceFlow(kit, deviceRules, deviceCodes),
  }
}

// Advertises only levels that some session can reach.
function acrValuesOf({ totp, codeFactors, passkeyServer }: Kit): readonly Acr[] {
  if (passkeyServer !== undefined) return ['urn:mar:1fa', 'urn:mar:2fa', 'phr']
  const hasFactors = totp !== undefined || codeFactors.length > 0
  return hasFactors ? ['urn:mar:1fa', 'urn:mar:2fa'] : ['urn:mar:1fa']
}

// The capabilities of the option `accounts`.
function createOffered(kit: AccountsKit | undefined, forms: FormsKit | undefined) {
  if (kit === undefined)
    return {
      accounts: undefined,
      emailSignIn: undefined,
      deletion: undefined,
      registration: undefined,
    }
  const { emailSignIn, phones } = kit.accountsOptions
  return {
    accounts: createAccounts(kit, forms),
    emailSignIn: emailSignIn || phones?.signIn ? createEmailSignIn(kit) : undefined,
    deletion: createDeletion(kit, forms),
    registration: createRegistration(kit, forms),
  }
}

// The capability of the option `deviceLinks`.
function createLinks(kit: Kit, forms: FormsKit | undefined) {
  const { deviceLinks, deviceCodes, pagesUrl } = kit
  // Checked at the start: there is one of the two.
  const linkPage = deviceLinks?.page ?? (pagesUrl && addressAt(pagesUrl, '/account/link'))
  if (!deviceLinks || !deviceCodes || linkPage === undefined) return undefined
  const parts = { deviceCodes, linkPage, shortCode: deviceLinks.shortCode }
  return createDeviceLinks(kit, parts, deviceLinks.page === undefined ? forms : undefined)
}

// The kit of the option `providers`.
function providersKitOf(kit: Kit, forms: FormsKit | undefined): ProvidersKit | undefined {
  const { providerServer, identities, proofs, accountsServer } = kit
  if (!providerServer || !identities || !proofs) return undefined
  return {
    ...kit,
    ...providerServer,
    identities,
    proofs,
    beforeRegister: accountsServer?.accountsOptions.beforeRegister,
    isKept: keptAddresses(accountsServer),
    callbackPages: forms && createCallbackPages(forms),
    issuer: kit.oauthServer?.issuer ?? providerServer.baseUrl.origin,
  }
}
