import type { Lifetimes, PkceOptions } from './options.js'

/** In seconds. */
export const day: number = 24 * 60 * 60

/**
 * The lifetimes in force where the host sets none, in seconds.
 * @internal
 */
export const defaultLifetimes: Readonly<Required<Lifetimes>> = {
  code: 60,
  accessToken: 600,
  sessionIdle: 14 * day,
  sessionAbsolute: 90 * day,
  refreshGrace: 30,
}

/**
 * What a signed-in client may open where the host does not say; in seconds.
 * @internal
 */
export const defaultPkce: Readonly<Required<PkceOptions>> = { maxAge: 600, endWithIssuer: false }

/**
 * The most sessions of one user.
 * @internal
 */
export const defaultMaxSessionsPerUser = 50

/**
 * Milliseconds a call of something the host supplied may take.
 * @internal
 */
export const defaultStoreTimeout = 2000

/**
 * Seconds of work on passwords that may wait.
 * @internal
 */
export const defaultMaxPasswordWait = 5

/**
 * Seconds between two rounds of housekeeping.
 * @internal
 */
export const defaultPurgeInterval = 600

/**
 * What authenticator apps call a service that does not say.
 * @internal
 */
export const defaultTotpIssuer = 'Messaging'
