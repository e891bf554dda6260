import type { z } from 'zod'
import { AuthError } from '../errors.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import type { Principal } from '../principal/principal.js'
import { isKnownKind } from '../stores/session-kinds.js'

/** What a guard asks of a token. */
export interface ScopeOptions {
  /**
   * Scopes the token must hold, all of them; a token with `*` holds every one. `[]`: none. Default:
   * none for whoever has signed in; of a named token `*`. Refusal: 403 `forbidden`.
   */
  readonly scope?: string | readonly string[]
}

/** The scopes that a guard names; undefined where it names none. */
export type RequiredScope = string | readonly string[] | undefined

const isWord = (value: unknown) => typeof value === 'string' && /^[!#-[\]-~]+$/.test(value)
const isScope = (value: unknown) => [value].flat().every(isWord)

/** How `scope` is checked: a misspelt condition would be no condition. */
export const scopeRule: z.ZodOptional<z.ZodType<string | readonly string[]>> = fitting<
  string | readonly string[]
>(isScope, 'is neither a word nor a list of words.').optional()

/** The scope in the options of one function. Throws AuthConfigError for what it does not know. */
export function requiredBy(factory: string, options: ScopeOptions | undefined): RequiredScope {
  return checkOptions({ factory, schema: optionsOf({ scope: scopeRule }) }, options).scope
}

/**
 * Whether a principal may pass. A guard that names no scope was written for people: it lets in what
 * somebody signed in to, and of the tokens that were given less than everything, none.
 */
export function isScoped({ scope, kind }: Principal, required: RequiredScope): boolean {
  if (scope.includes('*')) return true
  if (required === undefined) return isKnownKind(kind)
  return [required].flat().every((name) => scope.includes(name))
}

/** The same, as a refusal: throws 403 with the challenge of RFC 6750 §3.1. */
export function requireScope(principal: Principal, required: RequiredScope): void {
  if (isScoped(principal, required)) return
  const missing = required === undefined ? '*' : [required].flat().join(' ')
  const headers = {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing}"`,
  }
  throw new AuthError('forbidden', { headers, message: 'scope missing' })
}
