import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { VerifyPassword } from '../login/verify-password.js'
import type { FactorEnrolment } from '../pages/enrolment-page.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { createTotpEnrolment } from '../two-factor/enrolment.js'
import type { SeedVault } from '../two-factor/seed-vault.js'
import { disableTotpEndpoint } from './disable-totp.endpoint.js'
import { createProvePassword } from './prove-password.js'
import { createSecondFactorsForHost, type SecondFactorsForHost } from './second-factors-for-host.js'
import {
  beginTotpEndpoint,
  confirmTotpEndpoint,
  recoveryCodesEndpoint,
  switchOnTotp,
  type TotpDeps,
  totpStatusEndpoint,
} from './totp.endpoint.js'

/** Setting up TOTP and switching it off, for the user and for the host. */
export interface SecondFactorManagement extends Capability {
  readonly secondFactors: SecondFactorsForHost
  /** The same for pages; null when the host keeps no TOTP seeds. */
  readonly onPages: FactorEnrolment | null
}

/** What {@link createSecondFactorManagement} needs. */
export interface SecondFactorManagementDeps extends Omit<TotpDeps, 'enrolment' | 'provePassword'> {
  /** Null when the host keeps no TOTP seeds. */
  readonly totp: { readonly store: SecondFactorStore; readonly vault: SeedVault } | null
  /** What authenticator apps call this service. */
  readonly issuer: string
  readonly verifyPassword: VerifyPassword
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: TotpDeps['throttle'] & Pick<Throttle, 'takePasswordSlot' | 'clearSecondFactor'>
  readonly clock: () => Date
}

/** Makes the endpoints of `/auth/totp`, and `auth.secondFactors`. */
export function createSecondFactorManagement(
  deps: SecondFactorManagementDeps,
): SecondFactorManagement {
  const { totp, issuer, throttle, sessions, clock, audit } = deps
  if (totp === null) return { routes: [], close: null, secondFactors: unconfigured, onPages: null }
  const { store, vault } = totp
  const enrolment = createTotpEnrolment({ store, vault, issuer, clock, audit })
  const { users, verifyPassword, digestIdentifier } = deps
  const endpoints = {
    signedIn: deps.signedIn,
    enrolment,
    secondFactors: deps.secondFactors,
    passkeys: deps.passkeys,
    users,
    provePassword: createProvePassword({
      users,
      throttle,
      verifyPassword,
      digestIdentifier,
      audit,
    }),
    throttle,
    sessions,
    forgetSession: deps.forgetSession,
    audit,
  }
  return {
    routes: [
      ['/auth/totp', { GET: totpStatusEndpoint(endpoints), POST: beginTotpEndpoint(endpoints) }],
      ['/auth/totp/confirm', { POST: confirmTotpEndpoint(endpoints) }],
      ['/auth/totp/disable', { POST: disableTotpEndpoint(endpoints) }],
      ['/auth/totp/recovery-codes', { POST: recoveryCodesEndpoint(endpoints) }],
    ],
    close: null,
    secondFactors: createSecondFactorsForHost({ enrolment, sessions, throttle, audit }),
    onPages: {
      begin: enrolment.resume,
      confirm: (session, code, request) => switchOnTotp(endpoints, session, code, request),
    },
  }
}

const unconfigured: SecondFactorsForHost = {
  importTotp: refuseUnconfigured,
  status: refuseUnconfigured,
  reset: refuseUnconfigured,
}

async function refuseUnconfigured(): Promise<never> {
  throw new AuthConfigError(
    'secondFactors',
    'is not configured.',
    'pass a second-factor store to createAuthRouter.',
  )
}
