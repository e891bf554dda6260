/** A user's active second factor. The seed is sealed with a key the database does not hold. */
export interface SecondFactorRecord {
  readonly userId: string
  readonly sealedSeed: string
  /**
   * The last accepted TOTP step ([RFC 6238
   * §5.2](https://www.rfc-editor.org/rfc/rfc6238#section-5.2)); -1 before the first.
   */
  readonly lastStep: number
  readonly createdAt: Date
}

/** An enrolment that waits for its first code. Nothing of it is active. */
export interface PendingSecondFactor {
  readonly userId: string
  /** The session that began it. No other is shown its seed. */
  readonly sessionId: string
  readonly sealedSeed: string
  readonly createdAt: Date
  /** From this moment on it cannot be confirmed. */
  readonly expiresAt: Date
}

/** How much begins with a mark. */
export interface SealedCount {
  readonly mark: string
  readonly count: number
}

/**
 * One row per user, one row per pending enrolment of one of the user's sessions, one row per
 * recovery code.
 */
export interface SecondFactorStore {
  /** The active factor; null without one. */
  find(userId: string): Promise<SecondFactorRecord | null>
  /**
   * Inserts factor and recovery codes together, unless the user already has a factor. Recovery
   * codes that are left of an earlier factor are void from then on.
   */
  activate(
    factor: SecondFactorRecord,
    recoveryCodeHashes: readonly string[],
  ): Promise<{ readonly outcome: 'activated' | 'already-active' }>
  /**
   * Keeps an enrolment, in the place of an earlier one of this session: only the seed that was
   * shown last can be confirmed. The enrolments of the user's other sessions stay.
   */
  savePending(pending: PendingSecondFactor): Promise<void>
  /** The enrolment of this session of the user, also if expired; null without one. */
  findPending(userId: string, sessionId: string): Promise<PendingSecondFactor | null>
  /** Deletes all enrolments of the user, and nothing else. */
  deletePending(userId: string): Promise<void>
  /**
   * In ONE transaction: if an enrolment of the user has this `sealedSeed`, and `now < expiresAt`,
   * deletes it and does what `activate` does. `activated` for exactly one caller; `not-pending`,
   * with nothing changed, if it is unknown or has expired.
   */
  confirm(
    factor: SecondFactorRecord,
    recoveryCodeHashes: readonly string[],
    now: Date,
  ): Promise<{ readonly outcome: 'activated' | 'already-active' | 'not-pending' }>
  /**
   * In ONE conditional write: sets `lastStep = step` only if `step > lastStep`. `advanced` for
   * exactly one caller per step.
   */
  advanceStep(userId: string, step: number): Promise<{ readonly outcome: 'advanced' | 'stale' }>
  /**
   * In ONE conditional write: replaces the sealed seed, if it is still `from`. The new text has
   * this seed under a newer key.
   */
  reseal(
    userId: string,
    from: string,
    to: string,
  ): Promise<{ readonly outcome: 'resealed' | 'superseded' }>
  /**
   * In ONE conditional write: deletes the user's recovery code with this hash. `consumed` for
   * exactly one caller.
   */
  consumeRecoveryCode(
    userId: string,
    codeHash: string,
  ): Promise<{ readonly outcome: 'consumed' | 'unknown' }>
  /**
   * Deletes the user's recovery codes and inserts these, together, if the user has a factor. Of two
   * calls at once, the codes of one are left, never a mixture.
   */
  replaceRecoveryCodes(
    userId: string,
    recoveryCodeHashes: readonly string[],
  ): Promise<{ readonly outcome: 'replaced' | 'not-active' }>
  /**
   * Optional, for replacing an encryption key: how many factors there are for each mark, the first
   * 11 characters of `sealedSeed`, which name the key.
   */
  countSealed?(): Promise<readonly SealedCount[]>
  /**
   * Optional, for replacing an encryption key: the first `limit` factors after the factor of the
   * user `after` (null: from the beginning), in an order of user ids that is always the same.
   */
  listSealed?(
    after: string | null,
    limit: number,
  ): Promise<readonly Pick<SecondFactorRecord, 'userId' | 'sealedSeed'>[]>
  /** How many recovery codes the user has left. */
  countRecoveryCodes(userId: string): Promise<number>
  /**
   * Deletes factor, recovery codes and all pending enrolments together. `deactivated` for exactly
   * one caller; `not-active` when there was no factor, though there may have been an enrolment.
   *
   * @param keepRecoveryCodes - leaves the recovery codes as they are, for a user whose passkeys
   * they stand in for from now on; default false
   */
  deactivate(
    userId: string,
    keepRecoveryCodes?: boolean,
  ): Promise<{ readonly outcome: 'deactivated' | 'not-active' }>
  /**
   * In ONE conditional write: deletes the recovery codes of a user who has no factor, which
   * `deactivate` has kept. The codes of a user who has a factor stay, even if it is activated
   * meanwhile.
   */
  deleteKeptRecoveryCodes(userId: string): Promise<void>
  /**
   * Deletes enrolments that have expired by `now`, at most `limit` of them (0: none; left out: all
   * of them), and says how many. A store that lets the database expire its rows answers 0. Factors
   * and recovery codes stay.
   */
  purge(now: Date, limit?: number): Promise<number>
}
