import { z } from 'zod'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type Answer, ok } from '../http/answer.js'
import { type JsonBody, readJsonOrFormBody } from '../http/body.js'
import { singleHeader } from '../http/credentials.js'
import { parseInput } from '../http/input.js'
import type { AuthRouter } from '../router/auth-router.js'
import type { Me } from '../users/me.js'
import type { RocketChatEndpoint, RocketChatRequest } from './mount.js'

/** The part of the router that a login uses. */
export type LoginAuth = Pick<AuthRouter, 'signIn' | 'authenticateToken' | 'me' | 'sessions'>

/** `POST /login`, in all forms that Rocket.Chat's clients send. */
export function createLogin(auth: LoginAuth, digestLogins: boolean): RocketChatEndpoint {
  return async function login(request) {
    const { incoming } = request
    // 400, 413, 415
    const body = await readJsonOrFormBody(incoming)
    const asked = readLogin(body, singleHeader(incoming, 'x-2fa-code') || null)
    // 401, 403, 503
    if ('resume' in asked) return resume(auth, asked.resume)
    if (asked.isDigest && !digestLogins)
      throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
    // 400, 401, 403, 429, 503
    return signIn(auth, asked, request)
  }
}

async function signIn(
  auth: LoginAuth,
  { name, email, password, isDigest, code }: NamedLogin,
  { incoming, setLimits }: RocketChatRequest,
): Promise<Answer> {
  const credentials = { ...name, password, ...(code === null ? {} : { code }) }
  const { userId, token, session, me, enrolmentRequired } = await auth
    .signIn(incoming, credentials, {
      onLimits: setLimits,
      ...(isDigest ? { digest: 'sha-256' } : {}),
    })
    .catch((error: unknown) => {
      throw error instanceof AuthError && error.code === 'Unauthorized'
        ? refused(error.message)
        : error
    })
  if (email !== null && !hasEmail(me, email)) {
    // Only after the password was right: others must not learn which address belongs to a user.
    await auth.sessions.revoke(session.id)
    throw refused('the e-mail address is not of that user')
  }
  const enrolment = enrolmentRequired === true ? { enrolmentRequired } : {}
  return loggedIn({ userId, authToken: token, me, ...enrolment })
}

// The same token again, without a new session: the client asks whether its token is still valid.
async function resume(auth: LoginAuth, authToken: string): Promise<Answer> {
  const { userId } = await auth.authenticateToken(authToken)
  const me = await auth.me(userId)
  if (me === null) throw notSignedIn('the user of the token is gone')
  return loggedIn({ userId, authToken, me })
}

/** Rocket.Chat's clients compare this text. */
function refused(message: string): AuthError {
  return new AuthError('Unauthorized', { clientMessage: 'Unauthorized', message })
}

function loggedIn(data: object): Answer {
  return ok({ status: 'success', data })
}

// In Rocket.Chat's form: `emails: [{ address, verified }]`, from the host's `describeUser`.
function hasEmail({ emails }: Me, email: string): boolean {
  return (
    Array.isArray(emails) &&
    emails.some((one: unknown) => {
      const { address } = (one ?? {}) as { address?: unknown }
      return typeof address === 'string' && address.toLowerCase() === email.toLowerCase()
    })
  )
}

/** A parsed login of a Rocket.Chat client. */
type RocketLogin = { readonly resume: string } | NamedLogin

/** A login by name and password. `auth.signIn` validates both. */
interface NamedLogin {
  /** One name. */
  readonly name: Readonly<Record<string, string>>
  /** The e-mail address sent along with a user name; it must belong to the same user. */
  readonly email: string | null
  readonly password: string
  /** Whether `password` is the SHA-256 of the password. */
  readonly isDigest: boolean
  readonly code: string | null
}

const text = z.string().min(1)
const object = z.custom<JsonBody>(isObject, 'Invalid input: expected an object')
const textOrObject = z.custom<string | JsonBody>(
  (value) => (typeof value === 'string' && value !== '') || isObject(value),
  'Invalid input: expected a text or an object',
)

const outer = z.object({
  resume: text.optional(),
  totp: object.optional(),
  user: textOrObject.optional(),
  username: text.optional(),
  email: text.optional(),
  password: textOrObject.optional(),
  code: text.optional(),
})
const person = z.object({ username: text.optional(), email: text.optional() })
const digested = z.object({
  digest: z.string().regex(/^[\da-f]{64}$/i, 'Invalid input: expected 64 hexadecimal digits'),
  algorithm: z.literal('sha-256'),
})
const withCode = z.object({ login: object, code: text })

/**
 * Parses the body of `POST /login`. `codeHeader` is the code of a client that sends it in a header;
 * a code in the body wins. Throws 400 naming each field at fault, 413.
 */
function readLogin(body: JsonBody, codeHeader: string | null): RocketLogin {
  const { resume, totp, ...login } = parseInput(outer, body)
  const others = Object.values(login).filter((value) => value !== undefined).length
  if (resume !== undefined) {
    if (others > 0 || totp !== undefined) throw at('resume', 'Send it alone.')
    return { resume }
  }
  if (totp === undefined) return namedLogin(login, codeHeader)
  if (others > 0) throw at('totp', 'Send the login within it, and nothing beside it.')
  const { login: inner, code } = parseInput(withCode, totp)
  const { resume: innerResume, totp: innerTotp, ...innerLogin } = parseInput(outer, inner)
  if (innerResume !== undefined || innerTotp !== undefined)
    throw at('totp.login', 'Send a name and a password in it.')
  return namedLogin({ ...innerLogin, code }, codeHeader)
}

type Login = Omit<z.output<typeof outer>, 'resume' | 'totp'>

function namedLogin(login: Login, codeHeader: string | null): NamedLogin {
  const { code = codeHeader } = login
  return { ...namesOf(login), ...passwordOf(login.password), code }
}

function namesOf({ user, username, email }: Login): Pick<NamedLogin, 'name' | 'email'> {
  const sent = Object.entries({ user, username, email }).filter(([, value]) => value !== undefined)
  if (sent.length === 1 && typeof user === 'string') return { name: { user }, email: null }
  if (sent.length === 1 && isObject(user)) {
    const inner = parseInput(person, user)
    if (inner.username !== undefined || inner.email !== undefined)
      return namesOf({ username: inner.username, email: inner.email })
  }
  if (user === undefined && username !== undefined)
    return { name: { username }, email: email ?? null }
  if (user === undefined && email !== undefined) return { name: { email }, email: null }
  throw at('user', 'Send one of user, username, email, or a user name and its e-mail address.')
}

function passwordOf(password: Login['password']): Pick<NamedLogin, 'password' | 'isDigest'> {
  if (password === undefined) throw at('password', 'Invalid input: expected string')
  if (typeof password === 'string') return { password, isDigest: false }
  return { password: parseInput(digested, password).digest, isDigest: true }
}

function isObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(path: string, message: string) {
  return invalidRequest([{ path, message }])
}
