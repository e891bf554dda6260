import type { OAuthClient } from '../stores/client-contract.js'
import { resourcesOf } from './client-defaults.js'
import type { ParsedRequest } from './parse-request.js'

// How each parameter of a request is read. What may be wrong with it stands in
// authorization-faults.ts; a reader takes what passed there, and what is malformed for left out.

/** What a client may ask to be shown, as in OpenID Connect Core §3.1.2.1. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create'

/**
 * How somebody has signed in: with one factor, with two, or with a passkey that has verified its
 * user, which is phishing-resistant.
 */
export type Acr = 'urn:mar:1fa' | 'urn:mar:2fa' | 'phr'

/** What the host has, and a request may name. */
export interface RequestSettings {
  /** Every scope that there is: those of the standards and those of the host. */
  readonly knownScopes: ReadonlySet<string>
  /** The host's own API, as it stands in `aud` of its tokens. */
  readonly ownResource: string
}

/** A request of a client that is known, to be read with what the host has. */
export interface RequestInput extends Pick<ParsedRequest, 'values' | 'resources'> {
  readonly client: OAuthClient
  readonly settings: RequestSettings
}

// The tables must name every word of the unions, or they do not compile.
const prompts: Readonly<Record<Prompt, true>> = {
  none: true,
  login: true,
  consent: true,
  select_account: true,
  create: true,
}
const acrs: Readonly<Record<Acr, true>> = { 'urn:mar:1fa': true, 'urn:mar:2fa': true, phr: true }

/** VSCHAR of [RFC 6749 App. A](https://www.rfc-editor.org/rfc/rfc6749#appendix-A). */
const visible = /^[ -~]*$/

/** Whether a text that the client gets back is short enough, and printable. */
export function isEchoable(text: string | undefined, maxChars: number): boolean {
  return text === undefined || (text.length <= maxChars && visible.test(text))
}

/** Characters of `state`. */
export const maxStateChars = 1024

/** What the client wants back with the answer; null without, or where it will not do. */
export function stateOf(values: ReadonlyMap<string, string>): string | null {
  const state = values.get('state')
  return isEchoable(state, maxStateChars) ? (state ?? null) : null
}

/** The words of a list with single blanks between them, each once; none where it is left out. */
export function wordsOf(list: string | undefined): readonly string[] {
  return list === undefined ? [] : [...new Set(list.split(' '))]
}

/** What is asked for of the scopes that there are; the client's default where nothing is. */
export function scopesOf({ values, client, settings }: RequestInput): readonly string[] {
  const asked = values.has('scope') ? wordsOf(values.get('scope')) : (client.defaultScopes ?? [])
  return asked.filter((scope) => settings.knownScopes.has(scope))
}

/** Whether a word is one of {@link Prompt}. */
export function isPrompt(word: string): word is Prompt {
  return Object.hasOwn(prompts, word)
}

/** What the client wants its user to be shown. */
export function promptOf(values: ReadonlyMap<string, string>): readonly Prompt[] {
  return wordsOf(values.get('prompt')).filter(isPrompt)
}

/** How somebody should have signed in, the best liked first. What we do not know is left out. */
export function acrValuesOf(values: ReadonlyMap<string, string>): readonly Acr[] {
  return wordsOf(values.get('acr_values')).filter((word): word is Acr => Object.hasOwn(acrs, word))
}

/** Languages of the pages, the best liked first. */
export function uiLocalesOf(values: ReadonlyMap<string, string>): readonly string[] {
  return wordsOf(values.get('ui_locales')).filter((tag) => /^[A-Za-z0-9-]{1,35}$/.test(tag))
}

/**
 * The name that the form is filled with; null for what could not be typed there, such as the id of
 * an account. It decides nothing.
 */
export function loginHintOf(values: ReadonlyMap<string, string>): string | null {
  const hint = values.get('login_hint')
  // Long before NFKC, which takes quadratic time for many combining marks.
  if (hint === undefined || hint.length > 320 || hint.startsWith('sub:')) return null
  const isPlain = !/\p{Cc}/u.test(hint) && hint.trim() === hint
  return isPlain && hint.normalize('NFKC') === hint ? hint : null
}

/** Seconds a sign-in may be old; null for any age. */
export function maxAgeOf(values: ReadonlyMap<string, string>): number | null {
  const maxAge = values.get('max_age')
  return maxAge === undefined ? null : Number(maxAge)
}

/**
 * The APIs that tokens are asked for, in the order of the client's own list. Where none is named:
 * the host's own, or the client's first if the host's own is not for it.
 */
export function targetsOf({ resources, client, settings }: RequestInput): readonly string[] {
  const allowed = resourcesOf(client, settings.ownResource)
  if (resources.length > 0) return allowed.filter((resource) => resources.includes(resource))
  return allowed.includes(settings.ownResource) ? [settings.ownResource] : allowed.slice(0, 1)
}
