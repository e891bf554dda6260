import type { StoredMethod } from '../stores/contract.js'
import type { SecondFactors } from './second-factor.js'
/**
 * How a user has signed in: with one factor, with two, or with a passkey that has verified its
 * user, which is phishing-resistant.
 */
export type Acr = 'urn:mar:1fa' | 'urn:mar:2fa' | 'phr'

// The table must list every word of the union, or it does not compile.
const ranks: Readonly<Record<Acr, number>> = { 'urn:mar:1fa': 1, 'urn:mar:2fa': 2, phr: 3 }

/** Whether a text is an `acr` value of this server. */
export function isAcr(word: unknown): word is Acr {
  return typeof word === 'string' && Object.hasOwn(ranks, word)
}

/** Whether a sign-in with `shown` is as good as one with `wanted`. */
export function reachesAcr(shown: Acr, wanted: Acr): boolean {
  return ranks[shown] >= ranks[wanted]
}

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
