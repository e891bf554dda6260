import type { Capability } from '../http/capability.js'
import { createOfferedCookie } from '../http/cookies.js'
import type { Endpoints, Routes } from '../http/endpoint.js'
import { addressAt, noticingMount } from '../oauth/base-url.js'
import { createFindBrowserUser } from '../oauth/browser-sign-in.js'
import { createJudgeAuthorization } from '../oauth/judge-authorization.js'
import { createJudgeLogout } from '../oauth/judge-logout.js'
import { accountEndpoints } from './account/account-form.js'
import { createAccountPage } from './account/account-page.js'
import { createDeletePage } from './account/delete-page.js'
import { createConfirmPage, createEmailPage } from './account/email-pages.js'
import { createFactorPage } from './account/factor-page.js'
import { createLinkPage, linkScriptFile } from './account/link-page.js'
import { mailFormEndpoints } from './account/mail-form.js'
import { createForgotPage, createResetPage, createUndoPage } from './account/mail-pages.js'
import { createPasswordPage } from './account/password-page.js'
import { createConfirmRegisterPage, createRegisterPage } from './account/register-pages.js'
import { createCodePage } from './code-page.js'
import { createConsentPage, createContinuePage } from './consent-page.js'
import { createCsrf, createKnownBrowser } from './csrf.js'
import { createDevicePage } from './device-page.js'
import { createEnrolmentPage, refusedEnrolmentEndpoint } from './enrolment-page.js'
import { createFlows, createPasswordFingerprint } from './flow.js'
import { type FormPage, formEndpoints } from './form-page.js'
import { createAddPasskeyPage, createPasskeysPage } from './page-passkeys.js'
import { providerLogosOf } from './page-providers.js'
import { plainAddress } from './page-request.js'
import { assetsEndpoint } from './page-site.js'
import { authorizeEndpoint, postedAuthorizeEndpoint, postOverFile } from './page-visit.js'
import type { BrowserPagesKit, FormsKit } from './pages-kit.js'
import {
  createConnectPage,
  createProviderPage,
  identitiesEndpoints,
  toProviderEndpoint,
} from './provider-page.js'
import { replayFirstDone, replayFirstEnrolment } from './replay-first-answer.js'
import { createSecondFactorPages } from './second-factor-page.js'
import { createSignInPage } from './sign-in-page.js'
import { logoutEndpoints, signOutEndpoints } from './sign-out.js'

/** The pages, with what the host's own code needs of them. */
export interface BrowserPages extends Capability {
  /** The address of the page for a new password; null without. */
  readonly changePassword: string | null
}

/** The authorization endpoint, and its pages. */
export function createBrowserPages(given: BrowserPagesKit): BrowserPages {
  const kit = formsKitOf(given)
  const signIn = createSignInPage(kit)
  const goOn = createContinuePage(kit)
  // Without HEAD: a GET may issue a code or start an enrolment.
  const form: MakeForm = (page) =>
    ownPage(`/oauth/${page.page}`, {
      ...formEndpoints(kit, page, { signIn, goOn }),
      HEAD: null,
    })
  return {
    routes: [
      ownPage('/oauth/authorize', {
        GET: noticingMount(authorizeEndpoint(kit), kit.baseUrl, kit.warnOnce),
        POST: postedAuthorizeEndpoint(kit),
        HEAD: null,
      }),
      form(signIn),
      ...codePages(kit, form),
      ...providerPages(kit, form),
      ...createSecondFactorPages(kit).map(form),
      ...enrolmentPages(kit, form),
      form(createConsentPage(kit)),
      form(goOn),
      ownPage('/oauth/sign-out', signOutEndpoints(kit)),
      ...devicePages(kit),
      ...linkPages(kit),
      ...logoutPages(kit),
      ...accountPages(kit),
      ...mailPages(kit),
      ownPage('/oauth/assets/:file', { GET: assetsEndpoint(filesOf(kit)) }),
    ],
    changePassword: changePasswordAt(kit),
  }
}

function filesOf({ pageSite, linksOnPages, providerLogos }: FormsKit) {
  const { stylesheet, logo, icon, script, passwordScript } = pageSite
  const ofLinks = linksOnPages === undefined ? [] : [linkScriptFile]
  const ofParts = [...ofLinks, ...providerLogos.values()]
  const all = [stylesheet, logo, icon, script, passwordScript, postOverFile, ...ofParts]
  return all.filter((file) => file !== null)
}

function changePasswordAt(kit: FormsKit): string | null {
  if (kit.accountsOnPages?.password === undefined) return null
  return plainAddress(kit, kit.ownDevices === undefined ? 'account/forgot' : 'account/password')
}

// Pages of other origins cannot read them, regardless of `cors`.
function ownPage(path: string, endpoints: Endpoints): Routes[number] {
  return [path, endpoints, 'plain', 'own-origin']
}

/** Makes the route of a page. */
type MakeForm = (page: FormPage) => Routes[number]

function formsKitOf(kit: BrowserPagesKit): FormsKit {
  const { baseUrl, encryptionKeys, ownDevices } = kit
  const findBrowserUser = createFindBrowserUser(kit)
  return {
    ...kit,
    flows: createFlows(kit),
    browsers: createKnownBrowser(kit),
    csrf: createCsrf(kit),
    passwordFingerprint: createPasswordFingerprint(encryptionKeys),
    offeredCookie: createOfferedCookie(baseUrl),
    providerLogos: providerLogosOf(kit.providersOnPages),
    accountUrl: ownDevices === undefined ? null : addressAt(baseUrl, '/account'),
    findBrowserUser,
    judgeAuthorization: createJudgeAuthorization(kit),
    judgeLogout: kit.offersLogout ? createJudgeLogout(kit) : undefined,
  }
}

function accountPages(kit: FormsKit): Routes {
  const { ownDevices, enrolment, passkeysOnPages, deletionOnPages, providersOnPages } = kit
  if (ownDevices === undefined) return []
  const { password, email, emailFactor } = kit.accountsOnPages ?? {}
  const hasFactor = enrolment !== undefined || emailFactor !== undefined
  const all = [
    createAccountPage(kit, ownDevices),
    hasFactor ? createFactorPage(kit) : undefined,
    passkeysOnPages && createPasskeysPage(kit, passkeysOnPages),
    password && createPasswordPage(kit, password),
    email && createEmailPage(kit, email),
    email && createConfirmPage(kit, email),
    deletionOnPages && createDeletePage(kit, deletionOnPages),
  ]
  const pages = all.filter((page) => page !== undefined)
  const own = pages.map((page) => ownPage(`/${page.page}`, accountEndpoints(kit, page)))
  if (providersOnPages === undefined) return own
  // Without HEAD: a GET may connect an account.
  const identities = { ...identitiesEndpoints(kit, providersOnPages), HEAD: null }
  return [...own, ownPage('/account/identities', identities)]
}

// Without the account page as well: mails lead there.
function mailPages(kit: FormsKit): Routes {
  const { password, undo } = kit.accountsOnPages ?? {}
  const { registrationOnPages: registration } = kit
  const pages = [
    password && createForgotPage(kit, password),
    password && createResetPage(kit, password),
    undo && createUndoPage(kit, undo),
    registration && createRegisterPage(kit, registration, 'account/register'),
    registration && createRegisterPage(kit, registration, 'account/invitation'),
    registration && replayFirstDone(createConfirmRegisterPage(kit, registration), kit.clock),
  ].filter((page) => page !== undefined)
  return pages.map((page) => ownPage(`/${page.page}`, mailFormEndpoints(kit, page)))
}

function devicePages(kit: FormsKit): Routes {
  const { deviceFlow } = kit
  if (deviceFlow === undefined) return []
  return [ownPage('/oauth/device', accountEndpoints(kit, createDevicePage(kit, deviceFlow)))]
}

// Without the account page as well: pictures lead there.
function linkPages(kit: FormsKit): Routes {
  const { linksOnPages } = kit
  if (linksOnPages === undefined) return []
  return [ownPage('/account/link', accountEndpoints(kit, createLinkPage(kit, linksOnPages)))]
}

function logoutPages(kit: FormsKit): Routes {
  const { judgeLogout } = kit
  if (judgeLogout === undefined) return []
  // Without HEAD: a GET may end a session.
  return [ownPage('/oauth/logout', { ...logoutEndpoints(kit, judgeLogout), HEAD: null })]
}

function codePages(kit: FormsKit, form: MakeForm): Routes {
  const { emailSignInOnPages: server } = kit
  return server === undefined ? [] : [form(createCodePage(kit, server))]
}

function providerPages(kit: FormsKit, form: MakeForm): Routes {
  const { providersOnPages: server } = kit
  if (server === undefined) return []
  return [
    ownPage('/oauth/providers/:id', { GET: toProviderEndpoint(kit, server), HEAD: null }),
    form(createProviderPage(kit, server)),
    form(createConnectPage(kit, server)),
  ]
}

function enrolmentPages(kit: FormsKit, form: MakeForm): Routes {
  const { enrolment, passkeysOnPages: passkeys, pages, clock } = kit
  if (enrolment === undefined && passkeys === undefined)
    return [ownPage('/oauth/enrolment', { GET: refusedEnrolmentEndpoint(kit), HEAD: null })]
  const once = (page: FormPage) => form(replayFirstEnrolment(page, pages.cookie, clock))
  const enrolling = once(createEnrolmentPage(kit))
  return passkeys === undefined
    ? [enrolling]
    : [enrolling, once(createAddPasskeyPage(kit, passkeys))]
}
