import type { z } from 'zod'
import type { AuthErrorCode } from '../errors.js'
import type { OpenTo } from '../http/endpoint.js'
import type { ProblemStyle } from '../http/problem-names.js'
import type { HeaderId } from './headers.js'

/** The chapters of the interface, in reading order. */
export const tags = {
  'Signing in': 'Opening a session, and refreshing its tokens.',
  'The session': 'The session of the caller, and the other sessions of the user.',
  'Named tokens': 'For bots and scripts.',
  'The second factor': 'TOTP and recovery codes.',
  Passkeys: 'Sign-in with passkeys, their management, and reauthentication.',
  'The account': 'Passwords and addresses, with codes and links by mail.',
  'New accounts': 'Registration, and invitations.',
  'Other accounts': 'Signing in with an account somewhere else.',
  'Linked devices': 'A signed-in device signs another one in.',
  Apps: 'OAuth 2.1 and OpenID Connect, for third-party apps.',
  Keys: 'For services that verify access tokens themselves.',
} as const

/** One chapter. */
export type Tag = keyof typeof tags

/**
 * The caller. `signed-in`: any token of a user. `full-scope`: a token without a limited scope.
 * `app`: an app with its own credentials. `app-token`: an app with an access token. `browser`: with
 * the cookie or without.
 */
export type Who = 'anybody' | 'signed-in' | 'full-scope' | 'app' | 'app-token' | 'browser'

/** The members of a request or an answer; later versions may add some. */
export type Fields = z.ZodObject

/** A body. */
export interface Body {
  readonly fields: Fields
  /** Whether a form is accepted besides JSON, or alone. Only `resource` may repeat in it. */
  readonly form?: 'too' | 'only'
}

/** A successful answer. */
export interface Success {
  readonly what: string
  /** Null: no body. */
  readonly body: Fields | 'html' | null
  /** Besides the common headers. */
  readonly headers?: readonly HeaderId[]
}

/** One request and all its answers. */
export interface Operation {
  /** As mounted, such as `DELETE /auth/sessions/:id`. */
  readonly route: `${'GET' | 'POST' | 'DELETE'} /${string}`
  /** The name of the method in generated clients. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly notes?: readonly string[]
  readonly who: Who
  /** A further condition for the caller. */
  readonly whoElse?: string
  /** Whether a user who still lacks a required second factor may call it. */
  readonly whileEnrolling?: boolean
  /** Whether somebody who acts for a user may call it. Default: 403 `forbidden`. */
  readonly whileActing?: boolean
  /** The part that the route requires, such as "the store `tickets`". */
  readonly thereWith?: string
  readonly style?: ProblemStyle
  readonly openTo?: OpenTo
  /** Whether the answer has the headers of a limit. */
  readonly limited?: boolean
  /** Headers of the request, without the credentials. */
  readonly sends?: Fields
  readonly query?: Fields
  /** Parameters of the path, by name. */
  readonly inPath?: Readonly<Record<string, string>>
  readonly body?: Body
  /** By status. */
  readonly answers: Readonly<Record<number, Success>>
  /** Names in the catalogue of errors, which has the status. */
  readonly refusals: readonly AuthErrorCode[]
  /** Errors that are HTML pages, by status. */
  readonly pages?: Readonly<Record<number, string>>
}

/** Errors of every endpoint that reads a body. */
export const ofBodies: readonly AuthErrorCode[] = [
  'invalid-request',
  'payload-too-large',
  'unsupported-media-type',
]

/** Errors of every login. */
export const loginRefusals: readonly AuthErrorCode[] = [
  ...ofBodies,
  'Unauthorized',
  'totp-required',
  'totp-invalid',
  'forbidden',
  'too-many-requests',
  'temporarily-unavailable',
]

/** Errors of every endpoint that requires a signed-in user. */
export const ofSignedIn: readonly AuthErrorCode[] = [
  'invalid-request',
  'Unauthorized',
  'temporarily-unavailable',
]

/** Errors of the endpoints that set up a second factor. */
export const whileEnrolling: readonly AuthErrorCode[] = [
  ...ofSignedIn,
  'forbidden',
  'action-required',
]

/** Errors of every endpoint that requires a token with full scope. */
export const ofFullScope: readonly AuthErrorCode[] = [
  ...ofSignedIn,
  'forbidden',
  'second-factor-enrolment-required',
  'action-required',
]

/** Errors of every endpoint that asks for a proof. */
export const ofProof: readonly [
  'totp-required',
  'totp-invalid',
  'password-expired',
  'too-many-requests',
] = ['totp-required', 'totp-invalid', 'password-expired', 'too-many-requests']
