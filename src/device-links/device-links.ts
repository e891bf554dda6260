import type { Capability } from '../http/capability.js'
import type { LinksOnPages } from '../pages/account/parts.js'
import { createRequireRecentSignIn, freshSeconds } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { UserStore } from '../users/contract.js'
import { type ApproveDeps, approveEndpoint } from './approve.endpoint.js'
import { type BeginDeps, beginEndpoint } from './begin.endpoint.js'
import { type CollectDeps, collectEndpoint } from './collect.endpoint.js'
import { createLinkDecisions, type LinkDecisionDeps } from './decide-link.js'
import { type DenyDeps, denyEndpoint } from './deny.endpoint.js'
import { createLinkSecrets } from './link-secrets.js'
import { createLinksOnPages, type LinksOnPagesDeps } from './links-on-pages.js'
import { type OpenDeps, openEndpoint } from './open.endpoint.js'
import { createOpenLink, type OpenLinkDeps } from './open-link.js'

type Endpoints = BeginDeps & OpenDeps & ApproveDeps & DenyDeps & CollectDeps
type Parts = Endpoints & OpenLinkDeps & LinkDecisionDeps & LinksOnPagesDeps
/** What is made here. */
type Made =
  | 'linkSecrets'
  | 'openLink'
  | 'linkDecisions'
  | 'requireRecentSignIn'
  | 'requireFreshSignIn'
  | 'maxSignInAge'

export interface DeviceLinksDeps extends Omit<Parts, Made | 'shortCode'> {
  readonly deviceLinks: { readonly shortCode: boolean }
  readonly encryptionKeys: readonly Buffer[]
  readonly deviceCodes: DeviceCodeStore
  readonly codeStore: AuthorizationCodeStore
  readonly sessions: Sessions
  readonly users: UserStore
  readonly throttle: Throttle
}

/** The endpoints, and what the page of the router needs. */
export interface DeviceLinks extends Capability {
  readonly onPages: LinksOnPages
}

/** A sign-in of this age, in seconds, may open a link; approving takes a fresh one, or a proof. */
const maxSignInAge = 24 * 60 * 60

/**
 * The endpoints of `/auth/device-links`: a signed-in device signs another one in, whose picture it
 * has scanned and whose check code its user has typed.
 */
export function createDeviceLinks(deps: DeviceLinksDeps): DeviceLinks {
  const { deviceLinks, encryptionKeys, sessions, clock } = deps
  const { shortCode } = deviceLinks
  const linkSecrets = createLinkSecrets(encryptionKeys, shortCode)
  const requireOf = (seconds: number) => createRequireRecentSignIn(seconds, sessions, clock)
  const steps = {
    ...deps,
    shortCode,
    linkSecrets,
    requireRecentSignIn: requireOf(maxSignInAge),
    requireFreshSignIn: requireOf(freshSeconds),
    maxSignInAge,
  }
  const linkDecisions = createLinkDecisions(steps)
  const parts = { ...steps, linkDecisions, openLink: createOpenLink(steps) }
  return {
    routes: [
      ['/auth/device-links', { POST: beginEndpoint(parts) }],
      ['/auth/device-links/open', { POST: openEndpoint(parts) }],
      ['/auth/device-links/approve', { POST: approveEndpoint(parts) }],
      ['/auth/device-links/deny', { POST: denyEndpoint(parts) }],
      ['/auth/device-links/collect', { POST: collectEndpoint(parts) }],
    ],
    onPages: createLinksOnPages(parts),
  }
}
