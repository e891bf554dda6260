import type { MetadataUrls } from '../guard/guard-kit.js'
import type { Pages } from '../http/page-origin.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { Acr } from '../two-factor/acr.js'
import type { DeviceFlow } from './device/device-flow.js'
import type { OAuthServer } from './oauth-server.js'

/** For third-party apps: the option `oauth`, with all that signing in needs. */
export interface AppsKit extends SignInKit, OAuthServer {
  readonly metadataUrls: MetadataUrls
  readonly pages: Pages
  /** The assurance levels that users can reach. */
  readonly acrValues: readonly Acr[]
  /** Languages of the pages. */
  readonly locales: readonly string[]
  /** Undefined without the option `oauth.deviceFlow`. */
  readonly deviceFlow: DeviceFlow | undefined
}

/** With the option `oauth.deviceFlow`. */
export interface DeviceKit extends AppsKit {
  readonly deviceFlow: DeviceFlow
}
