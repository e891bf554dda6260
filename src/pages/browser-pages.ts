import type { Audit } from '../audit/events.js'
import type { Authenticate } from '../guard/authenticate.js'
import type { Capability } from '../http/capability.js'
import type { Endpoints, Routes } from '../http/endpoint.js'
import type { Pages } from '../http/pages.js'
import type { SayOnce } from '../http/say-once.js'
import type { HostCall } from '../lib/host-call.js'
import type { LogInSteps } from '../login/log-in.js'
import { createOAuthCodes } from '../oauth/authorization-codes.js'
import { noticingMount } from '../oauth/base-url.js'
import { createFindBrowserUser } from '../oauth/browser-sign-in.js'
import { createReadIdTokenHint } from '../oauth/id-token-hint.js'
import { createJudgeAuthorization } from '../oauth/judge-authorization.js'
import type { OAuthServer } from '../oauth/oauth-server.js'
import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { TokenSigner } from '../signers/contract.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import { createAddPasskeyPage, createOfferPasskey } from './add-passkey-page.js'
import { createAdvance } from './advance.js'
import { createAnswerClient } from './answer-client.js'
import { assetsEndpoint } from './assets.endpoint.js'
import { authorizeEndpoint, postedAuthorizeEndpoint } from './authorize.endpoint.js'
import { type ChoicePageDeps, createConsentPage } from './consent-page.js'
import { createContinuePage } from './continue-page.js'
import { createCsrf } from './csrf.js'
import {
  createEnrolmentPage,
  type FactorEnrolment,
  refusedEnrolmentEndpoint,
} from './enrolment-page.js'
import { createFlows } from './flow.js'
import { type FormPage, type FormPageDeps, formEndpoints } from './form-page.js'
import { createNewPasskey } from './new-passkey.js'
import type { PagePasskeys } from './page-passkeys.js'
import { assetAddress, type PageSite } from './page-site.js'
import { createVisitPage } from './page-visit.js'
import type { PagesOptions } from './pages-options.js'
import { createPasskeyPart } from './passkey-part.js'
import { createPasswordMarker } from './password-mark.js'
import { createKnownBrowser } from './pre-cookie.js'
import { enrolledTwice, pressedTwice } from './pressed-twice.js'
import { createSecondFactorPage, type SecondFactorPageDeps } from './second-factor-page.js'
import { createShowPage } from './show-page.js'
import { createSignInByForm, type SignInByForm } from './sign-in-by-form.js'
import { createSignInPage } from './sign-in-page.js'
import { signOutEndpoints } from './sign-out.endpoint.js'

/** What {@link createBrowserPages} needs. */
export interface BrowserPagesDeps {
  /** What they have in common. */
  readonly site: PageSite
  /** Undefined: the key of a factor is shown as text alone. */
  readonly qrCode: PagesOptions['qrCode']
  readonly server: Pick<
    OAuthServer,
    'issuer' | 'baseUrl' | 'once' | 'clients' | 'consents' | 'scopes' | 'ownResource'
  >
  readonly pages: Pages
  readonly logInSteps: LogInSteps
  /** Null: the host keeps no TOTP seeds. */
  readonly enrolment: FactorEnrolment | null
  /** Null: the host takes none. */
  readonly passkeys: PasskeysOnPages | null
  readonly codes: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'findLive' | 'end'>
  readonly secondFactors: SecondFactors
  readonly authenticate: Authenticate
  readonly decideSignIn: DecideSignIn
  readonly mustHaveFactor: (user: AuthUser) => Promise<boolean>
  readonly throttle: Pick<Throttle, 'takeIssue' | 'limitLookups'>
  readonly signer: Pick<TokenSigner, 'verifyIdToken'>
  readonly encryptionKeys: readonly Buffer[]
  readonly call: HostCall
  readonly sayOnce: SayOnce
  readonly clock: () => Date
  readonly audit: Audit
}

/** Makes the authorization endpoint, and the pages that browsers are sent to from there. */
export function createBrowserPages(deps: BrowserPagesDeps): Capability {
  const { server, site } = deps
  const { baseUrl: base } = server
  const frame = createFrame(deps)
  const { visitPage, advance, showPage } = frame.forms
  const authorize = authorizeEndpoint({ visitPage, advance, showPage })
  const signInByForm = signInByFormOf(deps, frame)
  const { pages, sessions } = deps
  const { browsers, passkeys } = frame
  const signIn = createSignInPage({
    signInByForm,
    passkeys,
    offerPasskey: passkeys && createOfferPasskey(passkeys, base.protocol === 'https:'),
    pages,
    sessions,
    browsers,
    base,
  })
  // Without HEAD: a GET leads on, which may issue a code, and begins an enrolment.
  const form: MakeForm = (page) => ({ ...formEndpoints(frame.forms, page, signIn), HEAD: null })
  const files = [site.stylesheet, site.logo, site.script].filter((file) => file !== null)
  return {
    routes: [
      ownPage('/oauth/authorize', {
        GET: noticingMount(authorize, base, deps.sayOnce),
        POST: postedAuthorizeEndpoint({ showPage, base }),
        HEAD: null,
      }),
      ownPage('/oauth/sign-in', form(signIn)),
      ...secondFactorPages(deps, { signInByForm, passkeys, browsers, base }, form),
      ...enrolmentPages(deps, frame, form),
      ...choicePages(deps, { flows: frame.flows, base }, form),
      ownPage('/oauth/sign-out', signOut(deps, frame)),
      ownPage('/oauth/assets/:file', { GET: assetsEndpoint(files) }),
    ],
    close: null,
  }
}

// No page of another origin gets anything out of them, whatever `cors` says.
function ownPage(path: string, endpoints: Endpoints): Routes[number] {
  return [path, endpoints, 'plain', 'own-origin']
}

/** What all pages are made with. */
interface Frame {
  readonly forms: FormPageDeps
  readonly flows: ReturnType<typeof createFlows>
  readonly browsers: ReturnType<typeof createKnownBrowser>
  readonly passkeys: PagePasskeys | null
}

function createFrame(deps: BrowserPagesDeps): Frame {
  const { server, site, pages, encryptionKeys, clock } = deps
  const { issuer, baseUrl: base, once } = server
  const showPage = createShowPage(site)
  const flows = createFlows({ encryptionKeys, once, clock })
  const browsers = createKnownBrowser(pages.cookie, base.protocol === 'https:')
  const { takeIssue } = deps.throttle
  const codes = createOAuthCodes({ store: deps.codes, takeIssue, clock, audit: deps.audit })
  const answerClient = createAnswerClient({ codes, issuer, showPage })
  const visitPage = createVisitPage({
    judge: judgeOf(deps),
    flows,
    browsers,
    answerClient,
    showPage,
  })
  const csrf = createCsrf({ encryptionKeys, origin: base.origin, clock })
  const advance = createAdvance(answerClient, base)
  const forms = { visitPage, advance, answerClient, showPage, csrf, browsers, base }
  return { forms, browsers, flows, passkeys: passkeysOn(site, deps.passkeys) }
}

function passkeysOn(site: PageSite, server: PasskeysOnPages | null): PagePasskeys | null {
  if (server === null || site.script === null) return null
  return { part: createPasskeyPart(assetAddress(site, site.script)), server }
}

function judgeOf(deps: BrowserPagesDeps) {
  const { server, secondFactors } = deps
  return createJudgeAuthorization({
    clients: server.clients,
    throttle: deps.throttle,
    findBrowserUser: createFindBrowserUser({
      pages: deps.pages,
      authenticate: deps.authenticate,
      decideSignIn: deps.decideSignIn,
      hasShownFactor: secondFactors.hasBeenShown,
      mustHaveFactor: deps.mustHaveFactor,
      audit: deps.audit,
    }),
    readHint: createReadIdTokenHint(deps.signer, deps.call),
    consents: server.consents,
    knownScopes: server.scopes.known,
    ownResource: server.ownResource,
    clock: deps.clock,
  })
}

/** The endpoints of a page, all of which lead to the one sign-in. */
type MakeForm = (page: FormPage) => Endpoints

function signInByFormOf(
  { logInSteps, passkeys, encryptionKeys, clock }: BrowserPagesDeps,
  { flows }: Pick<Frame, 'flows'>,
): SignInByForm {
  const passwordMarker = createPasswordMarker(encryptionKeys)
  const forms = createSignInByForm({ logInSteps, flows, passwordMarker, passkeys })
  const { byPassword, byCode, byPasskey, bySecondPasskey } = forms
  return { byPassword, byCode: pressedTwice(byCode, clock), byPasskey, bySecondPasskey }
}

function secondFactorPages(
  { pages, sessions, users, secondFactors }: BrowserPagesDeps,
  {
    signInByForm,
    passkeys,
    browsers,
    base,
  }: Pick<SecondFactorPageDeps, 'signInByForm' | 'passkeys' | 'browsers' | 'base'>,
  form: MakeForm,
): Routes {
  const page = (method: 'code' | 'recovery') =>
    createSecondFactorPage(
      { signInByForm, passkeys, browsers, base, pages, sessions, users, secondFactors },
      method,
    )
  return [
    ownPage('/oauth/second-factor', form(page('code'))),
    ownPage('/oauth/recovery-code', form(page('recovery'))),
  ]
}

function enrolmentPages(
  { enrolment, qrCode, call, clock }: BrowserPagesDeps,
  { forms, passkeys }: Pick<Frame, 'forms' | 'passkeys'>,
  form: MakeForm,
): Routes {
  const { visitPage, advance, answerClient, showPage, base } = forms
  const newPasskey = passkeys && createNewPasskey({ passkeys, showPage, base, clock })
  if (enrolment === null && newPasskey === null) {
    const refused = refusedEnrolmentEndpoint({ visitPage, advance, answerClient, showPage })
    return [ownPage('/oauth/enrolment', { GET: refused, HEAD: null })]
  }
  const page = createEnrolmentPage({ enrolment, newPasskey, qrCode, call, showPage, base })
  const enrolling = ownPage('/oauth/enrolment', form(enrolledTwice(page, clock)))
  if (newPasskey === null) return [enrolling]
  return [enrolling, ownPage('/oauth/passkey', form(createAddPasskeyPage(newPasskey, base)))]
}

function choicePages(
  { server, clock, audit }: BrowserPagesDeps,
  { flows, base }: ChoicePageDeps,
  form: MakeForm,
): Routes {
  const { consents, scopes } = server
  const describeScope = scopes.describe
  const consent = createConsentPage({ flows, base, consents, describeScope, clock, audit })
  return [
    ownPage('/oauth/consent', form(consent)),
    ownPage('/oauth/continue', form(createContinuePage({ flows, base }))),
  ]
}

function signOut({ pages, sessions, users }: BrowserPagesDeps, { forms }: Frame) {
  const { csrf, showPage, base } = forms
  return signOutEndpoints({ pages, sessions, users, csrf, showPage, base })
}
