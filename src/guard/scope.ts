import type { z } from 'zod'
import { AuthError } from '../errors.js'
import { checkOptions, fitting, flag, optionsOf } from '../lib/check-options.js'
import type { Principal } from '../principal/principal.js'
import { isKnownKind } from '../stores/stored-values.js'

/** The requirements of a guard on a token. */
export interface ScopeOptions {
  /**
   * Scopes the token must hold, all of them; a token with `*` holds every scope. `[]`: any token
   * passes. Default: a signed-in user passes; a named token needs `*`. Refusal: 403 `forbidden`.
   */
  readonly scope?: string | readonly string[]
  /**
   * False closes the route to a member of your staff who acts for the user: for what only the user
   * may see or do, such as private messages. Default true. Refusal: 403 `forbidden`.
   */
  readonly actor?: boolean
}

/** {@link ScopeOptions}, checked. */
export interface Required {
  readonly scope?: RequiredScope
  readonly actor?: boolean | undefined
}

/** The scopes that a guard names; undefined if it names none. */
export type RequiredScope = string | readonly string[] | undefined

const isWord = (value: unknown) => typeof value === 'string' && /^[!#-[\]-~]+$/.test(value)
const isScope = (value: unknown) => [value].flat().every(isWord)

/** Checks {@link ScopeOptions}. A misspelt scope would otherwise be ignored. */
export const scopeRules: {
  readonly scope: z.ZodOptional<z.ZodType<string | readonly string[]>>
  readonly actor: z.ZodOptional<z.ZodType<boolean>>
} = {
  scope: fitting<string | readonly string[]>(
    isScope,
    'is neither a word nor a list of words.',
  ).optional(),
  actor: flag().optional(),
}

/** Returns these options of one function. Throws AuthConfigError for an unknown option. */
export function requiredBy(factory: string, options: ScopeOptions | undefined): Required {
  return checkOptions({ factory, schema: optionsOf(scopeRules) }, options)
}

/**
 * Whether a principal may pass. A guard without `scope` was written for people: it admits every
 * session of a signed-in user, and a named token only with `*`.
 */
export function isAllowed({ scope: held, kind, actor }: Principal, required: Required): boolean {
  if (required.actor === false && actor !== null) return false
  if (held.includes('*')) return true
  if (required.scope === undefined) return isKnownKind(kind)
  return [required.scope].flat().every((name) => held.includes(name))
}

/** The refusal of somebody who acts for a user. */
export function closedToActors(): AuthError {
  return new AuthError('forbidden', {
    clientMessage: 'Only the user can do this, and nobody who acts for the user.',
    message: 'closed to actors',
  })
}

/**
 * Throws 403 unless the principal {@link isAllowed}, for a scope with the challenge of RFC 6750
 * §3.1.
 */
export function requireAllowed(principal: Principal, required: Required): void {
  if (isAllowed(principal, required)) return
  const { scope, actor } = required
  if (actor === false && principal.actor !== null) throw closedToActors()
  const missing = scope === undefined ? '*' : [scope].flat().join(' ')
  const headers = {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing}"`,
  }
  throw new AuthError('forbidden', { headers, message: 'scope missing' })
}
