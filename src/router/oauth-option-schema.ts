import { z } from 'zod'
import {
  callable,
  fitting,
  optionsOf,
  ownMembers,
  text,
  withMethods,
} from '../lib/check-options.js'
import { isResource, scopePattern } from '../oauth/client-schema.js'
import { isReservedScope } from '../oauth/consent-words.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import { isStandardScope } from '../oauth/scopes.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import type { OnceStore } from '../stores/once-contract.js'

type Shape = { readonly [Name in keyof Required<OAuthOptions>]: z.ZodType<OAuthOptions[Name]> }

const shape: Shape = {
  // Judged with the issuer, whose origin it must have.
  baseUrl: text(),
  // Judged one by one where they are read.
  clients: fitting(
    (value) => typeof value === 'object' && value !== null,
    'is neither a list nor an object with find.',
  ),
  consents: withMethods<ConsentStore>('find', 'grant', 'revoke', 'listForUser'),
  once: withMethods<OnceStore>('claim', 'purge'),
  scopes: z
    .preprocess(
      ownMembers,
      fitting(areScopes, 'is not a table of scopes and their texts.').refine(
        (value) => !areScopes(value) || !Object.keys(value as object).some(isReservedScope),
        'has one that begins with mar-, as nothing but words of the router does.',
      ),
    )
    .optional() as Shape['scopes'],
  resources: z
    .preprocess(ownMembers, fitting(areResources, 'is not a table of APIs and their names.'))
    .optional() as Shape['resources'],
  claims: callable<NonNullable<OAuthOptions['claims']>>().optional(),
}

/** How the option `oauth` is checked. */
export const oauthOptions: z.ZodType<OAuthOptions> = optionsOf(shape) as z.ZodType<OAuthOptions>

function areScopes(value: unknown): boolean {
  return isTable(value, (scope) => scopePattern.test(scope) && !isStandardScope(scope))
}

function areResources(value: unknown): boolean {
  return isTable(value, isResource)
}

function isTable(value: unknown, isKey: (key: string) => boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([key, told]) => isKey(key) && isText(told))
}

// One text, or one for each language.
function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value.length <= 200
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const texts = Object.values(value)
  return texts.length > 0 && texts.every((one) => typeof one === 'string' && isText(one))
}
