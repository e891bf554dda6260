/**
 * What a signature counter says ([WebAuthn Level 3
 * §6.1.1](https://www.w3.org/TR/webauthn-3/#sctn-sign-counter)).
 */
export type CounterVerdict = 'advanced' | 'regressed' | 'clone'

/**
 * Judges a counter that was signed by the one that is kept. Most authenticators never count. A
 * passkey that is on several devices may have a counter on each, and one that stands lower proves
 * nothing; where there can only be one device, two have the key.
 */
export function judgeCounter(
  kept: number,
  signed: number,
  backupEligible: boolean,
): CounterVerdict {
  if (signed > kept || (signed === 0 && kept === 0)) return 'advanced'
  return backupEligible ? 'regressed' : 'clone'
}
