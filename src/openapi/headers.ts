import { commonHeaders } from '../http/answer.js'
import type { OpenTo } from '../http/endpoint.js'

/** Headers of an answer, by name; those that are required are on every such answer. */
export type AnswerHeaders = Readonly<Record<string, { readonly $ref: string }>>

/** What components have a header under: some headers have several meanings. */
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

/** Every header, by the name that components have it under. */
const told: Readonly<Record<HeaderId, Told>> = {
  NoStore: {
    name: 'Cache-Control',
    description: 'Nothing may keep an answer.',
    required: true,
    schema: constant('Cache-Control'),
  },
  Kept: {
    name: 'Cache-Control',
    description: 'How long it may be kept.',
    required: true,
    schema: words,
  },
  NoSniff: {
    name: 'X-Content-Type-Options',
    description: 'The type is as it is said.',
    required: true,
    schema: constant('X-Content-Type-Options'),
  },
  NothingRuns: {
    name: 'Content-Security-Policy',
    description: 'Nothing in an answer may run or be shown.',
    required: true,
    schema: words,
  },
  RequestId: {
    name: 'X-Request-Id',
    description: 'What the log of the server calls the request.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
  },
  Challenge: {
    name: 'WWW-Authenticate',
    description: 'By which scheme to say who asks (RFC 6750 §3).',
    required: true,
    schema: words,
  },
  MayChallenge: {
    name: 'WWW-Authenticate',
    description: 'What the token lacks, or the scheme by which an app has come (RFC 6749 §5.2).',
    schema: words,
  },
  RetryAfter: {
    name: 'Retry-After',
    description: 'Seconds after which a repetition makes sense.',
    required: true,
    schema: whole,
  },
  Limit: { name: 'RateLimit-Limit', description: 'How much is allowed.', schema: whole },
  Remaining: { name: 'RateLimit-Remaining', description: 'How much is left.', schema: whole },
  Reset: {
    name: 'RateLimit-Reset',
    description: 'Seconds after which there is more.',
    schema: whole,
  },
  Origin: {
    name: 'Access-Control-Allow-Origin',
    description: 'For pages of other origins, where the server lets them.',
    schema: words,
  },
  EveryOrigin: {
    name: 'Access-Control-Allow-Origin',
    description: 'Pages of every origin may ask.',
    required: true,
    schema: { type: 'string', enum: ['*'] },
  },
  Exposed: {
    name: 'Access-Control-Expose-Headers',
    description: 'What such a page may read.',
    schema: words,
  },
  Vary: { name: 'Vary', description: 'Which headers of the request matter.', schema: words },
  Location: {
    name: 'Location',
    description: 'Where the browser goes.',
    required: true,
    schema: words,
  },
  'Set-Cookie': {
    name: 'Set-Cookie',
    description: 'What the browser keeps, where that is new.',
    schema: words,
  },
  Language: { name: 'Content-Language', description: 'Of the page.', schema: words },
  Permissions: {
    name: 'Permissions-Policy',
    description: 'What of the device a page may use.',
    required: true,
    schema: words,
  },
  NoFrame: {
    name: 'X-Frame-Options',
    description: 'No page may frame it.',
    required: true,
    schema: words,
  },
  Referrer: {
    name: 'Referrer-Policy',
    description: 'What links from it say.',
    required: true,
    schema: words,
  },
  OwnSite: {
    name: 'Cross-Origin-Resource-Policy',
    description: 'No other site may load it.',
    required: true,
    schema: words,
  },
}

/** What the headers of an answer depend on. */
export interface AnswerKind {
  readonly status: number
  /** Of an endpoint for apps, which come by schemes of their own. */
  readonly ofApps: boolean
  readonly openTo: OpenTo | undefined
  /** Whether it tells how a limit stands. */
  readonly limited: boolean
}

/** The headers of an answer: those that each has, those of its kind, and some of its own. */
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

/** What pages for people have besides. */
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
