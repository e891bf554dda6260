import { z } from 'zod'
import type { SessionSummary } from '../account/own-sessions.js'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type Answer, ok } from '../http/answer.js'
import { type JsonBody, readJsonBody, readJsonOrFormBody } from '../http/body.js'
import { readCredentials, singleHeader } from '../http/credentials.js'
import { parseInput } from '../http/input.js'
import type { Principal } from '../principal/principal.js'
import type { AuthRouter } from '../router/auth-router.js'
import { isKnownKind } from '../stores/stored-values.js'
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
  const { userId, token, session, me, enrolmentRequired, required } = await auth
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
  const actions = required === undefined ? {} : { enrolmentRequired, required }
  return loggedIn({ userId, authToken: token, me, ...actions })
}

// Answers the client's token, without a new session: the client asks whether the token is still
// valid.
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

/** The endpoints of personal access tokens, which are the router's named tokens. */
export interface PersonalTokens {
  readonly generate: RocketChatEndpoint
  readonly regenerate: RocketChatEndpoint
  readonly remove: RocketChatEndpoint
  readonly list: RocketChatEndpoint
}

type NamedToken = Awaited<ReturnType<AuthRouter['namedTokens']['list']>>[number]

const named = z.object({ tokenName: z.string().trim().min(1).max(100) })

/** Clients address tokens by name; the ids are the router's. */
export function createPersonalTokens(
  namedTokens: AuthRouter['namedTokens'],
  sessions: Pick<AuthRouter['sessions'], 'list'>,
): PersonalTokens {
  async function asked({ incoming, principal }: RocketChatRequest) {
    await sessionsOfOwner(sessions, principal)
    const { tokenName: name } = parseInput(named, await readJsonBody(incoming))
    const all = await namedTokens.list(principal.userId)
    return { name, same: all.filter((token) => token.name === name) }
  }

  async function create({ principal }: RocketChatRequest, name: string, former?: NamedToken) {
    const { userId, sessionId } = principal
    const reach = former === undefined ? {} : reachOf(former)
    const { token } = await namedTokens.create({ userId, name, sessionId, ...reach })
    return ok({ success: true, token })
  }

  async function end({ principal }: RocketChatRequest, same: readonly { readonly id: string }[]) {
    if (same.length === 0) throw unfit('There is no token of this name.')
    await Promise.all(same.map(({ id }) => namedTokens.revoke(principal.userId, id)))
  }

  return {
    async generate(request) {
      const { name, same } = await asked(request)
      if (same.length > 0) throw unfit('There is a token of this name.')
      return create(request, name)
    },

    // The old one first: it may have been stolen.
    async regenerate(request) {
      const { name, same } = await asked(request)
      if (same.length > 1) throw unfit('There are several tokens of this name.')
      await end(request, same)
      return create(request, name, same[0])
    },

    async remove(request) {
      const { same } = await asked(request)
      await end(request, same)
      return ok({ success: true })
    },

    async list({ principal }) {
      requireOwner(principal)
      const tokens = (await namedTokens.list(principal.userId)).map((one) => ({
        name: one.name,
        createdAt: one.createdAt,
        // Rocket.Chat's clients do not know these two, and ignore them.
        scope: one.scope,
        expiresAt: one.expiresAt,
        // Of the public part of the token: the secret is not stored.
        lastTokenPart: one.id.slice(-6),
        bypassTwoFactor: false,
      }))
      return ok({ success: true, tokens })
    },
  }
}

// The new token gets the scope and the lifetime of the old one, which the host may have limited.
function reachOf({ scope, createdAt, expiresAt }: NamedToken) {
  const seconds = Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)
  return { scope, expiresIn: seconds }
}

function unfit(message: string) {
  return invalidRequest([{ path: 'tokenName', message }])
}

/** The endpoints by which users end their sessions. */
export interface UserSessions {
  readonly logout: RocketChatEndpoint
  readonly logoutOtherClients: RocketChatEndpoint
  readonly removeOtherTokens: RocketChatEndpoint
}

const whose = z.object({ userId: z.string().min(1).max(1024).optional() })

export function createUserSessions(sessions: AuthRouter['sessions']): UserSessions {
  const mine = (principal: Principal) => sessionsOfOwner(sessions, principal)

  return {
    // Ends all sessions, this one included. Ending the sessions of another user is left to the
    // host.
    async logout({ incoming, principal }) {
      const { userId = principal.userId } = parseInput(whose, await readJsonBody(incoming))
      await mine(principal)
      if (userId !== principal.userId) throw new AuthError('forbidden')
      await sessions.revokeAllForUser(userId)
      return ok({ success: true, message: "You've been logged out!" })
    },

    // Other devices, and those about to sign in, but not named tokens: users end these by name.
    async logoutOtherClients({ incoming, principal }) {
      await mine(principal)
      const { userId, sessionId: except } = principal
      await sessions.revokeAllForUser(userId, { except, keepNamedTokens: true })
      const token = readCredentials(incoming)?.token
      return ok({ success: true, token, tokenExpires: principal.expiresAt })
    },

    async removeOtherTokens({ principal }) {
      await mine(principal)
      await sessions.revokeAllForUser(principal.userId, { except: principal.sessionId })
      return ok({ success: true })
    },
  }
}

/**
 * The sessions of the caller. Throws 401 if the caller's session has ended: a guard may have
 * checked it some seconds ago, and a thief whose session has just ended must not end the owner's
 * sessions.
 */
async function sessionsOfOwner(
  sessions: Pick<AuthRouter['sessions'], 'list'>,
  principal: Principal,
): Promise<SessionSummary[]> {
  requireOwner(principal)
  const all = await sessions.list(principal.userId)
  if (all.some(({ id }) => id === principal.sessionId)) return all
  throw notSignedIn('the session has ended')
}

/**
 * Admits only sessions that may manage the account: no named token, whatever its scope. Throws 403.
 */
function requireOwner({ kind }: Principal): void {
  if (!isKnownKind(kind))
    throw new AuthError('forbidden', { message: 'a token cannot manage the account' })
}
