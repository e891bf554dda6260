import { forgetRejection } from '../lib/async.js'
import {
  type Answers,
  bool,
  type Check,
  date,
  failClosed,
  ifThere,
  optional,
  orNull,
  outcome,
  record,
  requireExpected,
  text,
  theOneAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { AuthUser, NewUser, UserContact, UserCreation, UserStore } from './contract.js'

/**
 * Wraps the host's user store: a failure is 503. An answer that is not a user, or is another user,
 * is 503, too. `undefined`, which many database libraries return for a missing row, counts as null.
 * An optional method exists if the store has it.
 */
export function failClosedUsers(store: UserStore, call: HostCall): UserStore {
  const { findContact } = store
  return {
    findByIdentifier: (identifier) =>
      call('users.findByIdentifier', () => store.findByIdentifier(identifier), anyUserOrNull),
    findById: (userId) =>
      call('users.findById', () => store.findById(userId), thatUserOrNull, userId),
    ...failClosed<UserWrites>('users', store, call, writes),
    ...(findContact === undefined
      ? {}
      : {
          findContact: (userId: string) =>
            call('users.findContact', () => findContact.call(store, userId), contactOrNull),
        }),
    ...(store.create === undefined
      ? {}
      : {
          create: (user: NewUser) => call('users.create', () => store.create?.(user), creationOf),
        }),
  }
}

/** The methods that write. */
type UserWrites = Pick<
  UserStore,
  | 'updatePasswordHash'
  | 'requirePasswordChange'
  | 'accepted'
  | 'updateEmail'
  | 'markEmailVerified'
  | 'setEmailFactor'
  | 'updatePhone'
  | 'setPhoneFactor'
  | 'nameIsFree'
  | 'delete'
>

const writes: Answers<UserWrites> = {
  updatePasswordHash: ifThere(bool),
  requirePasswordChange: ifThere(bool),
  accepted: ifThere(unread),
  updateEmail: ifThere({ changed: {}, superseded: {}, taken: {} }),
  markEmailVerified: ifThere(bool),
  setEmailFactor: ifThere(unread),
  updatePhone: ifThere({ changed: {}, superseded: {}, taken: {} }),
  setPhoneFactor: ifThere(unread),
  nameIsFree: ifThere(bool),
  delete: ifThere(unread),
}

const isId: Check = (value) =>
  typeof value === 'string' && value !== '' ? null : 'is not a non-empty string'
const userShape = {
  id: isId,
  username: text,
  name: text,
  disabled: optional(orNull(bool)),
  mustChangePassword: optional(orNull(bool)),
  passwordUntil: optional(orNull(date)),
}
const anyUser = record<AuthUser>(userShape)
const thatUser = record<AuthUser>({ ...userShape, id: theOneAsked })

// Returns the object itself, not a copy: `describeUser` and `beforeLogin` need the host's fields.
// Does not check the password hash: an unreadable one must look like a wrong password.
function acceptUser(check: Check): (answer: unknown, asked: unknown) => AuthUser | null {
  return function userOrNull(answer, asked) {
    if (answer === null || answer === undefined) return null
    const user = withoutPollution(answer as Partial<Record<keyof AuthUser, unknown>>)
    forgetRejection(user.passwordHash)
    requireExpected(check(user, [asked]))
    return user as AuthUser
  }
}

const anyUserOrNull = acceptUser(anyUser)
const thatUserOrNull = acceptUser(thatUser)

const isTaken: Check = (value) =>
  value === 'email' || value === 'username' ? null : 'is neither email nor username'
const creation = outcome({ created: { user: anyUser }, taken: { field: isTaken } })

function creationOf(answer: unknown): UserCreation {
  requireExpected(creation(answer, undefined))
  const made = answer as UserCreation
  if (made.outcome === 'taken') return made
  return { outcome: 'created', user: anyUserOrNull(made.user, undefined) as AuthUser }
}

const contactShape = record<UserContact>({
  email: orNull(text),
  emailVerified: bool,
  locale: optional(orNull(text)),
  emailFactor: optional(orNull(bool)),
  phone: orNull(text),
  phoneVerified: optional(orNull(bool)),
  phoneFactor: optional(orNull(bool)),
})

// A copy: a polluted Object.prototype must neither prove an address nor name one, and a missing
// column is a fault of the store that its author must learn of.
function contactOrNull(answer: unknown): UserContact | null {
  if (answer === null || answer === undefined) return null
  const given = Object(answer) as Record<keyof UserContact, unknown>
  const own = (name: keyof UserContact) => (isOfItsOwn(given, name) ? given[name] : undefined)
  const contact = {
    email: own('email') ?? null,
    emailVerified: own('emailVerified'),
    locale: own('locale') ?? null,
    emailFactor: own('emailFactor') ?? false,
    phone: own('phone') ?? null,
    phoneVerified: own('phoneVerified') ?? false,
    phoneFactor: own('phoneFactor') ?? false,
  }
  for (const value of Object.values(contact)) forgetRejection(value)
  requireExpected(contactShape(contact))
  return Object.freeze(contact) as UserContact
}

const fields = [
  'id',
  'username',
  'name',
  'status',
  'passwordHash',
  'disabled',
  'mustChangePassword',
  'passwordUntil',
  'locale',
] as const

// A missing column must not come from a polluted Object.prototype, where a hash would be the
// password of all users. Members of the object's own class, such as getters, are fine.
function withoutPollution(
  user: Partial<Record<keyof AuthUser, unknown>>,
): Partial<Record<keyof AuthUser, unknown>> {
  const inherited: (typeof fields)[number][] = []
  for (const field of fields)
    if (field in Object.prototype && !isOfItsOwn(user, field)) inherited.push(field)
  if (inherited.length === 0) return user
  return Object.create(
    user,
    Object.fromEntries(inherited.map((field) => [field, { value: nothing[field] }])),
  )
}

const nothing: Partial<Record<keyof AuthUser, unknown>> = Object.assign(Object.create(null), {
  passwordHash: null,
})

function isOfItsOwn(object: object, field: string): boolean {
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    if (Object.hasOwn(at, field)) return true
  }
  return false
}
