import { freshSeconds } from '../sessions/recent-sign-in.js'
import type { Lifetimes, PkceOptions } from './options.js'
/** Seconds. */
export const day: number = 24 * 60 * 60

/**
 * Default lifetimes in seconds.
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
 * Defaults of the option `pkce`.
 * @internal
 */
export const defaultPkce: Readonly<Required<PkceOptions>> = {
  maxAge: freshSeconds,
  endWithIssuer: false,
}

/**
 * Maximum sessions of a user.
 * @internal
 */
export const defaultMaxSessionsPerUser = 50

/**
 * Time limit for a call of a part of the host, in milliseconds.
 * @internal
 */
export const defaultStoreTimeout = 2000

/**
 * Seconds of password hashing that may wait.
 * @internal
 */
export const defaultMaxPasswordWait = 5

/**
 * Seconds between two rounds of purging.
 * @internal
 */
export const defaultPurgeInterval = 600

/**
 * The name of the service in authenticator apps.
 * @internal
 */
export const defaultTotpIssuer = 'Messaging'
