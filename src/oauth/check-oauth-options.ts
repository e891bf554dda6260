import { z } from 'zod'
import {
  anObject,
  callable,
  checkOptions,
  fitting,
  flag,
  listOf,
  oneOf,
  optional,
  optionsFor,
  ownMembers,
  type Shape,
  storeOf,
  text,
} from '../lib/check-options.js'
import { consentAnswers, onceAnswers, openClientAnswers } from '../stores/fail-closed-stores.js'
import { documentHost } from './client-documents/client-document.js'
import { isResource, scopePattern } from './client-schema.js'
import { isReservedScope } from './consent-words.js'
import type {
  ClientDocumentsOptions,
  ClientRegistrationOptions,
  DeviceFlowOptions,
  LogoutOptions,
  OAuthOptions,
} from './oauth-options.js'
import { isStandardScope } from './scopes.js'

const deviceFlowShape = (): Shape<DeviceFlowOptions> => ({
  sameNetwork: oneOf('warn', 'require').optional(),
  completeUri: flag().optional(),
})
const orTrue = (given: unknown) => (given === true ? {} : given === false ? undefined : given)

const isDocumentHost = (host: unknown) => documentHost(`https://${host}/document`) === host
const textList = () => listOf<string>((item) => typeof item === 'string', 'is no list of texts.')
const clientDocumentsShape = (): Shape<ClientDocumentsOptions> => ({
  hosts: listOf(
    isDocumentHost,
    'is no list of hosts such as claude.ai, in small letters, without wildcard, port or path.',
  ),
  except: optional(
    listOf((id) => documentHost(String(id)) !== null, 'is no list of addresses of documents.'),
  ),
  // Checked with the signer, as those of a client.
  scopes: textList(),
  resources: textList().optional(),
})

const registrationShape = (): Shape<ClientRegistrationOptions> => ({
  clients: storeOf(openClientAnswers),
  hosts: listOf<string>(
    isDocumentHost,
    'is no list of hosts such as claude.ai, in small letters, without wildcard, port or path.',
  ).optional(),
  scopes: textList(),
  resources: textList().optional(),
})

const isHostName = (host: unknown) =>
  /^[a-z0-9.-]+$/.test(String(host)) && !/^[0-9.-]+$/.test(String(host))
const logoutShape = (): Shape<LogoutOptions> => ({
  privateHosts: listOf<string>(
    isHostName,
    'is no list of hosts such as wiki.internal, in small letters, without wildcard, port or path.',
  ).optional(),
})

const oauthShape = (): Shape<OAuthOptions> => ({
  // Checked with the issuer, whose origin it must have.
  baseUrl: text(),
  clients: anObject('is neither a list nor an object with find.'),
  consents: storeOf(consentAnswers),
  once: storeOf(onceAnswers),
  scopes: z
    .preprocess(
      ownMembers,
      fitting<OAuthOptions['scopes']>(
        areScopes,
        'is not a table of scopes and their texts.',
      ).refine(
        (value) => !areScopes(value) || !Object.keys(value as object).some(isReservedScope),
        'has one that begins with mar-, as nothing but words of the router does.',
      ),
    )
    .optional(),
  resources: z
    .preprocess(
      ownMembers,
      fitting<OAuthOptions['resources']>(
        areResources,
        'is not a table of APIs with their names or scopes.',
      ),
    )
    .optional(),
  claims: optional(callable()),
  logout: z.preprocess(orTrue, optional(optionsFor(logoutShape()))),
  deviceFlow: z.preprocess(orTrue, optional(optionsFor(deviceFlowShape()))),
  clientDocuments: optional(optionsFor(clientDocumentsShape())),
  registration: optional(optionsFor(registrationShape())),
})

/**
 * Checks the members of the option by themselves. Clients, scopes and addresses are checked against
 * the signer later.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkOAuthOptions(given: unknown): OAuthOptions {
  return checkOptions({ factory: 'oauth', schema: optionsFor(oauthShape()) }, given)
}

function areScopes(value: unknown): boolean {
  return isTable(value, (scope) => scopePattern.test(scope) && !isStandardScope(scope))
}

function areResources(value: unknown): boolean {
  const isApi = (told: unknown) => Object.hasOwn(Object(told), 'scopes')
  return isTable(value, isResource, (told) => (isApi(told) ? isApiOptions(told) : isText(told)))
}

function isApiOptions(told: unknown): boolean {
  const { scopes, name, ...others } = ownMembers(Object(told)) as Record<string, unknown>
  const isNamed = name === undefined || isText(name)
  if (!Array.isArray(scopes) || !isNamed || Object.keys(others).length > 0) return false
  const isScope = (one: unknown) => typeof one === 'string' && scopePattern.test(one)
  return scopes.length <= 100 && scopes.every(isScope)
}

function isTable(
  value: unknown,
  isKey: (key: string) => boolean,
  isTold: (told: unknown) => boolean = isText,
): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([key, told]) => isKey(key) && isTold(told))
}

// A text, or one for each language.
function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && value.length <= 200
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const texts = Object.values(value)
  return texts.length > 0 && texts.every((one) => typeof one === 'string' && isText(one))
}
