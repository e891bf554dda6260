import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Soon } from '../lib/async.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { AcceptedDocument, AuthUser } from '../users/contract.js'

/**
 * Something that a user must do before a session opens anything:
 * - `change-password`: `mustChangePassword` of the user;
 * - `verify-address`: `accounts.provenAddress`;
 * - `enrol`: the policy of `secondFactor`;
 * - `accept`: a document of `acceptance`.
 */
export type RequiredAction = 'change-password' | 'verify-address' | 'enrol' | 'accept'

/** What the user of a session with these methods must still do, in order. Rejects with 503. */
export type RequiredOf = (
  user: AuthUser,
  methods: readonly StoredMethod[],
) => Soon<readonly RequiredAction[]>

export const nothingRequired: readonly RequiredAction[] = Object.freeze([])

/** Whether an action is due. Rejects with 503. */
export type IsDue = (user: AuthUser, methods: readonly StoredMethod[]) => Soon<boolean>

/** In the order in which they are done: nothing else is done with a password that others know. */
const order = ['change-password', 'verify-address', 'enrol', 'accept'] as const

/** `due`: for each action that the host's options know. */
export function createRequiredOf(due: Partial<Record<RequiredAction, IsDue>>): RequiredOf {
  const checks = order.flatMap((action) => {
    const isDue = Object.hasOwn(due, action) ? due[action] : undefined
    return isDue === undefined ? [] : [{ action, isDue }]
  })
  const pick = (answers: readonly boolean[]) =>
    checks.flatMap(({ action }, at) => (answers[at] === true ? [action] : []))
  return function requiredOf(user, methods) {
    const answers: Soon<boolean>[] = []
    let isNothing = true
    // A host without such options pays for no promise, and for few calls.
    for (const { isDue } of checks) {
      const answer = isDue(user, methods)
      isNothing &&= answer === false
      answers.push(answer)
    }
    return isNothing ? nothingRequired : Promise.all(answers).then(pick)
  }
}

/** Whether a user must set another password. A user without one owes none. */
export function mustChangePassword({ mustChangePassword: must, passwordHash }: AuthUser): boolean {
  return must === true && passwordHash !== null
}

/** The refusal of a session whose user must do these first. */
export function actionRequired(required: readonly RequiredAction[]): AuthError {
  return required[0] === 'enrol'
    ? new AuthError('second-factor-enrolment-required')
    : new AuthError('action-required', { details: { required } })
}

/** Members of the answer to a sign-in. */
export interface RequiredInAnswer {
  readonly enrolmentRequired?: true
  readonly required?: readonly RequiredAction[]
}

/** What a sign-in answers of the actions; nothing without any. */
export function requiredIn(required: readonly RequiredAction[]): RequiredInAnswer {
  if (required.length === 0) return {}
  return { ...(required.includes('enrol') && { enrolmentRequired: true as const }), required }
}

/** A document of yours that users accept, such as your terms. */
export interface AcceptanceDocument extends AcceptedDocument {
  /** For people, as the text of a link. */
  readonly name: string
  /** Where it can be read: an https or http URL. */
  readonly url: string
}

/** The documents, and what users have accepted of them. */
export interface Acceptance {
  /** Those that the user has not accepted yet. Rejects with 503. */
  readonly dueFor: (user: AuthUser) => Promise<readonly AcceptanceDocument[]>
  /** Rejects with 409 `superseded` for another version, and with 503. */
  readonly accept: (
    session: Pick<SessionRecord, 'id' | 'userId'>,
    given: readonly AcceptedDocument[],
    context: RequestContext,
  ) => Promise<void>
}
