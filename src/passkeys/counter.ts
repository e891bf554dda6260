/**
 * The verdict on a signature counter ([WebAuthn Level 3
 * §6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter)).
 */
export type CounterVerdict = 'advanced' | 'regressed' | 'overtaken' | 'clone'

/** How many signatures a use may be behind another that overtook it on the way. */
const maxBehind = 3
/** How long after the other, in milliseconds. */
const overtakingMs = 60_000

/** A signed counter, the stored passkey, and the time. */
export interface CounterJudgement {
  readonly kept: number
  readonly signed: number
  readonly backupEligible: boolean
  readonly lastUsedAt: Date | null
  readonly now: Date
}

/**
 * Compares a signed counter with the stored one. Most authenticators never count. A passkey on
 * several devices may have a counter on each, so a lower one proves nothing; if only one device can
 * have it, two have the key. But two uses of one device may overtake each other on the way: the
 * late one is refused, and proves nothing.
 */
export function judgeCounter({
  kept,
  signed,
  backupEligible,
  lastUsedAt,
  now,
}: CounterJudgement): CounterVerdict {
  if (signed > kept || (signed === 0 && kept === 0)) return 'advanced'
  if (backupEligible) return 'regressed'
  // The same number twice is not overtaking: one device signs with each number once.
  const isLate = signed !== 0 && signed < kept && kept - signed <= maxBehind
  const age = lastUsedAt === null ? overtakingMs : now.getTime() - lastUsedAt.getTime()
  return isLate && age < overtakingMs ? 'overtaken' : 'clone'
}
