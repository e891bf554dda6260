import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Router } from 'express'
import { AuthError } from '../errors.js'
import type { RequestContext } from '../events.js'
import { type Answer, writeAnswer } from './answer.js'
import { type JsonBody, readJsonBody } from './body.js'
import { clientAddress } from './client-address.js'
import { type ProblemStyle, writeProblem } from './problem.js'

/** What an endpoint sees of a request. */
export interface EndpointRequest {
  readonly incoming: IncomingMessage
  readonly context: RequestContext
  /** The parts of the path that are named with a colon. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Reads the body when the endpoint is ready for it, which is after it knows who is asking. */
  readJson(): Promise<JsonBody>
  /** Headers that go with the answer, whichever it becomes. */
  readonly setHeaders: SetHeaders
  /** Is aborted when the client hangs up, or was answered. */
  hungUp(): AbortSignal
}

/** Sets headers of an answer that is still to be made. */
export type SetHeaders = (headers: Readonly<Record<string, string>>) => void

/** One route: a request in, an answer out. It throws {@link AuthError} for every answer that is not a success. */
export type Endpoint = (request: EndpointRequest) => Promise<Answer>

// What of an Express request is used beyond Node's own.
type ExpressRequest = IncomingMessage & { readonly params?: EndpointRequest['parameters'] }

type Method = 'GET' | 'POST' | 'DELETE'

/** The endpoints of one path, by method. */
export type Endpoints = Partial<Record<Method, Endpoint>>

/** Routes: path, endpoints, style of errors. Null stands for a route that the host has not provided for. */
export type Routes = readonly (readonly [path: string, endpoints: Endpoints | null, style?: ProblemStyle])[]

/**
 * Mounts routes. Any other method on a path is 405 with `Allow`, which Express alone would answer
 * with 404. What was not foreseen goes to the host's error handler.
 */
export function mountAll(router: Router, routes: Routes): Router {
  for (const [path, endpoints, style = 'plain'] of routes) {
    if (endpoints === null) continue
    const byMethod = new Map(Object.entries(endpoints))
    const allow = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    router.all(path, (request, response, next) => {
      const endpoint = byMethod.get(request.method === 'HEAD' ? 'GET' : request.method) ?? methodNotAllowed(allow)
      answer(endpoint, request, response, style).catch(next)
    })
  }
  return router
}

/** The context of a request, as events and sessions record it. */
export function contextOf(request: IncomingMessage & { readonly id?: unknown }): RequestContext {
  const given = request.id
  return {
    requestId: isRequestId(given) ? String(given) : randomUUID(),
    ip: clientAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, 512) ?? null,
  }
}

// What the host's logger calls the request; anything that could forge a log line is not taken over.
function isRequestId(given: unknown): boolean {
  return Number.isSafeInteger(given) || (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given))
}

// A rejection must never leave this function with nothing: `next(undefined)` would send the request on as if unanswered.
async function answer(endpoint: Endpoint, incoming: ExpressRequest, response: ServerResponse, style: ProblemStyle): Promise<void> {
  try {
    const readJson = () => readJsonBody(incoming)
    const setHeaders: SetHeaders = (headers) => {
      if (response.headersSent) return
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    }
    const hungUp = () => closing(response)
    const parameters = incoming.params ?? {}
    writeAnswer(response, await endpoint({ incoming, context: contextOf(incoming), parameters, readJson, setHeaders, hungUp }))
  } catch (error) {
    if (!isForClient(error)) throw error ?? new Error('an endpoint rejected without a reason')
    writeProblem(response, error, style)
  }
}

// The request's own `close` comes when its body was read; the answer's comes when its connection is gone.
function closing(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (response.destroyed) left.abort()
  else response.once('close', () => left.abort())
  return left.signal
}

/** Whether an error is one that clients are told about. */
export function isForClient(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code !== 'configuration'
}

function methodNotAllowed(allow: string): Endpoint {
  return async () => {
    throw new AuthError('method-not-allowed', { headers: { Allow: allow } })
  }
}
