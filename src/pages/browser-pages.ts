import type { Capability } from '../http/capability.js'
import type { Endpoints, Routes } from '../http/endpoint.js'
import type { LogInSteps } from '../login/log-in.js'
import { issueOAuthCode } from '../oauth/authorization-codes.js'
import { addressAt, noticingMount } from '../oauth/base-url.js'
import { createFindBrowserUser } from '../oauth/browser-sign-in.js'
import { createDeviceApprovals } from '../oauth/device/approve-device.js'
import { createReadIdTokenHint } from '../oauth/id-token-hint.js'
import { createJudgeAuthorization } from '../oauth/judge-authorization.js'
import { createJudgeLogout } from '../oauth/judge-logout.js'
import { createOwnConsents } from '../oauth/own-consents.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import { accountEndpoints } from './account/account-form.js'
import { createAccountPage } from './account/account-page.js'
import { createDeletePage, type DeletionOnPages } from './account/delete-page.js'
import { createConfirmPage, createEmailPage } from './account/email-pages.js'
import { createFactorPage } from './account/factor-page.js'
import { identitiesEndpoints } from './account/identities-page.js'
import { createLinkPage, linkScriptFile } from './account/link-page.js'
import { mailFormEndpoints } from './account/mail-form.js'
import { createForgotPage, createResetPage, createUndoPage } from './account/mail-pages.js'
import type {
  AccountsOnPages,
  LinksOnPages,
  OwnDevices,
  OwnSecondFactor,
  RegistrationOnPages,
} from './account/parts.js'
import { createPasskeysPage } from './account/passkeys-page.js'
import { createPasswordPage } from './account/password-page.js'
import { createConfirmRegisterPage, createRegisterPage } from './account/register-pages.js'
import { createAddPasskeyPage, createOfferPasskey } from './add-passkey-page.js'
import { createAnswerClient } from './answer-client.js'
import { assetsEndpoint } from './assets.endpoint.js'
import { authorizeEndpoint, postedAuthorizeEndpoint } from './authorize.endpoint.js'
import { createCodePage } from './code-page.js'
import { createConsentPage, createContinuePage } from './consent-page.js'
import { createCsrf } from './csrf.js'
import { createDevicePage } from './device-page.js'
import { createEnrolmentPage, refusedEnrolmentEndpoint } from './enrolment-page.js'
import { createFlows } from './flow.js'
import { type FormPage, formEndpoints } from './form-page.js'
import { createPasskeyPart } from './form-parts.js'
import { createExits } from './goal.js'
import { createNamesAccount } from './judge-form.js'
import { logoutEndpoints } from './logout.endpoint.js'
import type { EmailSignInOnPages } from './mailed-login.js'
import { createNewPasskey, type PagePasskeys } from './page-passkeys.js'
import { createPageProviders, type ProvidersOnPages } from './page-providers.js'
import { assetAddress } from './page-site.js'
import { createAdvance, createVisitPage } from './page-visit.js'
import type { PagesKit } from './pages-kit.js'
import { createKnownBrowser } from './pre-cookie.js'
import { createConnectPage, createProviderPage, toProviderEndpoint } from './provider-page.js'
import { createRenewCookie } from './renew-cookie.js'
import { replayFirstAnswer, replayFirstDone, replayFirstEnrolment } from './replay-first-answer.js'
import { createSecondFactorPage } from './second-factor-page.js'
import { createPostOver, createShowPage, postOverFile } from './show-page.js'
import { createPasswordFingerprint, createSignInByForm } from './sign-in-by-form.js'
import { createSignInPage } from './sign-in-page.js'
import { signOutEndpoints } from './sign-out.endpoint.js'

/** What the capabilities show on pages. */
export interface BrowserPagesKit extends PagesKit {
  readonly logInSteps: LogInSteps
  /** Undefined if the host has no store of second factors. */
  readonly enrolment: OwnSecondFactor | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeysOnPages: PasskeysOnPages | undefined
  /** Undefined without the option `accounts`. */
  readonly accountsOnPages: AccountsOnPages | undefined
  /** Undefined without the option `accounts.registration`. */
  readonly registrationOnPages: RegistrationOnPages | undefined
  /** Undefined without `accounts.emailSignIn`. */
  readonly emailSignInOnPages: EmailSignInOnPages | undefined
  /** Undefined without `accounts.deletion`. */
  readonly deletionOnPages: DeletionOnPages | undefined
  /** Undefined without the option `providers`. */
  readonly providersOnPages: ProvidersOnPages | undefined
  /** Undefined without the option `deviceLinks`, and if the host has a page of its own for it. */
  readonly linksOnPages: LinksOnPages | undefined
  /** Undefined if the host has no account page of ours. */
  readonly ownDevices: OwnDevices | undefined
}

/** The pages, with what the host's own code needs of them. */
export interface BrowserPages extends Capability {
  /** The address of the page for a new password; null without. */
  readonly changePassword: string | null
}

/** The authorization endpoint, and its pages. */
export function createBrowserPages(kit: BrowserPagesKit): BrowserPages {
  const parts = partsOf(kit)
  const { stylesheet, logo, icon, script, passwordScript } = kit.pageSite
  const ofLinks = kit.linksOnPages === undefined ? [] : [linkScriptFile]
  const ofParts = [...ofLinks, ...(parts.providers?.files ?? [])]
  const all = [stylesheet, logo, icon, script, passwordScript, postOverFile, ...ofParts]
  const files = all.filter((file) => file !== null)
  const signIn = createSignInPage(parts)
  const goOn = createContinuePage(parts)
  // Without HEAD: a GET may issue a code or start an enrolment.
  const form: MakeForm = (page) => ({
    ...formEndpoints(parts, page, { signIn, goOn }),
    HEAD: null,
  })
  return {
    routes: [
      ownPage('/oauth/authorize', {
        GET: noticingMount(authorizeEndpoint(parts), kit.baseUrl, kit.warnOnce),
        POST: postedAuthorizeEndpoint(parts),
        HEAD: null,
      }),
      ownPage('/oauth/sign-in', form(signIn)),
      ...codePages(parts, form),
      ...providerPages(parts, form),
      ownPage('/oauth/second-factor', form(createSecondFactorPage(parts, 'code'))),
      ownPage('/oauth/recovery-code', form(createSecondFactorPage(parts, 'recovery'))),
      ...enrolmentPages(parts, form),
      ownPage('/oauth/consent', form(createConsentPage(parts))),
      ownPage('/oauth/continue', form(goOn)),
      ownPage('/oauth/sign-out', signOutEndpoints(parts)),
      ...devicePages(parts),
      ...linkPages(parts),
      ...logoutPages(parts),
      ...accountPages(parts),
      ...mailPages(parts),
      ownPage('/oauth/assets/:file', { GET: assetsEndpoint(files) }),
    ],
    changePassword: changePasswordAt(parts),
  }
}

function changePasswordAt({ accountsOnPages, ownDevices, baseUrl }: Parts): string | null {
  if (accountsOnPages?.password === undefined) return null
  const page = ownDevices === undefined ? 'account/forgot' : 'account/password'
  return addressAt(baseUrl, `/${page}`)
}

// Pages of other origins cannot read them, regardless of `cors`.
function ownPage(path: string, endpoints: Endpoints): Routes[number] {
  return [path, endpoints, 'plain', 'own-origin']
}

/** Makes the endpoints of a page. */
type MakeForm = (page: FormPage) => Endpoints

type Parts = ReturnType<typeof partsOf>

// Parts that several pages share.
function partsOf(kit: BrowserPagesKit) {
  const { baseUrl, pages, encryptionKeys, clock, ownDevices } = kit
  const shared = {
    ...kit,
    hasForgotPage: kit.accountsOnPages?.password !== undefined,
    accountUrl: ownDevices === undefined ? null : addressAt(baseUrl, '/account'),
    showPage: createShowPage(kit.pageSite, kit.audit),
    postOver: createPostOver(kit.pageSite),
    flows: createFlows(kit),
    browsers: createKnownBrowser(pages.cookie, baseUrl),
    csrf: createCsrf({ encryptionKeys, origin: baseUrl.origin, clock }),
    namesAccount: createNamesAccount(kit),
    passwordFingerprint: createPasswordFingerprint(encryptionKeys),
  }
  const answerClient = createAnswerClient({
    ...shared,
    issueCode: (asked, context) => issueOAuthCode(kit, asked, context),
  })
  const exits = createExits(answerClient, baseUrl)
  const findBrowserUser = createFindBrowserUser(kit)
  const readHint = createReadIdTokenHint(kit.signer, kit.call)
  const judging = { ...kit, knownScopes: kit.scopes.known, findBrowserUser, readHint }
  const judge = createJudgeAuthorization(judging)
  const passkeys = passkeysOn(kit)
  const forms = createSignInByForm(shared)
  return {
    ...shared,
    findBrowserUser,
    exits,
    visitPage: createVisitPage({ ...shared, answerClient, judge, findBrowserUser }),
    advance: createAdvance(exits, baseUrl),
    judgeLogout: kit.offersLogout ? createJudgeLogout(judging) : undefined,
    passkeys,
    offerPasskey: passkeys && createOfferPasskey(passkeys, baseUrl),
    providers: kit.providersOnPages && createPageProviders(kit.providersOnPages, kit.pageSite),
    signInByForm: {
      ...forms,
      byCode: replayFirstAnswer(forms.byCode, clock),
      byMailedCode: replayFirstAnswer(forms.byMailedCode, clock),
    },
  }
}

function passkeysOn({ pageSite, passkeysOnPages }: BrowserPagesKit): PagePasskeys | undefined {
  const { script } = pageSite
  if (passkeysOnPages === undefined || script === null) return undefined
  return { part: createPasskeyPart(assetAddress(pageSite, script)), server: passkeysOnPages }
}

function accountPages(parts: Parts): Routes {
  const { ownDevices } = parts
  if (ownDevices === undefined) return []
  const { enrolment: secondFactor, passkeys } = parts
  const { password, email, emailFactor } = parts.accountsOnPages ?? {}
  const { deletionOnPages: deletion } = parts
  const renewing = { ...parts, renewCookie: createRenewCookie(parts) }
  const ownPasskeys = passkeys?.server.own
  const ownConsents = createOwnConsents(parts)
  const account = createAccountPage({
    ...parts,
    ownDevices,
    ownConsents,
    secondFactor,
    ownPasskeys,
    emailFactor,
    hasPasswordPage: password !== undefined,
    hasDeletePage: deletion !== undefined,
    hasIdentitiesPage: parts.providers !== undefined,
    email,
  })
  const emailPages = email && [
    createEmailPage({ ...parts, email }),
    createConfirmPage({ ...parts, email }),
  ]
  const passwordPage = password && createPasswordPage({ ...renewing, password })
  const hasFactor = secondFactor !== undefined || emailFactor !== undefined
  const hasEmailPage = email !== undefined
  const factors = { secondFactor, emailFactor, hasEmailPage }
  const factor = hasFactor ? createFactorPage({ ...renewing, ...factors }) : undefined
  const newPasskey = passkeys && createNewPasskey({ ...renewing, passkeys })
  const keys =
    ownPasskeys && newPasskey && createPasskeysPage({ ...renewing, ownPasskeys, newPasskey })
  const deletePage = deletion && createDeletePage({ ...parts, deletion })
  const all = [account, factor, keys, passwordPage, ...(emailPages ?? []), deletePage]
  const pages = all.filter((page) => page !== undefined)
  const own = pages.map((page) => ownPage(`/${page.page}`, accountEndpoints(parts, page)))
  const { providersOnPages: server } = parts
  if (server === undefined) return own
  // Without HEAD: a GET may connect an account.
  const identities = { ...identitiesEndpoints(parts, server), HEAD: null }
  return [...own, ownPage('/account/identities', identities)]
}

// Without the account page as well: mails lead there.
function mailPages(parts: Parts): Routes {
  const { password, undo } = parts.accountsOnPages ?? {}
  const { registrationOnPages: registration } = parts
  const pages = [
    password && createForgotPage(parts, password),
    password && createResetPage(parts, password),
    undo && createUndoPage(parts, undo),
    registration && createRegisterPage(parts, registration, 'account/register'),
    registration && createRegisterPage(parts, registration, 'account/invitation'),
    registration && replayFirstDone(createConfirmRegisterPage(parts, registration), parts.clock),
  ].filter((page) => page !== undefined)
  return pages.map((page) => ownPage(`/${page.page}`, mailFormEndpoints(parts, page)))
}

function devicePages(parts: Parts): Routes {
  const { deviceFlow } = parts
  if (deviceFlow === undefined) return []
  const deviceApprovals = createDeviceApprovals({ ...parts, deviceFlow })
  const page = createDevicePage({ ...parts, deviceFlow, deviceApprovals })
  return [ownPage('/oauth/device', accountEndpoints(parts, page))]
}

// Without the account page as well: pictures lead there.
function linkPages({ linksOnPages, ...parts }: Parts): Routes {
  if (linksOnPages === undefined) return []
  const page = createLinkPage({ ...parts, linksOnPages })
  return [ownPage('/account/link', accountEndpoints(parts, page))]
}

function logoutPages({ judgeLogout, ...parts }: Parts): Routes {
  if (judgeLogout === undefined) return []
  // Without HEAD: a GET may end a session.
  return [ownPage('/oauth/logout', { ...logoutEndpoints({ ...parts, judgeLogout }), HEAD: null })]
}

function codePages(parts: Parts, form: MakeForm): Routes {
  const { emailSignInOnPages: server } = parts
  return server === undefined ? [] : [ownPage('/oauth/code', form(createCodePage(parts, server)))]
}

function providerPages(parts: Parts, form: MakeForm): Routes {
  const { providers } = parts
  if (providers === undefined) return []
  const lead = { GET: toProviderEndpoint(parts, providers), HEAD: null }
  return [
    ownPage('/oauth/providers/:id', lead),
    ownPage('/oauth/provider', form(createProviderPage(parts, providers))),
    ownPage('/oauth/connect', form(createConnectPage(parts, providers))),
  ]
}

function enrolmentPages(parts: Parts, form: MakeForm): Routes {
  const { enrolment, passkeys, pages, clock } = parts
  const renewing = { ...parts, renewCookie: createRenewCookie(parts) }
  const newPasskey = passkeys && createNewPasskey({ ...renewing, passkeys })
  if (enrolment === undefined && newPasskey === undefined)
    return [ownPage('/oauth/enrolment', { GET: refusedEnrolmentEndpoint(parts), HEAD: null })]
  const once = (page: FormPage) => form(replayFirstEnrolment(page, pages.cookie, clock))
  const page = createEnrolmentPage({ ...renewing, newPasskey })
  const enrolling = ownPage('/oauth/enrolment', once(page))
  if (newPasskey === undefined) return [enrolling]
  return [enrolling, ownPage('/oauth/passkey', once(createAddPasskeyPage(newPasskey, parts)))]
}
