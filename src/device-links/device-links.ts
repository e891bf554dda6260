import type { Capability } from '../http/capability.js'
import { createRequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { UserStore } from '../users/contract.js'
import { type ApproveDeps, approveEndpoint } from './approve.endpoint.js'
import { type BeginDeps, beginEndpoint } from './begin.endpoint.js'
import { type CollectDeps, collectEndpoint } from './collect.endpoint.js'
import { type DenyDeps, denyEndpoint } from './deny.endpoint.js'
import type { CheckedDeviceLinksOptions } from './device-links-options.js'
import { createLinkSecrets } from './link-secrets.js'
import { type OpenDeps, openEndpoint } from './open.endpoint.js'

type Parts = BeginDeps & OpenDeps & ApproveDeps & DenyDeps & CollectDeps

export interface DeviceLinksDeps
  extends Omit<Parts, 'linkSecrets' | 'requireRecentSignIn' | 'page' | 'shortCode'> {
  readonly deviceLinks: CheckedDeviceLinksOptions
  readonly encryptionKeys: readonly Buffer[]
  readonly deviceCodes: DeviceCodeStore
  readonly codeStore: AuthorizationCodeStore
  readonly sessions: Sessions
  readonly users: UserStore
  readonly throttle: Throttle
}

/** A sign-in of this age, in seconds, may sign another device in. */
const maxSignInAge = 24 * 60 * 60

/**
 * The endpoints of `/auth/device-links`: a signed-in device signs another one in, whose picture it
 * has scanned and whose check code its user has typed.
 */
export function createDeviceLinks(deps: DeviceLinksDeps): Capability {
  const { deviceLinks, encryptionKeys, sessions, clock } = deps
  const linkSecrets = createLinkSecrets(encryptionKeys, deviceLinks.shortCode)
  const requireRecentSignIn = createRequireRecentSignIn(maxSignInAge, sessions, clock)
  const parts = { ...deps, ...deviceLinks, linkSecrets, requireRecentSignIn }
  return {
    routes: [
      ['/auth/device-links', { POST: beginEndpoint(parts) }],
      ['/auth/device-links/open', { POST: openEndpoint(parts) }],
      ['/auth/device-links/approve', { POST: approveEndpoint(parts) }],
      ['/auth/device-links/deny', { POST: denyEndpoint(parts) }],
      ['/auth/device-links/collect', { POST: collectEndpoint(parts) }],
    ],
  }
}
