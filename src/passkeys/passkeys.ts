import type { Audit } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { ProvePassword } from '../principal/prove-password.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { IssueSession } from '../sessions/issuing.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { Throttle } from '../throttle/throttle.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { createAddPasskey } from './add-passkey.js'
import { createApproveByPasskey } from './approve-by-passkey.js'
import { createCreationOptions } from './ceremony-options.js'
import type { PasskeyVerifier } from './contract.js'
import { createForgetLastFactor, type ForgetLastFactor } from './forget-last-factor.js'
import { createOpenByPasskey } from './open-by-passkey.js'
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
import { createProveAgain, type ProveAgain } from './prove-again.js'
import { reauthenticateEndpoint } from './reauthenticate.endpoint.js'
import { createRegisterPasskey } from './register-passkey.js'
import { createRemovePasskey } from './remove-passkey.js'
import { createRequireFresh, type RequireFresh } from './require-fresh.js'
import {
  optionsForAnybody,
  passkeyLoginEndpoint,
  passkeyOptionsEndpoint,
} from './sign-in.endpoint.js'

/** Signing in by passkeys, managing them, and proving anew who one is. */
export interface Passkeys extends Capability {
  readonly forHost: PasskeysForHost
  /** The same for pages; null where the host takes no passkeys. */
  readonly onPages: PasskeysOnPages | null
}

/** What {@link createPasskeys} needs. */
export interface PasskeysDeps {
  readonly server: PasskeyServer
  readonly signedIn: SignedIn
  readonly provePassword: ProvePassword
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly secondFactors: Pick<SecondFactors, 'of' | 'hasBeenShown'>
  readonly passwordWatch: Pick<PasswordWatch, 'fits'>
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

/** Makes the endpoints of passkeys, and what the host's own code asks about them. */
export function createPasskeys(deps: PasskeysDeps): Passkeys {
  const { server, sessions, throttle, audit } = deps
  const { store, verifier, verifyPasskey } = server
  const proveAgain = createProveAgain({
    provePassword: deps.provePassword,
    verifyPasskey,
    decideSignIn: deps.decideSignIn,
    users: deps.users,
    store,
    throttle,
  })
  const forgetLast = forgettingLast(deps)
  const onPages = createOnPages(deps, forgetLast)
  return {
    routes: [
      ...signingIn(deps, onPages),
      ...managing(deps, freshness(deps, proveAgain), onPages, forgetLast),
      ['/auth/reauthenticate', { POST: reauthenticating(deps, proveAgain, forgetLast) }],
    ],
    close: warmUp(verifier),
    forHost: createPasskeysForHost({ store, sessions, audit }),
    onPages,
  }
}

function freshness(
  { secondFactors: { of, hasBeenShown }, server: { factor }, sessions, clock }: PasskeysDeps,
  proveAgain: ProveAgain,
): RequireFresh {
  const owesFactor = async (user: AuthUser) =>
    (await of(user)) !== null || (await factor.isDemanded(user))
  return createRequireFresh({
    proveAgain,
    owesFactor,
    hasShownFactor: hasBeenShown,
    sessions,
    clock,
  })
}

function createOnPages(deps: PasskeysDeps, forgetLast: ForgetLastFactor): PasskeysOnPages {
  const { users, decideSignIn, throttle, audit } = deps
  const { relyingParty, rpName, challenges, store, verifyPasskey, factor } = deps.server
  const { rpId } = relyingParty
  return {
    signInOptions: () => optionsForAnybody({ rpId, challenges }),
    approve: createApproveByPasskey({ verifyPasskey, users, decideSignIn, throttle, audit }),
    open: createOpenByPasskey({
      users,
      store,
      factorStands: deps.factorStands,
      passwordWatch: deps.passwordWatch,
      issueSession: deps.issueSession,
      sessions: deps.sessions,
      describeMe: deps.describeMe,
      throttle,
      audit,
    }),
    offer: factor.offer,
    hasAny: async (userId) => (await store.listForUser(userId)).length > 0,
    creationOptions: createCreationOptions({ rpId, rpName, challenges, store }),
    add: adding(deps, forgetLast),
  }
}

function adding(deps: PasskeysDeps, forgetLastFactor: ForgetLastFactor) {
  const { server, secondFactors, sessions, forgetSession, clock, audit } = deps
  const { relyingParty, store, verifier, challenges } = server
  return createAddPasskey({
    registerPasskey: createRegisterPasskey({
      relyingParty,
      challenges,
      verifier,
      store,
      sessions,
      clock,
      audit,
    }),
    hasOtherFactor: otherFactor(secondFactors),
    sessions,
    forgetSession,
    forgetLastFactor,
  })
}

function otherFactor({ of }: PasskeysDeps['secondFactors']) {
  return async (user: AuthUser): Promise<boolean> => (await of(user)) !== null
}

function forgettingLast({ server, secondFactors, sessions, forgetSession }: PasskeysDeps) {
  const hasOtherFactor = otherFactor(secondFactors)
  const { store } = server
  return createForgetLastFactor({ store, hasOtherFactor, sessions, forgetSession })
}

function signingIn(
  { server: { relyingParty, challenges, store }, signedIn }: PasskeysDeps,
  { approve: approveByPasskey, open: openByPasskey }: PasskeysOnPages,
) {
  const { rpId } = relyingParty
  const options = passkeyOptionsEndpoint({ rpId, signedIn, challenges, store })
  const login = passkeyLoginEndpoint({ rpId, approveByPasskey, openByPasskey, store })
  return [
    ['/auth/passkey/options', { POST: options }],
    ['/auth/passkey/login', { POST: login }],
  ] as const
}

function managing(
  deps: PasskeysDeps,
  requireFresh: RequireFresh,
  { creationOptions, add: addPasskey }: PasskeysOnPages,
  forgetLastFactor: ForgetLastFactor,
) {
  const { signedIn, secondFactors, users, sessions, forgetSession, audit } = deps
  const { store } = deps.server
  const adding = { signedIn, requireFresh, creationOptions, addPasskey }
  const list = listPasskeysEndpoint({ signedIn, store })
  const rename = renamePasskeyEndpoint({ signedIn, store })
  const removePasskey = createRemovePasskey({
    store,
    users,
    hasOtherFactor: otherFactor(secondFactors),
    sessions,
    forgetSession,
    forgetLastFactor,
    audit,
  })
  const remove = removePasskeyEndpoint({ signedIn, requireFresh, removePasskey })
  return [
    ['/auth/passkeys', { GET: list, POST: addPasskeyEndpoint({ signedIn, addPasskey }) }],
    ['/auth/passkeys/options', { POST: newPasskeyOptionsEndpoint(adding) }],
    ['/auth/passkeys/:id', { POST: rename, DELETE: remove }],
  ] as const
}

function reauthenticating(
  deps: PasskeysDeps,
  proveAgain: ProveAgain,
  forgetLastFactor: ForgetLastFactor,
) {
  const { signedIn, factorStands, sessions, forgetSession, clock, audit } = deps
  return reauthenticateEndpoint({
    signedIn,
    proveAgain,
    factorStands,
    sessions,
    forgetSession,
    forgetLastFactor,
    clock,
    audit,
  })
}

/** Milliseconds: once the server has started, and before most people come. */
const warmUpMs = 5000

// A library that takes a second to load would keep whoever is first waiting. If it fails, the
// first ceremony says so.
function warmUp({ ready }: PasskeyVerifier): () => void {
  const timer = setTimeout(() => void ready?.().catch(() => {}), warmUpMs).unref()
  return () => clearTimeout(timer)
}

/** No passkey: no route, no store, and a host that asks for one is told of the option. */
export function withoutPasskeys(): Passkeys {
  const refuse = async (): Promise<never> => {
    throw new AuthConfigError(
      'passkeys',
      'is not configured, which auth.passkeys needs.',
      'pass passkeys to createAuthRouter, as docs/passkeys.md says.',
    )
  }
  return { routes: [], close: null, forHost: { list: refuse, reset: refuse }, onPages: null }
}
