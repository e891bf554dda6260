import speakeasy from 'speakeasy'
import { equalInConstantTime } from '../lib/secrets.js'
import { typedDigits } from '../lib/typed-codes.js'
import { minSeedBytes } from './seed-vault.js'

/** RFC 6238 §4: the time step of every authenticator app. */
const secondsPerStep = 30
/** RFC 6238 §5.2 allows at most one step for network delay and slow typing. */
const toleratedSteps = [-1, 0, 1]

/** The six-digit code of a step. The only call into speakeasy. */
export function totpAt(seed: Buffer, step: number): string {
  if (seed.length < minSeedBytes) throw new RangeError('a TOTP seed has at least 16 bytes')
  // speakeasy reads inherited `digest`, `encoding` and `counter`, decodes strings leniently and
  // parses codes loosely. So it gets bytes, every option as an own property, and never a code to
  // check.
  const options = Object.assign(Object.create(null) as object, {
    secret: seed,
    counter: step,
    digits: 6,
    algorithm: 'sha1',
    encoding: 'ascii',
    digest: undefined,
    key: undefined,
    length: undefined,
  })
  return speakeasy.hotp(options as unknown as speakeasy.HotpOptions)
}

/** The step of a moment. */
export function stepAt(moment: Date): number {
  return Math.floor(moment.getTime() / 1000 / secondsPerStep)
}

/**
 * The step of a code, at most one step before or after `now`; null if it matches none. All
 * candidates are compared, in constant time. The caller must still make sure that a step is used
 * only once.
 */
export function matchingStep(seed: Buffer, code: string, now: Date): number | null {
  const digits = typedDigits(code)
  // Exactly six ASCII digits: speakeasy would accept '+61' and '61.9' for 000061.
  if (!/^[0-9]{6}$/.test(digits)) return null
  const current = stepAt(now)
  const matches = toleratedSteps
    .map((offset) => current + offset)
    .filter((step) => step >= 0 && equalInConstantTime(totpAt(seed, step), digits))
  return matches.at(-1) ?? null
}
