import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import type { OwnSecondFactor } from '../pages/ports.js'
import type { Throttle } from '../throttle/throttle.js'
import { createTotpEnrolment } from '../two-factor/enrolment.js'
import type { OwnTotp } from '../two-factor/second-factor.js'
import { disableTotpEndpoint, switchOffTotp } from './disable-totp.endpoint.js'
import { createSecondFactorsForHost, type SecondFactorsForHost } from './second-factors-for-host.js'
import {
  beginTotpEndpoint,
  confirmTotpEndpoint,
  newRecoveryCodesFor,
  recoveryCodesEndpoint,
  switchOnTotp,
  type TotpDeps,
  totpStatusEndpoint,
} from './totp.endpoint.js'

/** Enabling and disabling TOTP, for the user and for the host. */
export interface SecondFactorManagement extends Capability {
  readonly secondFactors: SecondFactorsForHost
  /** Enrolment for our pages; undefined if the host stores no TOTP seeds. */
  readonly onPages: OwnSecondFactor | undefined
}

export interface SecondFactorManagementDeps extends Omit<TotpDeps, 'enrolment'> {
  /** Undefined if the host stores no TOTP seeds. */
  readonly totp: OwnTotp | undefined
  /** The name of this service in authenticator apps. */
  readonly totpIssuer: string
  readonly throttle: Throttle
  readonly clock: () => Date
}

/** The endpoints of `/auth/totp`, and `auth.secondFactors`. */
export function createSecondFactorManagement(
  deps: SecondFactorManagementDeps,
): SecondFactorManagement {
  const { totp } = deps
  if (totp === undefined) return { routes: [], secondFactors: unconfigured, onPages: undefined }
  const enrolment = createTotpEnrolment({ ...deps, ...totp })
  const endpoints = { ...deps, enrolment }
  return {
    routes: [
      ['/auth/totp', { GET: totpStatusEndpoint(endpoints), POST: beginTotpEndpoint(endpoints) }],
      ['/auth/totp/confirm', { POST: confirmTotpEndpoint(endpoints) }],
      ['/auth/totp/disable', { POST: disableTotpEndpoint(endpoints) }],
      ['/auth/totp/recovery-codes', { POST: recoveryCodesEndpoint(endpoints) }],
    ],
    secondFactors: createSecondFactorsForHost(endpoints),
    onPages: {
      begin: enrolment.resume,
      confirm: (session, code, request, beforehand) =>
        switchOnTotp(endpoints, session, { code, beforehand }, request),
      status: enrolment.status,
      disable: (session, context) => switchOffTotp(endpoints, session, context),
      newRecoveryCodes: (session, context) => newRecoveryCodesFor(endpoints, session, context),
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
