import { returnPathOf } from '../http/page-origin.js'
import { type ForPage, formText } from '../oauth/authorization-request.js'
import { addressAt, maxQueryChars } from '../oauth/base-url.js'
import { maxFlowChars } from './flow.js'

/** The pages, and the endpoint that decides which is next. */
export type PageName =
  | 'authorize'
  | 'sign-in'
  /** The sign-in by a mailed code. */
  | 'code'
  /** The sign-in with the account of a provider, and the name of a new user. */
  | 'provider'
  /** Whether the account of a provider is connected with the user who has signed in. */
  | 'connect'
  | 'second-factor'
  /** The second factor with a recovery code. */
  | 'recovery-code'
  | 'enrolment'
  /** Another password, a proof of the address, and documents, before anything else. */
  | 'new-password'
  | 'address'
  | 'acceptance'
  /** The offer of a passkey. */
  | 'passkey'
  | 'consent'
  | 'continue'
  | 'sign-out'
  /** The code of a device that waits for its user. */
  | 'device'
  | AccountPageName

/** The pages on which users manage their account. */
export type AccountPageName =
  | 'account'
  | 'account/second-factor'
  | 'account/passkeys'
  | 'account/identities'
  | 'account/password'
  | 'account/email'
  | 'account/phone'
  | 'account/confirm'
  /** The link of a new device. */
  | 'account/link'
  | 'account/delete'
  | MailPageName

/** The pages for a user who is not signed in, or has a link in a mail. */
export type MailPageName =
  | 'account/forgot'
  | 'account/reset'
  | 'account/undo'
  | 'account/register'
  | 'account/register/confirm'
  | 'account/invitation'

/**
 * The purpose of a page without an authorization request: `return_to=` and a path of the pages'
 * origin, or `then=` and a name of this list, never an address.
 */
export type Errand =
  | ReturnErrand
  | { readonly name: 'account' | 'logout' }
  /** `userCode`: unchanged; null without. */
  | { readonly name: 'device'; readonly userCode: string | null }

/** A sign-in for a page of this origin. */
export interface ReturnErrand {
  readonly name: 'return'
  /** With query and fragment, as browsers spell it. */
  readonly path: string
  /** Seconds; null: a sign-in of any age will do. */
  readonly maxAge: number | null
}

/** The query of a page. */
export interface PageRequest {
  readonly at: 'page-request'
  /** The query without our own parameters, byte for byte. */
  readonly raw: string
  /** Null for an authorization request, which is parsed later. */
  readonly errand: Errand | null
  /** Unchanged; null without. */
  readonly flow: string | null
  /** The tag of the language chosen on a page; null without. */
  readonly language: string | null
  /** The ticket of a browser that comes back from a provider; null without. */
  readonly ticket: string | null
}

const ours = ['&flow=', '&language=', '&ticket='] as const

const maxLanguageChars = 35

const maxTicketChars = 100

const maxPageQueryChars =
  maxQueryChars + ours.join('').length + maxFlowChars + maxLanguageChars + maxTicketChars

/**
 * Reads the query of a page, without the `?`. Ours are `flow`, `language` and `ticket` at its end,
 * spelt as we spell them. Elsewhere they belong to the client and are ignored. A parameter of ours
 * that is given twice is dropped.
 */
export function readPageRequest(query: string): PageRequest | ForPage {
  if (query.length > maxPageQueryChars) return { at: 'page', problem: 'too-long' }
  const { raw, own } = splitOwn(query)
  const flow = onlyOf(own['&flow='])
  const ticket = onlyOf(own['&ticket='])
  const isTooLong = (ticket ?? '').length > maxTicketChars
  if (isTooLong || raw.length > maxQueryChars || (flow ?? '').length > maxFlowChars)
    return { at: 'page', problem: 'too-long' }
  const language = onlyOf(own['&language='])
  const errand = returnOf(raw) ?? errandOf(raw)
  if (errand === 'malformed') return { at: 'page', problem: errand }
  return {
    at: 'page-request',
    raw,
    errand,
    flow,
    language: language !== null && isTag(language) ? language : null,
    ticket,
  }
}

/**
 * The address of a page with the request, its flow and the chosen language. The inverse of
 * {@link readPageRequest}.
 *
 * @param baseUrl - the address of the router for browsers
 */
export function pageAddress(
  baseUrl: URL,
  page: PageName,
  place: Pick<PageRequest, 'raw' | 'flow' | 'language'>,
): string {
  // A URL without a path has a slash.
  const path = page.startsWith('account') ? `/${page}` : `/oauth/${page}`
  const query = pageQuery(place)
  return addressAt(baseUrl, query === '' ? path : `${path}?${query}`)
}

const nowhere = { raw: '', flow: null, language: null }

/** The address of a page without a request. */
export function plainAddress({ baseUrl }: { readonly baseUrl: URL }, page: PageName): string {
  return pageAddress(baseUrl, page, nowhere)
}

/** The query of a page. */
export function pageQuery({
  raw,
  flow,
  language,
}: Pick<PageRequest, 'raw' | 'flow' | 'language'>): string {
  const chosen = language === null ? '' : `&language=${language}`
  return `${raw}${chosen}${flow === null ? '' : `&flow=${flow}`}`
}

/** The query of a request's URL, without the `?`; empty without. */
export function queryIn(url = ''): string {
  return url.slice(url.indexOf('?') + 1 || url.length)
}

/** The place of a page without a request, by the URL of its request: a chosen language stays. */
export function placeWithoutRequest(url = ''): Pick<PageRequest, 'raw' | 'flow' | 'language'> {
  const asked = readPageRequest(queryIn(url))
  return { raw: '', flow: null, language: asked.at === 'page-request' ? asked.language : null }
}

type Own = Record<(typeof ours)[number], string[]>

function splitOwn(query: string): { readonly raw: string; readonly own: Own } {
  const own: Own = { '&flow=': [], '&language=': [], '&ticket=': [] }
  let end = query.length
  // Ends at 0: a search from -1 would find the same place again.
  while (end > 0) {
    const start = query.lastIndexOf('&', end - 1)
    const name = start < 0 ? undefined : ours.find((one) => query.startsWith(one, start))
    if (name === undefined) break
    own[name].push(query.slice(start + name.length, end))
    end = start
  }
  return { raw: query.slice(0, end), own }
}

function onlyOf(values: readonly string[]): string | null {
  const [value = ''] = values.length === 1 ? values : []
  return value === '' ? null : value
}

function isTag(text: string): boolean {
  return text.length <= maxLanguageChars && /^[A-Za-z0-9-]+$/.test(text)
}

// It matches the whole query only, like the others. A path that leads elsewhere is a mistake or an
// attack.
function returnOf(raw: string): ReturnErrand | 'malformed' | null {
  const match = /^return_to=([!"$%'-~]*)(?:&max_age=([0-9]{1,6}))?$/.exec(raw)
  if (match === null) return null
  const [, encoded = '', maxAge] = match
  const path = returnPathOf(formText(encoded))
  if (path === null) return 'malformed'
  return { name: 'return', path, maxAge: maxAge === undefined ? null : Number(maxAge) }
}

// It matches the whole query only: in an authorization request, `then` is an unknown parameter.
function errandOf(raw: string): Errand | null {
  const match = /^then=(?:(account|logout)|device(?:&user_code=([A-Za-z-]{1,20}))?)$/.exec(raw)
  if (match === null) return null
  const [, name, userCode = null] = match
  return name === 'account' || name === 'logout' ? { name } : { name: 'device', userCode }
}

/** The address that leads to a provider. */
export function providerAddress(
  baseUrl: URL,
  id: string,
  { raw, language }: Pick<PageRequest, 'raw' | 'language'>,
): string {
  return addressAt(baseUrl, `/oauth/providers/${id}?${pageQuery({ raw, language, flow: null })}`)
}
