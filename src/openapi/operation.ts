import type { z } from 'zod'
import type { AuthErrorCode } from '../errors.js'
import type { OpenTo } from '../http/endpoint.js'
import type { ProblemStyle } from '../http/problem-names.js'
import type { HeaderId } from './headers.js'

/** The chapters of the interface, in the order in which they are to be read. */
export const tags = {
  'Signing in': 'Ways to a session, and to fresh tokens of one.',
  'The session': 'What somebody who is signed in asks of it.',
  'Named tokens': 'For bots and scripts.',
  'The second factor': 'TOTP and recovery codes.',
  Passkeys: 'Signing in by them, looking after them, and proving anew who one is.',
  Apps: 'OAuth 2.1 and OpenID Connect, for apps of others.',
  Keys: 'For services that check access tokens themselves.',
} as const

/** One chapter. */
export type Tag = keyof typeof tags

/**
 * Who may ask. `signed-in`: with any token of a user, `full-scope`: with one that may do all that
 * its user may. `app`: an app by its own credentials, `app-token`: by an access token that it was
 * given, `browser`: by the cookie, if at all.
 */
export type Who = 'anybody' | 'signed-in' | 'full-scope' | 'app' | 'app-token' | 'browser'

/** What goes into a request, or comes with an answer, in which fields may be added later. */
export type Fields = z.ZodObject

/** A body. */
export interface Body {
  readonly fields: Fields
  /** Forms, in which nothing but `resource` may be repeated: besides JSON, or alone. */
  readonly form?: 'too' | 'only'
}

/** An answer that is no refusal. */
export interface Success {
  readonly what: string
  /** Null: there is no body. */
  readonly body: Fields | 'html' | null
  /** Besides what every answer has. */
  readonly headers?: readonly HeaderId[]
}

/** One request, and all that may be answered to it. */
export interface Operation {
  /** As it is mounted, such as `DELETE /auth/sessions/:id`. */
  readonly route: `${'GET' | 'POST' | 'DELETE'} /${string}`
  /** What clients that are generated call it. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly notes?: readonly string[]
  readonly who: Who
  /** More of who may ask. */
  readonly whoElse?: string
  /** Open to somebody who must have a second factor and has none yet. */
  readonly whileEnrolling?: boolean
  /** Without it the route is not there, such as "the store `tickets`". */
  readonly thereWith?: string
  readonly style?: ProblemStyle
  readonly openTo?: OpenTo
  /** Whether the answer tells how a limit stands. */
  readonly limited?: boolean
  /** Headers of the request, but those that say who asks. */
  readonly sends?: Fields
  readonly query?: Fields
  /** What stands in the path, by the name that it has there. */
  readonly inPath?: Readonly<Record<string, string>>
  readonly body?: Body
  /** By status. */
  readonly answers: Readonly<Record<number, Success>>
  /** By their names in the catalogue, which knows the status. */
  readonly refusals: readonly AuthErrorCode[]
  /** Statuses whose refusal is a page for people. */
  readonly pages?: Readonly<Record<number, string>>
}
