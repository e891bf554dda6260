import { commonHeaders } from '../http/answer.js'
import type { OpenTo } from '../http/endpoint.js'

/** Headers of an answer, by name. */
export type AnswerHeaders = Readonly<Record<string, { readonly $ref: string }>>

/** Names of components, since some headers have several meanings. */
export type HeaderId =
  | 'NoStore'
  | 'Kept'
  | 'NoSniff'
  | 'NothingRuns'
  | 'RequestId'
  | 'Challenge'
  | 'MayChallenge'
  | 'RetryAfter'
  | 'Limit'
  | 'Remaining'
  | 'Reset'
  | 'Origin'
  | 'EveryOrigin'
  | 'Exposed'
  | 'Vary'
  | 'Location'
  | 'Set-Cookie'
  | 'Language'
  | 'Permissions'
  | 'NoFrame'
  | 'Referrer'
  | 'OwnSite'

interface Told {
  readonly name: string
  readonly description: string
  readonly required?: true
  readonly schema: object
}

const constant = (name: string): object => ({ type: 'string', enum: [commonHeaders[name]] })
const words = { type: 'string' }
const whole = { type: 'integer', minimum: 0 }

/** Every header, by the name of its component. */
const told: Readonly<Record<HeaderId, Told>> = {
  NoStore: {
    name: 'Cache-Control',
    description: 'No cache may store the answer.',
    required: true,
    schema: constant('Cache-Control'),
  },
  Kept: {
    name: 'Cache-Control',
    description: 'How long caches may store it.',
    required: true,
    schema: words,
  },
  NoSniff: {
    name: 'X-Content-Type-Options',
    description: 'Browsers must not guess the type.',
    required: true,
    schema: constant('X-Content-Type-Options'),
  },
  NothingRuns: {
    name: 'Content-Security-Policy',
    description: 'Browsers must not run or show the answer.',
    required: true,
    schema: words,
  },
  RequestId: {
    name: 'X-Request-Id',
    description: "The id of the request in the server's log.",
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  },
  Challenge: {
    name: 'WWW-Authenticate',
    description: 'The scheme for credentials (RFC 6750 §3).',
    required: true,
    schema: words,
  },
  MayChallenge: {
    name: 'WWW-Authenticate',
    description: 'What the token lacks, or the scheme that an app has used (RFC 6749 §5.2).',
    schema: words,
  },
  RetryAfter: {
    name: 'Retry-After',
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: whole,
  },
  Limit: { name: 'RateLimit-Limit', description: 'Allowed requests.', schema: whole },
  Remaining: { name: 'RateLimit-Remaining', description: 'Remaining requests.', schema: whole },
  Reset: {
    name: 'RateLimit-Reset',
    description: 'Seconds until the limit resets.',
    schema: whole,
  },
  Origin: {
    name: 'Access-Control-Allow-Origin',
    description: 'For pages of other origins that the server allows.',
    schema: words,
  },
  EveryOrigin: {
    name: 'Access-Control-Allow-Origin',
    description: 'Pages of every origin may call it.',
    required: true,
    schema: { type: 'string', enum: ['*'] },
  },
  Exposed: {
    name: 'Access-Control-Expose-Headers',
    description: 'The headers that such a page may read.',
    schema: words,
  },
  Vary: { name: 'Vary', description: 'Request headers that change the answer.', schema: words },
  Location: {
    name: 'Location',
    description: 'The next address of the browser.',
    required: true,
    schema: words,
  },
  'Set-Cookie': {
    name: 'Set-Cookie',
    description: 'A new or deleted cookie.',
    schema: words,
  },
  Language: { name: 'Content-Language', description: 'The language of the page.', schema: words },
  Permissions: {
    name: 'Permissions-Policy',
    description: 'Features of the device that the page may use.',
    required: true,
    schema: words,
  },
  NoFrame: {
    name: 'X-Frame-Options',
    description: 'No page may frame this page.',
    required: true,
    schema: words,
  },
  Referrer: {
    name: 'Referrer-Policy',
    description: 'The referrer that links from the page send.',
    required: true,
    schema: words,
  },
  OwnSite: {
    name: 'Cross-Origin-Resource-Policy',
    description: 'No other site may load the page.',
    required: true,
    schema: words,
  },
}

/** The properties of an answer that decide its headers. */
export interface AnswerKind {
  readonly status: number
  /** Whether the endpoint is for apps, which have their own schemes. */
  readonly ofApps: boolean
  readonly openTo: OpenTo | undefined
  /** Whether it has the headers of a limit. */
  readonly limited: boolean
}

/** The headers of an answer: the common headers, the headers of its kind, and `also`. */
export function headersOf(kind: AnswerKind, also: readonly HeaderId[] = []): AnswerHeaders {
  const ids: HeaderId[] = [
    ...(also.includes('Kept') ? [] : (['NoStore'] as const)),
    'NoSniff',
    'NothingRuns',
    'RequestId',
    ...originOf(kind.openTo),
    ...(kind.limited ? (['Limit', 'Remaining', 'Reset'] as const) : []),
    ...refusalOf(kind),
    ...also,
  ]
  return Object.fromEntries(
    ids.map((id) => [told[id].name, { $ref: `#/components/headers/${id}` }]),
  )
}

/** Further headers of HTML pages. */
export const pageHeaders: readonly HeaderId[] = [
  'Language',
  'NoFrame',
  'Referrer',
  'OwnSite',
  'Permissions',
  'Vary',
]

function originOf(openTo: OpenTo | undefined): readonly HeaderId[] {
  if (openTo === 'own-origin') return []
  return openTo === 'every-origin' ? ['EveryOrigin', 'Exposed'] : ['Origin', 'Exposed', 'Vary']
}

function refusalOf({ status, ofApps }: AnswerKind): readonly HeaderId[] {
  if (status === 401) return [ofApps ? 'MayChallenge' : 'Challenge']
  if (status === 403) return ['MayChallenge']
  return status === 429 || status === 503 ? ['RetryAfter'] : []
}

/** The components with these ids. */
export function headerComponents(ids: ReadonlySet<string>): object {
  return Object.fromEntries(
    Object.entries(told)
      .filter(([id]) => ids.has(id))
      .map(([id, { name: _name, ...header }]) => [id, header]),
  )
}
