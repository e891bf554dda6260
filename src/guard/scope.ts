import type { z } from 'zod'
import { AuthError } from '../errors.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import type { Principal } from '../principal/principal.js'
import { isKnownKind } from '../stores/stored-values.js'

/** The requirements of a guard on a token. */
export interface ScopeOptions {
  /**
   * Scopes the token must hold, all of them; a token with `*` holds every scope. `[]`: any token
   * passes. Default: a signed-in user passes; a named token needs `*`. Refusal: 403 `forbidden`.
   */
  readonly scope?: string | readonly string[]
}

/** The scopes that a guard names; undefined if it names none. */
export type RequiredScope = string | readonly string[] | undefined

const isWord = (value: unknown) => typeof value === 'string' && /^[!#-[\]-~]+$/.test(value)
const isScope = (value: unknown) => [value].flat().every(isWord)

/** Checks the option `scope`. A misspelt scope would otherwise be ignored. */
export const scopeRule: z.ZodOptional<z.ZodType<string | readonly string[]>> = fitting<
  string | readonly string[]
>(isScope, 'is neither a word nor a list of words.').optional()

/** Returns the option `scope` of one function. Throws AuthConfigError for an unknown option. */
export function requiredBy(factory: string, options: ScopeOptions | undefined): RequiredScope {
  return checkOptions({ factory, schema: optionsOf({ scope: scopeRule }) }, options).scope
}

/**
 * Whether a principal may pass. A guard without `scope` was written for people: it admits every
 * session of a signed-in user, and a named token only with `*`.
 */
export function isScoped({ scope, kind }: Principal, required: RequiredScope): boolean {
  if (scope.includes('*')) return true
  if (required === undefined) return isKnownKind(kind)
  return [required].flat().every((name) => scope.includes(name))
}

/** Throws 403 with the challenge of RFC 6750 §3.1 unless the principal {@link isScoped}. */
export function requireScope(principal: Principal, required: RequiredScope): void {
  if (isScoped(principal, required)) return
  const missing = required === undefined ? '*' : [required].flat().join(' ')
  const headers = {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing}"`,
  }
  throw new AuthError('forbidden', { headers, message: 'scope missing' })
}
