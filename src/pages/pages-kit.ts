import type { BrowserCookie } from '../http/cookies.js'
import type { LogInSteps } from '../login/log-in.js'
import type { AppsKit } from '../oauth/apps-kit.js'
import type { FindBrowserUser } from '../oauth/browser-sign-in.js'
import type { JudgeAuthorization } from '../oauth/judge-authorization.js'
import type { JudgeLogout } from '../oauth/judge-logout.js'
import type { PasskeysOnPages } from '../passkeys/passkeys.js'
import type { Csrf, KnownBrowser } from './csrf.js'
import type { Flows, PasswordFingerprint } from './flow.js'
import type { PageSite, ServedFile } from './page-site.js'
import type { PagesOptions } from './pages-options.js'
import type {
  AccountsOnPages,
  DeletionOnPages,
  EmailSignInOnPages,
  LinksOnPages,
  OwnDevices,
  OwnSecondFactor,
  ProvidersOnPages,
  RegistrationOnPages,
} from './ports.js'

/** What every page needs besides signing in. */
export interface PagesKit extends AppsKit {
  readonly pageSite: PageSite
  readonly qrCode: PagesOptions['qrCode']
}

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

/** The same, with what all pages share and keep. */
export interface FormsKit extends BrowserPagesKit {
  readonly flows: Flows
  readonly browsers: KnownBrowser
  readonly csrf: Csrf
  readonly passwordFingerprint: PasswordFingerprint
  /** The cookie of a browser that was offered a passkey. */
  readonly offeredCookie: BrowserCookie
  /** By the ids of the providers. */
  readonly providerLogos: ReadonlyMap<string, ServedFile>
  /** The account page; null if the host has none of ours. */
  readonly accountUrl: string | null
  readonly findBrowserUser: FindBrowserUser
  readonly judgeAuthorization: JudgeAuthorization
  /** Undefined without the option `oauth.logout`. */
  readonly judgeLogout: JudgeLogout | undefined
}
