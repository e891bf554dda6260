import type { Audit } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssueSession } from '../sessions/issuing.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { ProveAgain, RequireFresh } from '../sign-in-again.js'
import type { Throttle } from '../throttle/throttle.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { createAddPasskey } from './add-passkey.js'
import { createApproveByPasskey } from './approve-by-passkey.js'
import { createCreationOptions } from './ceremony-options.js'
import type { PasskeyVerifier } from './contract.js'
import {
  createForgetLastFactor,
  createSettleRemoved,
  type SettleRemoved,
} from './forget-last-factor.js'
import { createOpenByPasskey } from './open-by-passkey.js'
import { createOwnPasskeys } from './own-passkeys.js'
import type { PasskeyServer } from './passkey-server.js'
import {
  addPasskeyEndpoint,
  listPasskeysEndpoint,
  newPasskeyOptionsEndpoint,
  removePasskeyEndpoint,
  renamePasskeyEndpoint,
} from './passkeys.endpoint.js'
import { createPasskeysForHost, type PasskeysForHost } from './passkeys-for-host.js'
import type { PasskeysOnPages } from './passkeys-on-pages.js'
import { reauthenticateEndpoint } from './reauthenticate.endpoint.js'
import { createRegisterPasskey } from './register-passkey.js'
import { createRemovePasskey } from './remove-passkey.js'
import {
  optionsForAnybody,
  passkeyLoginEndpoint,
  passkeyOptionsEndpoint,
} from './sign-in.endpoint.js'

/** Signing in with passkeys, managing them, and reauthentication. */
export interface Passkeys extends Capability {
  readonly forHost: PasskeysForHost
  /** For the pages. */
  readonly onPages: PasskeysOnPages
  readonly settleRemoved: SettleRemoved
}

export interface PasskeysDeps extends PasskeyServer {
  readonly signedIn: SignedIn
  readonly proveAgain: ProveAgain
  readonly requireFresh: RequireFresh
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly secondFactors: Pick<SecondFactors, 'of'>
  readonly passwordWatch: Pick<PasswordWatch, 'fits' | 'computeMark'>
  readonly issueSession: IssueSession
  readonly sessions: Pick<
    Sessions,
    'end' | 'endAllForUser' | 'findLive' | 'requireLive' | 'setMethods' | 'setAuthenticated'
  >
  readonly forgetSession: (sessionId: string) => void
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly throttle: Pick<Throttle, 'countRefusedPasskey' | 'knownNetworks'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** The endpoints of passkeys, and `auth.passkeys`. */
export function createPasskeys(deps: PasskeysDeps): Passkeys {
  const { passkeyStore, factor } = deps
  const hasOtherFactor = async (user: AuthUser) => (await deps.secondFactors.of(user)) !== null
  const asked = { ...deps, hasOtherFactor }
  const parts = { ...asked, forgetLastFactor: createForgetLastFactor(asked) }
  const onPages: PasskeysOnPages = {
    signInOptions: () => optionsForAnybody(parts),
    approve: createApproveByPasskey(parts),
    open: createOpenByPasskey(parts),
    offer: factor.offer,
    hasAny: async (userId) => (await passkeyStore.listForUser(userId)).length > 0,
    creationOptions: createCreationOptions(parts),
    add: createAddPasskey({ ...parts, registerPasskey: createRegisterPasskey(parts) }),
    own: createOwnPasskeys(passkeyStore, createRemovePasskey(parts)),
  }
  const endpoints = {
    ...parts,
    approveByPasskey: onPages.approve,
    openByPasskey: onPages.open,
    creationOptions: onPages.creationOptions,
    addPasskey: onPages.add,
    ownPasskeys: onPages.own,
  }
  const list = listPasskeysEndpoint(endpoints)
  const rename = renamePasskeyEndpoint(endpoints)
  return {
    routes: [
      ['/auth/passkey/options', { POST: passkeyOptionsEndpoint(endpoints) }],
      ['/auth/passkey/login', { POST: passkeyLoginEndpoint(endpoints) }],
      ['/auth/passkeys', { GET: list, POST: addPasskeyEndpoint(endpoints) }],
      ['/auth/passkeys/options', { POST: newPasskeyOptionsEndpoint(endpoints) }],
      ['/auth/passkeys/:id', { POST: rename, DELETE: removePasskeyEndpoint(endpoints) }],
      ['/auth/reauthenticate', { POST: reauthenticateEndpoint(endpoints) }],
    ],
    close: warmUp(deps.verifier),
    forHost: createPasskeysForHost(parts),
    onPages,
    settleRemoved: createSettleRemoved(parts),
  }
}

/** Milliseconds: after the start, but before most first ceremonies. */
const warmUpMs = 5000

// The library takes a second to load, which the first user would have to wait. If this fails, the
// first ceremony reports it.
function warmUp({ ready }: PasskeyVerifier): () => void {
  const timer = setTimeout(() => void ready?.().catch(() => {}), warmUpMs).unref()
  return () => clearTimeout(timer)
}

/** Refuses calls of hosts without the option `passkeys`. */
async function refuseWithoutPasskeys(): Promise<never> {
  throw new AuthConfigError(
    'passkeys',
    'is not configured, which auth.passkeys needs.',
    'pass passkeys to createAuthRouter, as docs/passkeys.md says.',
  )
}

/** `auth.passkeys` without the option `passkeys`. */
export const withoutPasskeys: PasskeysForHost = Object.freeze({
  list: refuseWithoutPasskeys,
  reset: refuseWithoutPasskeys,
})
