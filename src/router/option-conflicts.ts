import { AuthConfigError } from '../errors.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/encryption-key.js'
import type { TokenSigner } from '../signers/contract.js'
import type { CheckedOptions } from './option-schema.js'
import type { Lifetimes } from './options.js'

/**
 * What options must be to each other.
 *
 * @throws AuthConfigError for the first that is at odds with another one
 */
export function refuseConflicts(options: CheckedOptions, lifetimes: Required<Lifetimes>): void {
  refuseContradictions(lifetimes)
  refuseForgottenKeys(lifetimes, options.signer)
  refuseUnfitFactors(options)
  refuseUnmarkedSessions(options)
  refuseBrokenClock(options.clock)
}

function refuseContradictions({
  sessionIdle,
  sessionAbsolute,
  accessToken,
}: Required<Lifetimes>): void {
  if (sessionIdle > sessionAbsolute) {
    throw new AuthConfigError(
      'lifetimes.sessionIdle',
      'is longer than lifetimes.sessionAbsolute.',
      'make it shorter.',
    )
  }
  if (accessToken > sessionAbsolute) {
    throw new AuthConfigError(
      'lifetimes.accessToken',
      'is longer than lifetimes.sessionAbsolute.',
      'make it shorter.',
    )
  }
}

// Tokens of a login live as long as their session. A key that is thrown away sooner would sign
// their users out without a word.
function refuseForgottenKeys(
  { sessionAbsolute }: Required<Lifetimes>,
  { longestToken }: TokenSigner,
): void {
  if (longestToken === undefined || sessionAbsolute <= longestToken) return
  const problem = `is longer than the signer verifies a token, which is ${longestToken} seconds.`
  throw new AuthConfigError(
    'lifetimes.sessionAbsolute',
    problem,
    `make it shorter, or pass keyRing({ longestToken: ${sessionAbsolute} }).`,
  )
}

function refuseUnfitFactors(options: CheckedOptions): void {
  const { secondFactor, secondFactors, otherFactors = [] } = options
  if (secondFactors === undefined && 'secondFactors' in options) {
    // Nobody would be asked for the factor they have: as likely a misspelt `stores.secondFactors`
    // as it is meant.
    throw new AuthConfigError(
      'secondFactors',
      'is undefined.',
      'leave the name out, or pass a store.',
    )
  }
  if (
    secondFactor?.policy !== undefined &&
    secondFactor.acceptHostMfa !== true &&
    secondFactors === undefined
  ) {
    const remedy = 'spread a shipped set of stores, or leave it out.'
    throw new AuthConfigError(
      'secondFactor',
      'can demand what nobody could set up: secondFactors is missing.',
      remedy,
    )
  }
  const names = ['totp', 'recovery', ...otherFactors.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw new AuthConfigError(
    'otherFactors',
    `has a factor named ${twice}, and so has somebody else.`,
    'give it another name.',
  )
}

// Found out by the first login otherwise, or worse, by a session that outlives its password.
function refuseUnmarkedSessions({ watchPasswordHash, sessions }: CheckedOptions): void {
  if (!watchPasswordHash || typeof sessions.addPasswordMark === 'function') return
  throw new AuthConfigError(
    'watchPasswordHash',
    'needs sessions with addPasswordMark, and they have none.',
    'add it to the store, as docs/adapters.md says, or leave it out and call passwordChanged.',
  )
}

function refuseBrokenClock(clock: () => Date): void {
  const now: unknown = clock()
  if (now instanceof Date && !Number.isNaN(now.getTime())) return
  throw new AuthConfigError(
    'clock',
    'does not answer a Date.',
    'pass () => new Date(), or leave it out.',
  )
}

/** The decoded keys; second factors need one. */
export function checkEncryptionKeys({
  encryptionKeys = [],
  secondFactors,
}: CheckedOptions): Buffer[] {
  if (secondFactors !== undefined && encryptionKeys.length === 0) {
    throw new AuthConfigError(
      'encryptionKeys',
      'is missing, but secondFactors needs it to seal TOTP seeds.',
      encryptionKeyRemedy,
    )
  }
  return decodeEncryptionKeys(encryptionKeys, 'encryptionKeys')
}
