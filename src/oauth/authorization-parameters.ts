import type { OAuthClient } from '../stores/client-contract.js'
import { type Acr, isAcr } from '../two-factor/acr.js'
import { type OwnNames, resourcesOf } from './client-defaults.js'
import type { ParsedRequest } from './parse-request.js'

// Readers of each request parameter. authorization-faults.ts checks the parameters; the readers
// take what has passed there, and treat anything malformed as absent.

/** The values of `prompt`, OpenID Connect Core §3.1.2.1. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create'

/** The host's settings that a request may refer to. */
export interface RequestSettings extends OwnNames {
  /** Every known scope: the standard ones and the host's. */
  readonly knownScopes: ReadonlySet<string>
}

/** A request of a known client, with the host's settings. */
export interface RequestInput extends Pick<ParsedRequest, 'values' | 'resources'> {
  readonly client: OAuthClient
  readonly settings: RequestSettings
}

// The tables must list every word of the unions, or they do not compile.
const prompts: Readonly<Record<Prompt, true>> = {
  none: true,
  login: true,
  consent: true,
  select_account: true,
  create: true,
}

/** VSCHAR of [RFC 6749 App. A](https://www.rfc-editor.org/rfc/rfc6749#appendix-A). */
const visible = /^[ -~]*$/

/** Whether a text that is returned to the client is short enough and printable. */
export function isEchoable(text: string | undefined, maxChars: number): boolean {
  return text === undefined || (text.length <= maxChars && visible.test(text))
}

/** The longest `state`, in characters. */
export const maxStateChars = 2048

/** The `state` to return with the answer; null if absent or invalid. */
export function stateOf(values: ReadonlyMap<string, string>): string | null {
  const state = values.get('state')
  return isEchoable(state, maxStateChars) ? (state ?? null) : null
}

/** How the answer is sent: in the query of the redirect URI, or by a form that is posted there. */
export type ResponseMode = 'query' | 'form_post'

/** The mode to answer in. A form can be posted to a site, not to the scheme of an app. */
export function responseModeOf(
  values: ReadonlyMap<string, string>,
  redirectUri: string,
): ResponseMode {
  const isForm = values.get('response_mode') === 'form_post'
  return isForm && /^https?:/.test(redirectUri) ? 'form_post' : 'query'
}

/**
 * The distinct words of a list; none if it is absent. Its blanks may be doubled, or stand at the
 * ends: clients put lists together.
 */
export function wordsOf(list: string | null | undefined): readonly string[] {
  return [...new Set((list ?? '').split(' '))].filter((word) => word !== '')
}

/** The requested scopes that are known; without a request, the client's default. */
export function scopesOf({ values, client, settings }: RequestInput): readonly string[] {
  const asked = values.has('scope') ? wordsOf(values.get('scope')) : (client.defaultScopes ?? [])
  return asked.filter((scope) => settings.knownScopes.has(scope))
}

/** Whether a word is one of {@link Prompt}. */
export function isPrompt(word: string): word is Prompt {
  return Object.hasOwn(prompts, word)
}

/** The values of `prompt`. */
export function promptOf(values: ReadonlyMap<string, string>): readonly Prompt[] {
  return wordsOf(values.get('prompt')).filter(isPrompt)
}

/** The requested `acr_values`, in order of preference. Unknown values are left out. */
export function acrValuesOf(values: ReadonlyMap<string, string>): readonly Acr[] {
  return wordsOf(values.get('acr_values')).filter(isAcr)
}

/** The requested languages of the pages, in order of preference. */
export function uiLocalesOf(values: ReadonlyMap<string, string>): readonly string[] {
  return wordsOf(values.get('ui_locales')).filter((tag) => /^[A-Za-z0-9-]{1,35}$/.test(tag))
}

/**
 * The name that prefills the form; null if a user could not type it there, such as an account id.
 * It decides nothing.
 */
export function loginHintOf(values: ReadonlyMap<string, string>): string | null {
  const hint = values.get('login_hint')
  // Before NFKC, which takes quadratic time for many combining marks.
  if (hint === undefined || hint.length > 320 || hint.startsWith('sub:')) return null
  const isPlain = !/\p{Cc}/u.test(hint) && hint.trim() === hint
  return isPlain && hint.normalize('NFKC') === hint ? hint : null
}

/** The oldest acceptable sign-in in seconds; null for any age. */
export function maxAgeOf(values: ReadonlyMap<string, string>): number | null {
  const maxAge = values.get('max_age')
  return maxAge === undefined ? null : Number(maxAge)
}

/**
 * The APIs that tokens are requested for, in the order of the client's list. If the request names
 * none: the host's own, or the client's first if it may not use the host's own.
 */
export function targetsOf({ resources, client, settings }: RequestInput): readonly string[] {
  const allowed = resourcesOf(client, settings.ownResource)
  if (resources.length > 0) return allowed.filter((resource) => resources.includes(resource))
  return allowed.includes(settings.ownResource) ? [settings.ownResource] : allowed.slice(0, 1)
}
