import { addressAt } from '../oauth/base-url.js'
import { type ForPage, maxQueryChars } from '../oauth/parse-request.js'
import { maxFlowChars } from './flow.js'

/** The pages, and the endpoint that decides which of them is next. */
export type PageName =
  | 'authorize'
  | 'sign-in'
  | 'second-factor'
  /** The second factor by a recovery code. */
  | 'recovery-code'
  | 'enrolment'
  /** A passkey for the next time. */
  | 'passkey'
  | 'consent'
  | 'continue'
  | 'sign-out'

/**
 * What a page is for besides a request to the authorization endpoint: `then=` and a name out of
 * this list. Never an address.
 */
export type Errand =
  | { readonly name: 'account' | 'logout' }
  /** `userCode`: as it was sent; null without. */
  | { readonly name: 'device'; readonly userCode: string | null }

/** What the query of a page says. */
export interface PageRequest {
  readonly at: 'page-request'
  /** All of it but what is our own, byte for byte, in its order. */
  readonly raw: string
  /** Null for an authorization request, which is still to be parsed. */
  readonly errand: Errand | null
  /** As it was sent; null without. */
  readonly flow: string | null
  /** The tag of the language that was chosen on a page; null without. */
  readonly language: string | null
}

const ours = ['&flow=', '&language='] as const
const maxLanguageChars = 35
const maxPageQueryChars = maxQueryChars + ours.join('').length + maxFlowChars + maxLanguageChars

/**
 * Reads the query of a page, without the `?`. Ours are `flow` and `language` at its end, spelt as
 * we spell them. Elsewhere they belong to the client and are ignored. A parameter of ours that is
 * given twice is dropped.
 */
export function readPageRequest(query: string): PageRequest | ForPage {
  if (query.length > maxPageQueryChars) return { at: 'page', problem: 'too-long' }
  const { raw, own } = splitOwn(query)
  const flow = onlyOf(own['&flow='])
  if (raw.length > maxQueryChars || (flow ?? '').length > maxFlowChars)
    return { at: 'page', problem: 'too-long' }
  const language = onlyOf(own['&language='])
  return {
    at: 'page-request',
    raw,
    errand: errandOf(raw),
    flow,
    language: language !== null && isTag(language) ? language : null,
  }
}

/**
 * The address of a page: the same request, how far it has come, and the language that was chosen.
 * Reading it gives what is given here.
 *
 * @param baseUrl - where browsers reach the router
 */
export function pageAddress(
  baseUrl: URL,
  page: PageName,
  { raw, flow, language }: Pick<PageRequest, 'raw' | 'flow' | 'language'>,
): string {
  // A URL without a path has one slash all the same.
  const address = addressAt(baseUrl, `/oauth/${page}?${raw}`)
  const chosen = language === null ? '' : `&language=${language}`
  return `${address}${chosen}${flow === null ? '' : `&flow=${flow}`}`
}

type Own = Record<(typeof ours)[number], string[]>

function splitOwn(query: string): { readonly raw: string; readonly own: Own } {
  const own: Own = { '&flow=': [], '&language=': [] }
  let end = query.length
  // At 0 there is nothing left, and to search from before it is to find what was found before.
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

// The whole of it, or it is no errand: in an authorization request `then` is a parameter that we do
// not know.
function errandOf(raw: string): Errand | null {
  const match = /^then=(?:(account|logout)|device(?:&user_code=([A-Za-z-]{1,20}))?)$/.exec(raw)
  if (match === null) return null
  const [, name, userCode = null] = match
  return name === 'account' || name === 'logout' ? { name } : { name: 'device', userCode }
}
