import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { AuthConfigError, AuthError } from '../errors.js'
import type { RequestContext } from '../events.js'
import { readCredentials } from '../http/credentials.js'
import { contextOf, isForClient } from '../http/endpoint.js'
import { writeProblem } from '../http/problem.js'
import type { Principal, SignedIn } from './principal.js'
import type { Recognise } from './recognise.js'

declare global {
  namespace Express {
    interface Request {
      /** Who is asking. Set by `requireAuth()`; on a route without it, and for a stranger in its `optional` mode, undefined. */
      auth: Principal
    }
  }
}

/** What a route asks of whoever wants in. */
export interface RequireAuthOptions {
  /** Lets a request without credentials through, with `req.auth` undefined. Wrong credentials are still refused. Default false. */
  readonly optional?: boolean
  /** Scopes the token must hold, all of them; a token with `*` holds every one. Default: none. Refusal: 403 `forbidden`. */
  readonly scope?: string | readonly string[]
  /** The longest time since the user last proved who they are, in seconds. Default: any. Refusal: 403 `reauthentication-required`. */
  readonly maxAge?: number
}

/** Express middleware, typed without Express so that it fits hosts on version 4 and 5. */
export type Guard = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** What guarding needs. */
export interface RequireAuthDeps {
  readonly recognise: Recognise
  readonly signedIn: SignedIn
  readonly clock: () => Date
}

/** Makes `requireAuth`, which throws {@link AuthConfigError} for an option it does not know. */
export function createRequireAuth(deps: RequireAuthDeps): (options?: RequireAuthOptions) => Guard {
  const { recognise, signedIn, clock } = deps
  return (options = {}) => {
    const { optional, maxAge, scopes } = checkOptions(options)
    const isScoped = (principal: Principal) => holdsAll(principal, scopes)
    const isFresh = (principal: Principal) => maxAge === undefined || isSignedInSince(principal, maxAge, clock())

    async function admit(request: IncomingMessage, context: RequestContext): Promise<Principal | undefined> {
      if (optional && readCredentials(request) === null) return undefined
      const { principal } = await signedIn(request, context)
      if (!isScoped(principal)) throw missingScope(scopes)
      if (!isFresh(principal)) throw new AuthError('reauthentication-required', { details: { maxAge } })
      return principal
    }

    // Whatever is thrown here says nothing; and thrown at Express, nothing at all (`undefined`) would let the request in.
    function admitAtOnce(request: IncomingMessage): Principal | null {
      try {
        const known = recognise(request)
        return known !== null && isScoped(known) && isFresh(known) ? known : null
      } catch {
        return null
      }
    }

    return (request, response, next) => {
      const known = admitAtOnce(request)
      if (known !== null) {
        pass(request, known, next)
        return
      }
      Promise.resolve()
        .then(() => admit(request, contextOf(request)))
        .then(
          (principal) => pass(request, principal, next),
          (error: unknown) => refuse(response, error, next),
        )
        .catch(next)
    }
  }
}

function refuse(response: ServerResponse, error: unknown, next: (error: unknown) => void): void {
  if (isForClient(error)) writeProblem(response, error, 'plain')
  else next(error ?? new Error('the guard rejected without a reason'))
}

function pass(request: IncomingMessage & { auth?: unknown }, principal: Principal | undefined, next: () => void): void {
  request.auth = principal
  next()
}

const word = z.string().regex(/^[!#-[\]-~]+$/)
const schema = z.strictObject({
  optional: z.boolean().optional(),
  scope: z.union([word, z.array(word)]).optional(),
  maxAge: z.number().nonnegative().optional(),
})

// A misspelt condition would be no condition, and a polluted Object.prototype could make every guard optional.
function checkOptions(options: RequireAuthOptions) {
  const { optional = false, scope = [], maxAge } = parseOwn(options)
  return { optional, maxAge, scopes: [scope].flat() }
}

function parseOwn(options: RequireAuthOptions): RequireAuthOptions {
  const parsed = schema.safeParse(Object.assign(Object.create(null), options))
  if (parsed.success) return Object.assign(Object.create(null), parsed.data)
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: '' }
  const remedy = 'pass optional (true or false), scope (a word or a list of words) and maxAge (seconds), or leave them out.'
  throw new AuthConfigError(['requireAuth', ...path].join('.'), `${message}.`, remedy)
}

function holdsAll({ scope }: Principal, required: readonly string[]): boolean {
  return scope.includes('*') || required.every((name) => scope.includes(name))
}

function missingScope(required: readonly string[]): AuthError {
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${required.join(' ')}"` }
  return new AuthError('forbidden', { headers, message: 'scope missing' })
}

function isSignedInSince({ authenticatedAt }: Principal, maxAge: number, now: Date): boolean {
  return now.getTime() - authenticatedAt.getTime() <= maxAge * 1000
}
