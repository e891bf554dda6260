import { createAcceptancePage } from '../acceptance/acceptance-page.js'
import { createAddressPage, createNewPasswordPage } from '../accounts/required-pages.js'
import { linkScriptFile } from '../device-links/link-page.js'
import { createOfferedCookie, createRememberedCookie } from '../http/cookies.js'
import type { Capability, Routes } from '../http/endpoint.js'
import { noticingMount } from '../oauth/base-url.js'
import { createJudgeLogout } from '../oauth/judge-logout.js'
import { accountPages, accountRoute } from '../pages/account-form.js'
import { createPasswordFingerprint } from '../pages/flow.js'
import { type FormPage, formEndpoints } from '../pages/form-page.js'
import { assetsEndpoint } from '../pages/page-site.js'
import { authorizeEndpoint, postedAuthorizeEndpoint, postOverFile } from '../pages/page-visit.js'
import { ownPage } from '../pages/show-page.js'
import { createAccountPage } from './account-page.js'
import type { BrowserKit, BrowserPagesKit } from './browser-kit.js'
import { createCodePage } from './code-page.js'
import { createConsentPage, createContinuePage } from './consent-page.js'
import { createDevicePage } from './device-page.js'
import { createEnrolmentPage, refusedActionEndpoint } from './enrolment-page.js'
import { createFactorPage } from './factor-page.js'
import { createAddPasskeyPage, createPasskeysPage } from './passkeys-page.js'
import {
  createConnectPage,
  createProviderPage,
  identitiesEndpoints,
  toProviderEndpoint,
} from './provider-page.js'
import { replayFirstEnrolment } from './replay-first-answer.js'
import { createSecondFactorPages } from './second-factor-page.js'
import { createSignInPage } from './sign-in-page.js'
import { logoutEndpoints, signOutEndpoints } from './sign-out.js'

/** The authorization endpoint, and its pages. */
export function createBrowserPages(given: BrowserPagesKit): Capability {
  const kit = browserKitOf(given)
  const signIn = createSignInPage(kit)
  const goOn = createContinuePage(kit)
  // The route has no HEAD: a GET may issue a code or start an enrolment.
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
      ...actionPages(kit, form),
      ...enrolmentPages(kit, form),
      form(createConsentPage(kit)),
      form(goOn),
      ownPage('/oauth/sign-out', signOutEndpoints(kit)),
      ...devicePages(kit),
      ...logoutPages(kit),
      ...ownPages(kit),
      ownPage('/oauth/assets/:file', { GET: assetsEndpoint(filesOf(kit)) }),
    ],
  }
}

function filesOf({ pageSite, hasLinks, providerLogos }: BrowserKit) {
  const { stylesheet, logo, icon, script, passwordScript } = pageSite
  const ofLinks = hasLinks ? [linkScriptFile] : []
  const ofParts = [...ofLinks, ...providerLogos.values()]
  const all = [stylesheet, logo, icon, script, passwordScript, postOverFile, ...ofParts]
  return all.filter((file) => file !== null)
}

/** Makes the route of a page. */
type MakeForm = (page: FormPage) => Routes[number]

function browserKitOf(kit: BrowserPagesKit): BrowserKit {
  return {
    ...kit,
    passwordFingerprint: createPasswordFingerprint(kit.encryptionKeys),
    offeredCookie: createOfferedCookie(kit.baseUrl),
    rememberedCookie: kit.rememberedBrowsers ? createRememberedCookie(kit.baseUrl) : null,
    judgeLogout: kit.offersLogout ? createJudgeLogout(kit) : undefined,
  }
}

function ownPages(kit: BrowserKit): Routes {
  const { totpKit, passkeysKit, providersKit } = kit
  const hasFactor = totpKit !== undefined || kit.offered?.emailFactor !== undefined
  const own = accountPages(kit, [
    createAccountPage(kit),
    hasFactor ? createFactorPage(kit) : undefined,
    passkeysKit && createPasskeysPage(kit, passkeysKit),
  ])
  if (kit.accountUrl === null || providersKit === undefined) return own
  // The route has no HEAD: a GET may connect an account.
  const identities = { ...identitiesEndpoints(kit, providersKit), HEAD: null }
  return [...own, ownPage('/account/identities', identities)]
}

function devicePages(kit: BrowserKit): Routes {
  const { deviceFlow } = kit
  if (deviceFlow === undefined) return []
  return [accountRoute(kit, createDevicePage(kit, deviceFlow))]
}

function logoutPages(kit: BrowserKit): Routes {
  const { judgeLogout } = kit
  if (judgeLogout === undefined) return []
  // The route has no HEAD: a GET may end a session.
  return [ownPage('/oauth/logout', { ...logoutEndpoints(kit, judgeLogout), HEAD: null })]
}

function codePages(kit: BrowserKit, form: MakeForm): Routes {
  const { emailSignInKit } = kit
  return emailSignInKit === undefined ? [] : [form(createCodePage(kit, emailSignInKit))]
}

function providerPages(kit: BrowserKit, form: MakeForm): Routes {
  const { providersKit } = kit
  if (providersKit === undefined) return []
  return [
    ownPage('/oauth/providers/:id', { GET: toProviderEndpoint(kit, providersKit), HEAD: null }),
    form(createProviderPage(kit, providersKit)),
    form(createConnectPage(kit, providersKit)),
  ]
}

// What a user must do first, besides a second factor.
function actionPages(kit: BrowserKit, form: MakeForm): Routes {
  const { acceptance } = kit
  const { passwords, emails } = { ...kit.offered }
  return [
    passwords === undefined
      ? refusedAction(
          kit,
          'new-password',
          'Another password is demanded, which cannot be set here.',
        )
      : form(createNewPasswordPage(kit, passwords)),
    ...(emails?.accountsOptions.provenAddress === true
      ? [form(createAddressPage(kit, emails))]
      : []),
    ...(acceptance === undefined ? [] : [form(createAcceptancePage(kit, acceptance))]),
  ]
}

function refusedAction(
  kit: BrowserKit,
  page: 'enrolment' | 'new-password',
  description: string,
): Routes[number] {
  return ownPage(`/oauth/${page}`, {
    GET: refusedActionEndpoint(kit, page, description),
    HEAD: null,
  })
}

function enrolmentPages(kit: BrowserKit, form: MakeForm): Routes {
  const { totpKit, passkeysKit, pages, clock } = kit
  if (totpKit === undefined && passkeysKit === undefined)
    return [
      refusedAction(kit, 'enrolment', 'A second factor is demanded, which cannot be set up here.'),
    ]
  const once = (page: FormPage) => form(replayFirstEnrolment(page, pages.cookie, clock))
  const enrolling = once(createEnrolmentPage(kit))
  return passkeysKit === undefined
    ? [enrolling]
    : [enrolling, once(createAddPasskeyPage(kit, passkeysKit))]
}
