import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Router } from 'express'
import { AuthConfigError, AuthError } from '../errors.js'
import type { Guard } from '../guard/http-guard.js'
import { type Answer, writeAnswer } from '../http/answer.js'
import type { AnswerCors } from '../http/cors.js'
import { isForClient } from '../http/endpoint.js'
import { type ProblemNames, writeProblem } from '../http/problem.js'
import { systemClock } from '../lib/check-options.js'
import type { Principal } from '../principal/principal.js'

/** A request, as endpoints see it. */
export interface RocketChatRequest {
  readonly incoming: IncomingMessage
  /** The caller, behind a guard. */
  readonly principal: Principal
  /** Receives the `RateLimit-*` headers of the attempt. */
  readonly setLimits: (headers: Readonly<Record<string, string>>) => void
}

/** Throws AuthError for every answer that is not a success. */
export type RocketChatEndpoint = (request: RocketChatRequest) => Promise<Answer>

/** Mounts one endpoint; without a guard it admits unauthenticated requests. */
export type Mount = (
  method: 'GET' | 'POST',
  path: string,
  guard: Guard | null,
  endpoint: RocketChatEndpoint,
) => void

type Next = (error?: unknown) => void

export function createMount(router: Router, answerCors: AnswerCors | null): Mount {
  return function mount(method, path, guard, endpoint) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
    const isSignIn = guard === null
    router.all(path, (request, response, next: Next) => {
      const proceed = (error?: unknown) => {
        if (error === undefined) answer(endpoint, isSignIn, request, response).catch(next)
        else next(error)
      }
      if (answerCors?.(request, response, methods) === true) return
      if (methods.includes(request.method)) (guard ?? letIn)(request, response, proceed)
      else refuseMethod(request, response, methods, next)
    })
  }
}

const letIn: Guard = (_request, _response, next) => next()

async function answer(
  endpoint: RocketChatEndpoint,
  isSignIn: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Admitted by the guard, or mounted without one.
  const { auth: principal } = request as IncomingMessage & { auth: Principal }
  const setLimits = (headers: Readonly<Record<string, string>>) => {
    if (!response.headersSent) setHeaders(response, { ...headers, ...oldNames(headers) })
  }
  try {
    writeAnswer(response, await endpoint({ incoming: request, principal, setLimits }))
  } catch (error) {
    // Rocket.Chat's clients cannot read the page of a host's error handler, and the request is not
    // at fault.
    if (error instanceof AuthConfigError) warnOnce(error)
    else if (!isForClient(error)) throw error ?? new Error('an endpoint rejected without a reason')
    if (!response.headersSent) setHeaders(response, oldNames(error.headers))
    writeProblem(response, error, 'plain', namesOf(error, isSignIn, request))
  }
}

const warned = new Set<string>()

function warnOnce({ message }: AuthConfigError): void {
  if (warned.has(message)) return
  warned.add(message)
  process.emitWarning(message, { code: 'MAR_MISCONFIGURED' })
}

function refuseMethod(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
  next: Next,
): void {
  // The router answers preflights of allowed origins.
  if (request.method === 'OPTIONS') {
    next()
    return
  }
  const headers = { Allow: methods.join(', ') }
  writeProblem(response, new AuthError('method-not-allowed', { headers }), 'plain')
}

// The names of refusals in Rocket.Chat's API, if they differ.
function namesOf(error: AuthError, isSignIn: boolean, request: IncomingMessage): ProblemNames {
  if (isSignIn && error.code === 'too-many-requests' && error.limit !== undefined)
    return { error: `error-login-blocked-for-${error.limit === 'network' ? 'ip' : 'user'}` }
  const asksForCode = error.code === 'totp-required' || error.code === 'totp-invalid'
  return asksForCode && opensOnly400(request) ? { status: 400 } : {}
}

// @rocket.chat/api-client asks its user for the code only if the answer is a 400. It is recognised
// by this header, which it sends with every POST; other clients send another value, or several.
function opensOnly400({ headers }: IncomingMessage): boolean {
  return headers.accept === 'application/json'
}

/** `X-RateLimit-*`, with the reset as a time in milliseconds. */
function oldNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  const {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': left,
    'RateLimit-Reset': reset,
  } = headers
  if (limit === undefined || left === undefined || reset === undefined) return {}
  return {
    'X-RateLimit-Limit': limit,
    'X-RateLimit-Remaining': left,
    'X-RateLimit-Reset': String(systemClock().getTime() + Number(reset) * 1000),
  }
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}
