import { AuthError } from '../errors.js'
import { type Audit, noRequest } from '../events.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Throttle } from '../throttle/throttle.js'
import type { TotpEnrolment, TotpStatus } from './enrolment.js'

/** A TOTP seed from another system, to be taken over. */
export interface ImportedSecondFactor {
  readonly userId: string
  /** Base32, at least 16 bytes: what the user's authenticator app already holds. */
  readonly secret: string
}

/** The users' second factors, for the host's own code. */
export interface SecondFactorsForHost {
  /**
   * Activates a factor the user already has elsewhere, and ends the user's sessions, which have not shown it. Returns ten recovery codes,
   * to be shown once. Rejects with `invalid-request` for a secret that is not base32 of 16 bytes or more, and with
   * `totp-already-enabled`. When it rejects with `temporarily-unavailable`, it may be called again.
   */
  importTotp(imported: ImportedSecondFactor): Promise<{ recoveryCodes: string[] }>
  /** Whether a user has TOTP, and how many recovery codes are left. */
  status(userId: string): Promise<TotpStatus>
  /**
   * For the support desk, once it knows who is asking: deletes the user's seed and recovery codes, and ends all sessions of the user. The
   * password alone opens the next one. Says whether there was a factor; may be called again when it rejects.
   */
  reset(userId: string): Promise<{ readonly hadFactor: boolean }>
}

/** What the host's functions need. */
export interface SecondFactorsForHostDeps {
  readonly enrolment: TotpEnrolment
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly audit: Audit
}

/** Makes `auth.secondFactors`. */
export function createSecondFactorsForHost(deps: SecondFactorsForHostDeps): SecondFactorsForHost {
  const { enrolment, sessions, throttle, audit } = deps
  return {
    async importTotp({ userId, secret }) {
      const activate = await enrolment.judgeImport(asUserId(userId), secret)
      // Before and after, as in a confirmation: should the first fail, nothing has changed, and the host can try again.
      await sessions.endAllForUser(userId, 'factor-changed', noRequest)
      const recoveryCodes = await activate()
      await sessions.endAllForUser(userId, 'factor-changed', noRequest).catch(() => {})
      return { recoveryCodes }
    },
    status: async (userId) => enrolment.status(asUserId(userId)),
    async reset(userId) {
      const hadFactor = await enrolment.disable(asUserId(userId))
      // Now, and not when all is done: a second try would find no factor and could not tell that there was one.
      audit({ type: 'second-factor.reset', userId, hadFactor }, noRequest)
      // Also when there was none: a first try may have come this far and no further.
      await sessions.endAllForUser(userId, 'factor-changed', noRequest)
      await throttle.clearSecondFactor(userId)
      return { hadFactor }
    },
  }
}

function asUserId(userId: unknown): string {
  if (typeof userId === 'string' && userId !== '') return userId
  throw new AuthError('invalid-request', { message: 'userId is not a non-empty string' })
}
