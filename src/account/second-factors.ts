import { AuthError } from '../errors.js'
import type { Capability } from '../http/endpoint.js'
import { contextOfAction, type HostAction } from '../http/input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { off } from '../lib/off.js'
import { isHostId } from '../lib/texts.js'
import {
  createTotpEnrolment,
  type TotpEnrolment,
  type TotpStatus,
} from '../two-factor/enrolment.js'
import {
  beginTotpEndpoint,
  confirmTotpEndpoint,
  disableTotpEndpoint,
  recoveryCodesEndpoint,
  type TotpKit,
  totpStatusEndpoint,
} from './totp.js'

/** A TOTP seed to import from another system. */
export interface ImportedSecondFactor {
  readonly userId: string
  /** Base32, at least 16 bytes: the seed in the user's authenticator app. */
  readonly secret: string
}

/** The users' second factors, for the host's own code. */
export interface SecondFactorsForHost {
  /**
   * Activates a seed that the user already has in an authenticator app, and ends the user's
   * sessions, which have not shown it. Returns ten recovery codes, to be shown once. Rejects with
   * `invalid-request` for a secret that is not base32 of at least 16 bytes, and with
   * `totp-already-enabled`. After `temporarily-unavailable`, call it again.
   */
  importTotp(
    imported: ImportedSecondFactor,
    options?: HostAction,
  ): Promise<{ recoveryCodes: string[] }>
  /** Whether a user has TOTP, and how many recovery codes are left. */
  status(userId: string): Promise<TotpStatus>
  /**
   * For the support desk, after it has verified who is asking: deletes the user's seed and all
   * recovery codes of TOTP, and ends all sessions of the user. The next sign-in needs the password
   * only. `hadFactor` says whether there was a factor. After a rejection, call it again.
   */
  reset(userId: string, options?: HostAction): Promise<{ readonly hadFactor: boolean }>
}

/** TOTP, in a server and from a terminal. */
interface TotpForHostKit extends ManagementKit {
  readonly enrolment: TotpEnrolment
}

/** `auth.secondFactors`. */
export function secondFactorsForHost(kit: TotpForHostKit): SecondFactorsForHost {
  const { enrolment, sessions, throttle, audit } = kit
  return {
    async importTotp({ userId, secret }, options) {
      const context = contextOfAction(options)
      const activate = await enrolment.judgeImport(asUserId(userId), secret, context)
      // The sessions end before and after the change. If the first call fails, nothing has changed,
      // and the host tries again.
      await sessions.endAllForUser(userId, 'factor-changed', context)
      const recoveryCodes = await activate()
      await sessions.endAllForUser(userId, 'factor-changed', context).catch(() => {})
      // The known networks were learnt from the password alone, so a thief's may be among them. The
      // call reports its own failure.
      await throttle.knownNetworks.forgetAll(userId).catch(() => {})
      return { recoveryCodes }
    },
    status: async (userId) => enrolment.status(asUserId(userId)),
    async reset(userId, options) {
      const context = contextOfAction(options)
      // The sessions end before the change: a session that is enrolling checks that it is still
      // alive. If the call fails, nothing has changed, and the host tries again.
      await sessions.endAllForUser(asUserId(userId), 'factor-changed', context)
      const hadFactor = await enrolment.reset(userId)
      // This is reported now, not at the end: if the rest fails, a retry finds no factor to report.
      audit({ type: 'second-factor.reset', userId, hadFactor }, context)
      await enrolment.forgetKeptCodes(userId)
      // The sessions end without a factor, too: an earlier call may have failed here.
      await sessions.endAllForUser(userId, 'factor-changed', context)
      await throttle.clearSecondFactor(userId)
      return { hadFactor }
    },
  }
}

function asUserId(userId: unknown): string {
  if (isHostId(userId)) return userId
  throw new AuthError('invalid-request', { message: 'userId is not an id' })
}

/** Enabling and disabling TOTP, for the user and for the host. */
export interface SecondFactorManagement extends Capability {
  readonly secondFactors: SecondFactorsForHost
  /** Undefined if the host stores no TOTP seeds. */
  readonly kit: TotpKit | undefined
}

/** The kit of `/auth/totp`, and `auth.secondFactors`. */
export function createSecondFactorManagement(given: SignInKit): SecondFactorManagement {
  const { totp } = given
  if (totp === undefined) return { routes: [], secondFactors: unconfigured, kit: undefined }
  const enrolment = createTotpEnrolment({ ...given, ...totp })
  const kit = { ...given, enrolment }
  return {
    routes: [
      ['/auth/totp', { GET: totpStatusEndpoint(kit), POST: beginTotpEndpoint(kit) }],
      ['/auth/totp/confirm', { POST: confirmTotpEndpoint(kit) }],
      ['/auth/totp/disable', { POST: disableTotpEndpoint(kit) }],
      ['/auth/totp/recovery-codes', { POST: recoveryCodesEndpoint(kit) }],
    ],
    secondFactors: secondFactorsForHost(kit),
    kit,
  }
}

const unconfigured: SecondFactorsForHost = off(
  'secondFactors',
  'is not configured.',
  'pass a second-factor store to createAuthRouter.',
  ['importTotp', 'status', 'reset'],
)
