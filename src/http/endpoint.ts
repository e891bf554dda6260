import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, Router } from 'express'
import type { RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { type AnyAnswer, writeAnswer } from './answer.js'
import { type JsonBody, readJsonBody } from './body.js'
import { clientAborted } from './client-abort.js'
import { type AnswerCors, createOpenCors } from './cors.js'
import { writeProblem } from './problem.js'
import type { ProblemStyle } from './problem-names.js'
import { createNoticeProxies } from './proxy-notices.js'
import type { Contexts } from './request-context.js'
import type { WarnOnce } from './warn-once.js'

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
  /** Is aborted when the client disconnects, or was answered. */
  aborted(): AbortSignal
}

/** Sets headers of an answer that is still to be made. */
export type SetHeaders = (headers: Readonly<Record<string, string>>) => void

/**
 * One route: a request in, an answer out. It throws {@link AuthError} for every answer that is not
 * a success.
 */
export type Endpoint = (request: EndpointRequest) => Promise<AnyAnswer>

// What of an Express request is used beyond Node's own.
type ExpressRequest = IncomingMessage & { readonly params?: EndpointRequest['parameters'] }

type Method = 'GET' | 'POST' | 'DELETE'

/**
 * The endpoints of one path, by method. HEAD goes with GET; null where a GET changes something, and
 * HEAD is 405.
 */
export type Endpoints = Partial<Record<Method, Endpoint>> & { readonly HEAD?: null }

/**
 * Which pages may call a route. `every-origin` is for endpoints that take no cookie; without either
 * it is those of the option `cors`.
 */
export type OpenTo = 'every-origin' | 'own-origin'

/**
 * Routes: path, endpoints, style of errors, and which pages may call it. Null stands for a route
 * that the host has not provided for.
 */
export type Routes = readonly (readonly [
  path: string,
  endpoints: Endpoints | null,
  style?: ProblemStyle,
  openTo?: OpenTo,
])[]

/** To a route that is open to every origin browsers may send credentials in headers. */
const corsOf: Readonly<Record<OpenTo, AnswerCors | null>> = {
  'every-origin': createOpenCors('Content-Type, Authorization, DPoP'),
  'own-origin': null,
}

export interface MountDeps {
  readonly contexts: Contexts
  /** Null: no page of another origin is let in. */
  readonly answerCors: AnswerCors | null
  readonly warnOnce: WarnOnce
}

/**
 * Mounts routes. Any other method on a path is 405 with `Allow`, which Express alone would answer
 * with 404, and a path that cannot be decoded is 404. What was not foreseen goes to the host's
 * error handler; of a setting of its own that cannot be right the host is told by `warnOnce`.
 */
export function mountAll(router: Router, routes: Routes, deps: MountDeps): Router {
  const { contexts, answerCors, warnOnce } = deps
  const noticeProxies = contexts.areOfHost ? () => {} : createNoticeProxies(warnOnce)
  const allMethods = new Set<string>()
  for (const [path, endpoints, style = 'plain', openTo] of routes) {
    if (endpoints === null) continue
    const answerOrigin = openTo === undefined ? answerCors : corsOf[openTo]
    const byMethod = endpointsByMethod(endpoints)
    const methods = [...byMethod.keys()]
    for (const method of methods) allMethods.add(method)
    const refuse = methodNotAllowed(methods.join(', '))
    router.all(path, (request, response, next) => {
      // First: what is refused before it is understood must be found in the log as well.
      contexts.idOf(request)
      if (answerOrigin?.(request, response, methods) === true) return
      const endpoint = byMethod.get(request.method) ?? refuse
      const noticing: Endpoint = (asked) => {
        noticeProxies(request, asked.context.ip)
        return endpoint(asked)
      }
      answer(noticing, contexts, request, response, style)
        .catch((error: unknown) => answerMisconfigured(error, response, style, warnOnce))
        .catch(next)
    })
  }
  return router.use(undecodable(contexts, answerCors, [...allMethods]))
}

function endpointsByMethod({ HEAD, ...endpoints }: Endpoints): Map<string, Endpoint> {
  const withHead = ([method, endpoint]: [string, Endpoint]): [string, Endpoint][] =>
    method === 'GET' && HEAD !== null
      ? [
          [method, endpoint],
          ['HEAD', endpoint],
        ]
      : [[method, endpoint]]
  return new Map(Object.entries(endpoints).flatMap(withHead))
}

// No client can read the page of a host's error handler, and what is wrong is not its request.
function answerMisconfigured(
  error: unknown,
  response: ServerResponse,
  style: ProblemStyle,
  warnOnce: WarnOnce,
): void {
  if (!(error instanceof AuthConfigError)) throw error
  warnOnce({ code: 'MAR_MISCONFIGURED', level: 'error', message: error.message })
  writeProblem(response, error, style)
}

// Express answers a name that is no UTF-8, such as %E0, by an error of its own, and asks no route.
function undecodable(
  contexts: Pick<Contexts, 'idOf'>,
  answerCors: AnswerCors | null,
  methods: readonly string[],
): ErrorRequestHandler {
  return function answerUndecodable(error: unknown, request, response, next) {
    if (!(error instanceof URIError)) return next(error)
    contexts.idOf(request)
    // Which path was meant nobody knows, so a preflight is told of every method.
    if (answerCors?.(request, response, methods) === true) return
    writeProblem(response, new AuthError('not-found'), 'plain')
  }
}

// A rejection must never leave this function with nothing: `next(undefined)` would send the request
// on as if unanswered.
async function answer(
  endpoint: Endpoint,
  contexts: Contexts,
  incoming: ExpressRequest,
  response: ServerResponse,
  style: ProblemStyle,
): Promise<void> {
  try {
    const readJson = () => readJsonBody(incoming)
    const setHeaders: SetHeaders = (headers) => {
      if (response.headersSent) return
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    }
    const aborted = () => clientAborted(incoming, response)
    const parameters = incoming.params ?? {}
    writeAnswer(
      response,
      await endpoint({
        incoming,
        context: contexts.of(incoming),
        parameters,
        readJson,
        setHeaders,
        aborted,
      }),
    )
  } catch (error) {
    if (!isForClient(error)) throw error ?? new Error('an endpoint rejected without a reason')
    writeProblem(response, error, style)
  }
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
