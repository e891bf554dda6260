import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { contextOfAction, type HostAction } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Throttle } from '../throttle/throttle.js'
import type { TotpEnrolment, TotpStatus } from '../two-factor/enrolment.js'

/** A TOTP seed from another system, to be taken over. */
export interface ImportedSecondFactor {
  readonly userId: string
  /** Base32, at least 16 bytes: what the user's authenticator app already holds. */
  readonly secret: string
}

/** The users' second factors, for the host's own code. */
export interface SecondFactorsForHost {
  /**
   * Activates a factor the user already has elsewhere, and ends the user's sessions, which have not
   * shown it. Returns ten recovery codes, to be shown once. Rejects with `invalid-request` for a
   * secret that is not base32 of 16 bytes or more, and with `totp-already-enabled`. When it rejects
   * with `temporarily-unavailable`, it may be called again.
   */
  importTotp(
    imported: ImportedSecondFactor,
    options?: HostAction,
  ): Promise<{ recoveryCodes: string[] }>
  /** Whether a user has TOTP, and how many recovery codes are left. */
  status(userId: string): Promise<TotpStatus>
  /**
   * For the support desk, once it knows who is asking: deletes the user's seed and recovery codes,
   * those that were kept for passkeys as well, and ends all sessions of the user. The password
   * alone opens the next one. Says whether there was a factor; may be called again when it rejects.
   */
  reset(userId: string, options?: HostAction): Promise<{ readonly hadFactor: boolean }>
}

export interface SecondFactorsForHostDeps {
  readonly enrolment: Pick<TotpEnrolment, 'judgeImport' | 'status' | 'reset' | 'forgetKeptCodes'>
  readonly sessions: Pick<Sessions, 'endAllForUser'>
  readonly throttle: Pick<Throttle, 'knownNetworks' | 'clearSecondFactor'>
  readonly audit: Audit
}

/** Makes `auth.secondFactors`. */
export function createSecondFactorsForHost(deps: SecondFactorsForHostDeps): SecondFactorsForHost {
  const { enrolment, sessions, throttle, audit } = deps
  return {
    async importTotp({ userId, secret }, options) {
      const context = contextOfAction(options)
      const activate = await enrolment.judgeImport(asUserId(userId), secret, context)
      // Before and after the change. If the first fails, nothing has changed: the host tries again.
      await sessions.endAllForUser(userId, 'factor-changed', context)
      const recoveryCodes = await activate()
      await sessions.endAllForUser(userId, 'factor-changed', context).catch(() => {})
      // They were known by the password alone, so a thief's may be among them. The call reports its
      // own failure.
      await throttle.knownNetworks.forgetAll(userId).catch(() => {})
      return { recoveryCodes }
    },
    status: async (userId) => enrolment.status(asUserId(userId)),
    async reset(userId, options) {
      const context = contextOfAction(options)
      // Before it: a session that is setting one up looks whether it is still alive. If this fails,
      // nothing has changed: the host tries again.
      await sessions.endAllForUser(asUserId(userId), 'factor-changed', context)
      const hadFactor = await enrolment.reset(userId)
      // Now, not at the end: if the rest fails, a second try finds no factor to report.
      audit({ type: 'second-factor.reset', userId, hadFactor }, context)
      await enrolment.forgetKeptCodes(userId)
      // Also when there was none: a first try may have failed here.
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
