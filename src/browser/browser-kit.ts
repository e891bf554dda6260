import type { OwnSessions } from '../account/own-sessions.js'
import type { TotpKit } from '../account/totp.js'
import type { OfferedKits } from '../accounts/accounts.js'
import type { AccountsKit } from '../accounts/accounts-server.js'
import type { BrowserCookie } from '../http/cookies.js'
import type { LogInSteps } from '../login/log-in.js'
import type { JudgeLogout } from '../oauth/judge-logout.js'
import type { PasswordFingerprint } from '../pages/flow.js'
import type { ServedFile } from '../pages/page-site.js'
import type { FormsKit } from '../pages/pages-kit.js'
import type { PasskeysKit } from '../passkeys/passkey-kit.js'
import type { ProvidersKit } from '../provider-sign-in/provider-kit.js'

/** The parts that the pages of a sign-in need of the capabilities that the host has switched on. */
export interface BrowserPagesKit extends FormsKit {
  readonly logInSteps: LogInSteps
  readonly ownSessions: OwnSessions
  /** Undefined if the host has no store of second factors. */
  readonly totpKit: TotpKit | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeysKit: PasskeysKit | undefined
  /** Undefined without the option `accounts`. */
  readonly offered: OfferedKits | undefined
  /** Undefined without `accounts.emailSignIn`. */
  readonly emailSignInKit: AccountsKit | undefined
  /** Whether there is a page to delete the account. */
  readonly hasDeletion: boolean
  /** Undefined without the option `providers`. */
  readonly providersKit: ProvidersKit | undefined
  /** By the ids of the providers. */
  readonly providerLogos: ReadonlyMap<string, ServedFile>
  /** Whether there is a page to link a new device. */
  readonly hasLinks: boolean
}

/** The parts that the pages of a sign-in need, with the state that these pages keep. */
export interface BrowserKit extends BrowserPagesKit {
  readonly passwordFingerprint: PasswordFingerprint
  /** The cookie of a browser that was offered a passkey. */
  readonly offeredCookie: BrowserCookie
  /** Null without the option `secondFactor.remember`. */
  readonly rememberedCookie: BrowserCookie | null
  /** Undefined without the option `oauth.logout`. */
  readonly judgeLogout: JudgeLogout | undefined
}
