import { type AuthClientError, isRefusal } from './errors.js'
import { isText, type WireRequest } from './transport.js'
import type { RequiredAction } from './wire.js'

type Actions = readonly RequiredAction[]

/** What a user must do first, and whether an enrolment is part of it. */
export interface Demands {
  readonly enrolmentRequired: boolean
  readonly required: Actions
}

/** The actions in an answer. Those that a newer server has added stay: they are due, too. */
export const actionsIn = (given: unknown): Actions =>
  Array.isArray(given) ? (given.filter(isText) as Actions) : []

/** The members of a session whose user must do these first. */
export const requiring = (required: Actions): Demands => ({
  enrolmentRequired: required.includes('enrol'),
  required,
})

/** What a session requires after a refusal; null if that says nothing new. */
export function afterRefusal({ required }: Demands, error: unknown): Demands | null {
  const isEnrolment = isRefusal(error, 'second-factor-enrolment-required')
  // It does not name what comes after, which may be known.
  if (isEnrolment) return required[0] === 'enrol' ? null : requiring(['enrol'])
  if (!isRefusal(error, 'action-required')) return null
  const now = actionsIn((error as AuthClientError).details['required'])
  return now.length === 0 || now.join() === required.join() ? null : requiring(now)
}

const doneBy: Readonly<Record<string, RequiredAction>> = {
  'POST /auth/password/change': 'change-password',
  'POST /auth/email/confirm': 'verify-address',
  'POST /auth/totp/confirm': 'enrol',
  'POST /auth/passkeys': 'enrol',
}

/** What a session requires after an answer; null if that has done nothing of it. */
export function afterAnswer(
  { enrolmentRequired, required }: Demands,
  { method, path }: WireRequest,
  answer: unknown,
): Demands | null {
  const { documents } = Object(Object(answer).data) as { readonly documents?: unknown[] }
  const hasAccepted = path === '/auth/acceptance' && documents?.length === 0
  const done = hasAccepted ? 'accept' : doneBy[`${method} ${path}`]
  const left = required.filter((one) => one !== done)
  // A session of before knows the enrolment alone.
  const isNew = left.length < required.length || (done === 'enrol' && enrolmentRequired)
  return isNew ? requiring(left) : null
}
