/**
 * What a signature counter says ([WebAuthn Level 3
 * §6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter)).
 */
export type CounterVerdict = 'advanced' | 'regressed' | 'overtaken' | 'clone'

/** Signatures by which a use may be behind one that overtook it on the way. */
const maxBehind = 3
/** Milliseconds in which it may be. */
const overtakingMs = 60_000

/** What is kept of a passkey, and when it is judged. */
export interface CounterJudgement {
  readonly kept: number
  readonly signed: number
  readonly backupEligible: boolean
  readonly lastUsedAt: Date | null
  readonly now: Date
}

/**
 * Judges a counter that was signed by the one that is kept. Most authenticators never count. A
 * passkey that is on several devices may have a counter on each, and one that stands lower proves
 * nothing; where there can only be one device, two have the key. But two uses of the one device may
 * overtake each other on the way: the one that is late is refused, and proves nothing.
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
  // The same number twice is no overtaking: one device signs with each once.
  const isLate = signed !== 0 && signed < kept && kept - signed <= maxBehind
  const age = lastUsedAt === null ? overtakingMs : now.getTime() - lastUsedAt.getTime()
  return isLate && age < overtakingMs ? 'overtaken' : 'clone'
}
