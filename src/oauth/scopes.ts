import type { ApiOptions, OAuthOptions, ScopeText } from './oauth-options.js'

/** Scopes of OpenID Connect Core §5.4 and §11, with their texts for users. */
const standard: Readonly<Record<string, ScopeText>> = {
  openid: { en: 'Know who you are here', de: 'Wissen, wer Du hier bist' },
  profile: { en: 'See your name', de: 'Deinen Namen sehen' },
  email: { en: 'See your e-mail address', de: 'Deine E-Mail-Adresse sehen' },
  address: { en: 'See your postal address', de: 'Deine Postanschrift sehen' },
  phone: { en: 'See your telephone number', de: 'Deine Telefonnummer sehen' },
  offline_access: {
    en: 'Stay signed in when you are not using it',
    de: 'Angemeldet bleiben, auch wenn Du sie nicht benutzt',
  },
}
const everything: ScopeText = {
  en: 'Do everything that you can do here',
  de: 'Alles tun, was Du hier tun kannst',
}
/** Without the option `claims` these scopes have no effect. */
const ofClaims: readonly string[] = ['email', 'address', 'phone']

/** All known scopes. */
export interface Scopes {
  /** The standard scopes, the host's, and `*`. */
  readonly known: ReadonlySet<string>
  /** The scopes that have an effect, without `*`. */
  readonly published: readonly string[]
  /**
   * The text that says what a scope lets an app do: in the language, else in English, else in the
   * first language given.
   */
  describe(scope: string, language: string): string
}

/** From the host's descriptions; `openid` counts only if the signer signs ID Tokens. */
export function createScopes(
  { scopes: own = {}, claims }: Pick<OAuthOptions, 'scopes' | 'claims'>,
  hasIdTokens: boolean,
): Scopes {
  const texts = new Map(Object.entries({ ...standard, ...own }))
  const names = [...texts.keys()]
  const isOfUse = (scope: string) =>
    (scope !== 'openid' || hasIdTokens) && (claims !== undefined || !ofClaims.includes(scope))
  return {
    known: new Set([...names, '*']),
    published: names.filter(isOfUse),
    describe(scope, language) {
      return textIn(language, scope === '*' ? everything : (texts.get(scope) ?? scope))
    },
  }
}

/** A text in the language, else in English, else in the first language given. */
export function textIn(language: string, text: ScopeText): string {
  if (typeof text === 'string') return text
  const inLanguage = Object.hasOwn(text, language) ? text[language] : undefined
  return inLanguage ?? text['en'] ?? Object.values(text)[0] ?? ''
}

/** Whether a scope is a standard one, which a host cannot redefine. */
export function isStandardScope(scope: string): boolean {
  return scope === '*' || Object.hasOwn(standard, scope)
}

/** The name of an API for users, in a language. */
export type NameResource = (resource: string, language: string) => string

/** From the names that the host has given. */
export function createNameResource(names: OAuthOptions['resources'] = {}): NameResource {
  const known = new Map(Object.entries(names))
  return function nameResource(resource, language) {
    const told = known.get(resource)
    const name = told !== undefined && isApi(told) ? told.name : told
    return name === undefined ? addressOf(resource) : textIn(language, name)
  }
}

/** The APIs of this server besides the host's own. */
export function furtherApisOf(resources: OAuthOptions['resources'] = {}): [string, ApiOptions][] {
  return Object.entries(resources).flatMap(([resource, told]) =>
    isApi(told) ? [[resource, told] satisfies [string, ApiOptions]] : [],
  )
}

/** Whether an entry of `oauth.resources` is an API of this server, not the name of another one. */
function isApi(told: ScopeText | ApiOptions): told is ApiOptions {
  return typeof told === 'object' && Object.hasOwn(told, 'scopes') && Array.isArray(told['scopes'])
}

// The address without the parts that a reader does not need. Two APIs of one host differ by their
// paths.
function addressOf(resource: string): string {
  return resource.replace(/^https:\/\//i, '').replace(/^([^/]+)\/$/, '$1')
}
