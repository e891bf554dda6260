import type { StoredMethod } from '../stores/contract.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { Acr } from './authorization-parameters.js'

/**
 * The `acr` of a session. A passkey alone has verified its user. After a password, a touch is
 * enough, and the password may have been phished: such a session has two factors, but is not
 * phishing-resistant.
 */
export function acrOf(
  methods: readonly StoredMethod[],
  meetsFactorPolicy: SecondFactors['meetsFactorPolicy'],
): Acr {
  if (methods.length > 0 && methods.every((method) => method === 'passkey')) return 'phr'
  return meetsFactorPolicy(methods) ? 'urn:mar:2fa' : 'urn:mar:1fa'
}
