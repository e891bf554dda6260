import type { StoredMethod } from '../stores/contract.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { Acr } from './authorization-parameters.js'

/**
 * How surely the user of a session is known, in the words of `acr`. A passkey that has signed in
 * alone has verified its user. Besides a password a touch is enough, and what was shown by then can
 * have been fished for: such a session has two factors, and no more.
 */
export function acrOf(
  methods: readonly StoredMethod[],
  meetsFactorPolicy: SecondFactors['meetsFactorPolicy'],
): Acr {
  if (methods.length > 0 && methods.every((method) => method === 'passkey')) return 'phr'
  return meetsFactorPolicy(methods) ? 'urn:mar:2fa' : 'urn:mar:1fa'
}
