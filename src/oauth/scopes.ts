import type { OAuthOptions, ScopeText } from './oauth-options.js'

/** Scopes of OpenID Connect Core §5.4 and §11, and what they mean to a person. */
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
/** They open nothing unless the host says something of its users. */
const ofClaims: readonly string[] = ['email', 'address', 'phone']

/** All scopes that there are. */
export interface Scopes {
  /** Those of the standards, those of the host, and `*`. */
  readonly known: ReadonlySet<string>
  /** Those that are of use to anybody: never `*`. */
  readonly published: readonly string[]
  /** What one lets an app do: in a language, or else in English, or in the first that it has. */
  describe(scope: string, language: string): string
}

/** Makes it, of what the host describes, and of whether there are ID Tokens. */
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

/** A text in a language, or else in English, or in the first that it has. */
export function textIn(language: string, text: ScopeText): string {
  if (typeof text === 'string') return text
  const inLanguage = Object.hasOwn(text, language) ? text[language] : undefined
  return inLanguage ?? text['en'] ?? Object.values(text)[0] ?? ''
}

/** Whether a scope is one of the standards, which a host does not describe anew. */
export function isStandardScope(scope: string): boolean {
  return scope === '*' || Object.hasOwn(standard, scope)
}
