import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorRequestHandler, NextFunction, RequestHandler, Router } from 'express'
import type { RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { WarnOnce } from '../lib/logger.js'
import { unwatched } from '../lib/watch.js'
import { type AnyAnswer, writeAnswer } from './answer.js'
import { type JsonBody, readJsonBody } from './body.js'
import { clientAborted } from './client-abort.js'
import { asAddress, type ProxyAware, parsedAddress, trustsNobody } from './client-address.js'
import { type AnswerCors, createOpenCors } from './cors.js'
import { writeProblem } from './problem.js'
import type { ProblemStyle } from './problem-names.js'
import type { Contexts } from './request-context.js'

/** A request as endpoints see it. */
export interface EndpointRequest {
  readonly incoming: IncomingMessage
  readonly context: RequestContext
  /** The named segments of the path. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Reads the body. Endpoints authenticate first. */
  readJson(): Promise<JsonBody>
  /** Sets headers of the answer, success or error. */
  readonly setHeaders: SetHeaders
  /** Aborts when the client disconnects or the answer is sent. */
  aborted(): AbortSignal
}

/** Sets headers before the answer is made. */
export type SetHeaders = (headers: Readonly<Record<string, string>>) => void

/**
 * One route: a request in, an answer out. Throws {@link AuthError} for every answer except success.
 */
export type Endpoint = (request: EndpointRequest) => Promise<AnyAnswer>

// `params` is the only Express-specific member we read.
type ExpressRequest = IncomingMessage & { readonly params?: EndpointRequest['parameters'] }

type Method = 'GET' | 'POST' | 'DELETE'

/**
 * The endpoints of one path, by method. GET also answers HEAD, unless `HEAD` is null: then HEAD is
 * 405, for a GET that changes something.
 */
export type Endpoints = Partial<Record<Method, Endpoint>> & { readonly HEAD?: null }

/**
 * Which pages may call a route. `every-origin` is for endpoints without cookies. By default, the
 * origins of the option `cors`.
 */
export type OpenTo = 'every-origin' | 'own-origin'

/**
 * Routes: path, endpoints, style of errors, and which pages may call it. Null endpoints: the route
 * is switched off. A route may pick its pages by itself.
 */
export type Routes = readonly (readonly [
  path: string,
  endpoints: Endpoints | null,
  style?: ProblemStyle,
  openTo?: OpenTo | AnswerCors,
])[]

/** Pages of every origin may send credentials in headers to an `every-origin` route. */
const corsOf: Readonly<Record<OpenTo, AnswerCors | null>> = {
  'every-origin': createOpenCors(['Content-Type', 'Authorization', 'DPoP']),
  'own-origin': null,
}

/** The parts that the answers of all routes share. */
export interface Mounting extends Pick<GroundKit, 'warnOnce' | 'trace'> {
  readonly contexts: Contexts
  /** Null: pages of other origins may call nothing. */
  readonly answerCors: AnswerCors | null
}

/** Routes whose code is loaded after the start. */
export interface LaterRoutes {
  /** Every path that they may have: a request for another one waits for nothing. */
  readonly paths: readonly string[]
  /** Rejects with 503, and may be tried again. */
  load(): Promise<Routes>
  /** An empty one, on which they are mounted. */
  readonly router: Router
}

/**
 * Mounts routes. Any other method of a path is 405 with `Allow` (Express alone would answer 404),
 * and a path that cannot be decoded is 404. Unexpected errors go to the host's error handler;
 * `warnOnce` reports wrong settings of the host.
 */
export function mountAll(
  router: Router,
  routes: Routes,
  mounting: Mounting,
  later?: LaterRoutes,
): Router {
  const { contexts, answerCors, warnOnce, trace } = mounting
  const noticeProxies = contexts.areOfHost ? () => {} : createNoticeProxies(warnOnce)
  const noticing = { contexts, noticeProxies }
  const allMethods = new Set<string>()
  router.use(skipForeignPaths([...routes.map(([path]) => path), ...(later?.paths ?? [])]))
  for (const [path, endpoints, style = 'plain', openTo] of routes) {
    if (endpoints === null) continue
    const answerOrigin = openTo === undefined ? answerCors : corsFor(openTo)
    const byMethod = endpointsByMethod(endpoints)
    const methods = [...byMethod.keys()]
    for (const method of methods) allMethods.add(method)
    const refuse = methodNotAllowed(methods.join(', '))
    router.all(path, (request, response, next) => {
      // This comes first, so that requests refused early have an id in the log, too.
      contexts.idOf(request)
      if (answerOrigin?.(request, response, methods) === true) return
      const known = byMethod.get(request.method)
      const endpoint = known ?? refuse
      // The method of another request is any word.
      const method = known === undefined ? '_OTHER' : request.method
      const unanswered = (error: unknown) =>
        answerMisconfigured(error, { response, style, warnOnce, next })
      if (trace === unwatched)
        void answer(endpoint, noticing, request, { response, style, unanswered })
      else
        trace(
          `${method} ${path}`,
          // A span ends with the error.
          () => answer(endpoint, noticing, request, { response, style, unanswered: rethrow }),
          { 'http.request.method': method, 'http.route': path },
        ).catch(unanswered)
    })
  }
  if (later !== undefined) router.use(mountLater(later, mounting))
  return router.use(undecodable(contexts, answerCors, [...allMethods]))
}

// A request for one of them waits until they are there, and the next ones find them.
function mountLater({ paths, load, router }: LaterRoutes, mounting: Mounting): Router {
  const { contexts, answerCors } = mounting
  let isMounted = false
  async function mount(): Promise<void> {
    const routes = await load()
    if (isMounted) return
    isMounted = true
    mountAll(router, routes, mounting)
  }
  router.use(skipForeignPaths(paths), function waitForRoutes(request, response, next) {
    if (isMounted) return next()
    mount().then(
      () => next(),
      (error: unknown) => {
        contexts.idOf(request)
        if (answerCors?.(request, response, ['GET', 'POST', 'DELETE']) === true) return
        answerError(error, { response, style: styleAt(request.url), unanswered: next })
      },
    )
  })
  // At once: few requests come before it is done.
  mount().catch(() => {})
  return router
}

// The routes themselves know better, and are not there.
function styleAt(url: string): ProblemStyle {
  return url.startsWith('/oauth/') ? 'oauth-endpoint' : 'plain'
}

function corsFor(openTo: OpenTo | AnswerCors): AnswerCors | null {
  return typeof openTo === 'string' ? corsOf[openTo] : openTo
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

// The client could not read the HTML of the host's error handler, and its request is not at fault.
function answerMisconfigured(
  error: unknown,
  { response, style, warnOnce, next }: Unanswered,
): void {
  try {
    if (!(error instanceof AuthConfigError)) throw error
    warnOnce({ code: 'MAR_MISCONFIGURED', level: 'error', message: error.message })
    writeProblem(response, error, style)
  } catch (unexpected) {
    next(unexpected)
  }
}

/** A request whose endpoint has failed. */
interface Unanswered extends Pick<Mounting, 'warnOnce'> {
  readonly response: ServerResponse
  readonly style: ProblemStyle
  readonly next: NextFunction
}

// For a path that is not UTF-8, such as %E0, Express raises an error before any route.
function undecodable(
  contexts: Pick<Contexts, 'idOf'>,
  answerCors: AnswerCors | null,
  methods: readonly string[],
): ErrorRequestHandler {
  return function answerUndecodable(error: unknown, request, response, next) {
    if (!(error instanceof URIError)) return next(error)
    contexts.idOf(request)
    // The path is unknown, so a preflight gets every method.
    if (answerCors?.(request, response, methods) === true) return
    writeProblem(response, new AuthError('not-found'), 'plain')
  }
}

function rethrow(error: unknown): never {
  throw error
}

/** Where an answer goes. */
interface Answering extends Pick<Unanswered, 'response' | 'style'> {
  /** Receives an error that is not for the client. */
  readonly unanswered: (error: unknown) => void
}

async function answer(
  endpoint: Endpoint,
  { contexts, noticeProxies }: Pick<Mounting, 'contexts'> & { noticeProxies: NoticeProxies },
  incoming: ExpressRequest,
  { response, style, unanswered }: Answering,
): Promise<void> {
  try {
    const readJson = () => readJsonBody(incoming)
    const setHeaders: SetHeaders = (headers) => {
      if (response.headersSent) return
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    }
    const aborted = () => clientAborted(incoming, response)
    const parameters = incoming.params ?? {}
    const context = contexts.of(incoming)
    noticeProxies(incoming, context.ip)
    const asked = { incoming, context, parameters, readJson, setHeaders, aborted }
    writeAnswer(response, await endpoint(asked))
  } catch (error) {
    answerError(error, { response, style, unanswered })
  }
}

function answerError(error: unknown, { response, style, unanswered }: Answering): void {
  try {
    // Never undefined: `next(undefined)` would pass the request on as unanswered.
    if (!isForClient(error)) throw error ?? new Error('an endpoint rejected without a reason')
    writeProblem(response, error, style)
  } catch (unexpected) {
    unanswered(unexpected)
  }
}

/** Whether the client gets this error as its answer. */
export function isForClient(error: unknown): error is AuthError {
  return error instanceof AuthError && error.code !== 'configuration'
}

function methodNotAllowed(allow: string): Endpoint {
  return async () => {
    throw new AuthError('method-not-allowed', { headers: { Allow: allow } })
  }
}

/** Warns the host if the request shows that its proxy settings are wrong. */
type NoticeProxies = (request: IncomingMessage & ProxyAware, address: string | null) => void

// Each warning appears once: any client can provoke the first one.
function createNoticeProxies(warnOnce: WarnOnce): NoticeProxies {
  return (request, address) => {
    const { headers, app } = request
    if (app === undefined) return
    if ((headers['x-forwarded-for'] ?? headers['forwarded']) !== undefined && trustsNobody(app)) {
      warnOnce({
        code: 'MAR_PROXY_NOT_TRUSTED',
        level: 'warn',
        message:
          "A request came with X-Forwarded-For or Forwarded, but 'trust proxy' is off: behind a " +
          'proxy, all clients share its address and its limits. ' +
          "Remedy: app.set('trust proxy', 1), or the subnets of your proxies; nothing, if there " +
          'is no proxy.',
      })
    }
    // Checked first: Express computes `ip` at each access.
    if (address !== asAddress(request.socket.remoteAddress)) return
    const { ip } = request
    if (ip !== undefined && ip !== '' && parsedAddress(ip) === null) {
      warnOnce({
        code: 'MAR_NO_ADDRESS',
        level: 'warn',
        message:
          'req.ip is no IP address: the address of the connection is used instead, which all ' +
          'clients of a proxy share with their limits. ' +
          'Remedy: see what your proxy writes into X-Forwarded-For.',
      })
    }
  }
}

/**
 * Passes a request on at once if its path can be none of these. Express tries one route after the
 * other, and the host's own requests come through the router as well.
 *
 * @param routes - paths as Express takes them; a parameter such as `:id` ends the part compared
 * @internal
 */
export function skipForeignPaths(routes: readonly string[]): RequestHandler {
  const exact = new Set(routes.filter((route) => !route.includes(':')))
  const prefixes = routes
    .filter((route) => route.includes(':'))
    .map((route) => route.slice(0, route.indexOf(':')))
  return function skipForeignPath({ path: ofApp, url }, _response, next) {
    // Only an app of Express gives a request its path.
    const path: string = ofApp ?? url.split('?', 1)[0]
    // Express takes one slash at the end for none.
    if (exact.has(path.endsWith('/') ? path.slice(0, -1) : path)) return next()
    return next(prefixes.some((prefix) => path.startsWith(prefix)) ? undefined : 'router')
  }
}

/**
 * One capability of the router, mounted by the map. Each has one `createX` in its folder; its
 * result also has the functions for the host's own code.
 */
export interface Capability {
  /** Its HTTP routes. */
  readonly routes: Routes
  /** Stops timers and other work; absent if there is none. */
  close?(): void
}
