import { AuthClientError, knownName } from './errors.js'
import {
  type BasicFetch,
  type BasicResponse,
  type BasicSignal,
  pause,
  platform,
} from './platform.js'

/** A request to an endpoint of the router. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly token?: string
  /** `same-origin` for endpoints that use the browser's cookie. Default `omit`. */
  readonly credentials?: 'same-origin'
}

/** Sends requests to the router. */
export interface Transport {
  /** Sends one request, with the time limit; resolves with the body. Throws AuthClientError. */
  ask(request: WireRequest): Promise<unknown>
}

export interface TransportDeps {
  readonly baseUrl: string
  readonly fetch: BasicFetch
  readonly requestTimeoutMs: number
  /** Called after each request: whether the server answered. */
  readonly onReached: (isReached: boolean) => void
}

export function createTransport(deps: TransportDeps): Transport {
  const { onReached } = deps

  async function ask(request: WireRequest): Promise<unknown> {
    const { response, text } = await exchange(deps, request).catch((cause: unknown) => {
      onReached(false)
      throw unreachable(cause)
    })
    onReached(true)
    const body = parse(text)
    if (response.status === 204) return {}
    // A captive portal answers 200 with HTML, which is not an answer of the router.
    if (response.ok && body !== null) return body
    throw refusal(response, body)
  }

  return { ask }
}

// An own timer instead of `AbortSignal.timeout`: it also covers reading the body.
async function exchange(
  { baseUrl, fetch, requestTimeoutMs }: TransportDeps,
  { method, path, body, token, credentials }: WireRequest,
): Promise<{ readonly response: BasicResponse; readonly text: string }> {
  const stopping = new platform.AbortController()
  let timer: unknown
  const late = new Promise<never>((_resolve, reject) => {
    timer = platform.setTimeout(() => {
      reject(new Error(`No answer within ${requestTimeoutMs} ms.`))
      stopping.abort()
    }, requestTimeoutMs)
  })
  const work = async () => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: stopping.signal,
      // The router never redirects; a redirect would send the secrets elsewhere.
      redirect: 'error',
      credentials: credentials ?? 'omit',
      cache: 'no-store',
    })
    return { response, text: await response.text() }
  }
  try {
    return await Promise.race([work(), late])
  } finally {
    platform.clearTimeout(timer)
  }
}

/** No answer; the server may have processed the request or not. */
export function unreachable(cause: unknown): AuthClientError {
  const message = 'The server cannot be reached.'
  return new AuthClientError('unreachable', { status: 0, message, cause })
}

/** The members of an error answer used here. */
interface Problem {
  readonly error?: unknown
  readonly message?: unknown
  readonly details?: unknown
}

function refusal(response: BasicResponse, body: Problem | null): AuthClientError {
  const { error, message, details } = body ?? {}
  return new AuthClientError(knownName(error), {
    status: response.status,
    message: typeof message === 'string' ? message : 'The request failed.',
    details: isObject(details) ? details : {},
    retryAfter: retryAfterOf(response, details),
  })
}

/**
 * Seconds to wait. Falls back to the body: pages of another origin may not see the header, and a
 * proxy may have turned it into a date of another clock.
 */
export function retryAfterOf(response: BasicResponse, details: unknown): number | undefined {
  const inBody = isObject(details) ? details['retryAfter'] : undefined
  const inHeader = response.headers.get('Retry-After')
  const seconds = inHeader === null ? inBody : Number(inHeader)
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return undefined
  return seconds >= 0 ? seconds : undefined
}

/**
 * Whether the server refuses the token. A 401 alone does not tell: a wrong password or code is 401
 * too, and routes of the host may answer 401 for other reasons.
 */
export async function refusesToken(response: BasicResponse): Promise<boolean> {
  return response.status === 401 && isTokenRefusal(await refusalOf(response))
}

/** The error in a refusal; its body can still be read. */
export async function refusalOf(response: BasicResponse): Promise<AuthClientError> {
  const text = response.clone().text()
  return refusal(response, parse(await text.catch(() => '')))
}

/** Whether an error says that the server refuses the token. */
export function isTokenRefusal(error: unknown): boolean {
  return (
    error instanceof AuthClientError &&
    (error.code === 'Unauthorized' || error.code === 'invalid_token') &&
    error.status === 401 &&
    error.details['wrong'] === undefined
  )
}

function parse(text: string): Problem | null {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? body : null
  } catch {
    return null
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Waits while the server is busy: 503, with `Retry-After`. */
export interface Retry {
  /**
   * Repeats the work while the server answers 503, after the pause that it asks for. Throws the
   * last error after `maxWaitMs`.
   */
  withRetry<T>(work: () => Promise<T>): Promise<T>
  /**
   * Waits `retryAfter` seconds. Resolves with false at once if that ends later than `maxWaitMs`
   * after `since`.
   */
  waitAfter(
    retryAfter: number | undefined,
    since: number,
    signal?: BasicSignal | null,
  ): Promise<boolean>
}

/** The pause if the server names none, in seconds. */
const usualPause = 2

export function createRetry(maxWaitMs: number, onBusy: (seconds: number) => void): Retry {
  async function waitAfter(
    retryAfter: number | undefined,
    since: number,
    signal?: BasicSignal | null,
  ): Promise<boolean> {
    const seconds = retryAfter ?? usualPause
    if (Date.now() - since + seconds * 1000 > maxWaitMs) return false
    onBusy(seconds)
    await pause(seconds, signal)
    return true
  }

  async function withRetry<T>(work: () => Promise<T>): Promise<T> {
    const since = Date.now()
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error) || !(await waitAfter(error.retryAfter, since))) throw error
      }
    }
  }

  return { withRetry, waitAfter }
}

const isBusy = (error: unknown): error is AuthClientError =>
  error instanceof AuthClientError && error.status === 503
