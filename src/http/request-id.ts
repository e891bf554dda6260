import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import type { WarnOnce } from '../lib/logger.js'
import { ownHeader } from './cookies.js'

/** The host's function for the id of a request in its own log. */
export type ReadRequestId = (request: IncomingMessage) => string | number | null | undefined

/** The id of a request in events; always the same for one request. */
export type IdOfRequest = (request: IncomingMessage & { readonly id?: unknown }) => string

// By request, and for upgrades by connection, so that the writer of an answer finds the id.
const known = new WeakMap<object, string>()

/** The id of a request, or of the upgrade on a connection; undefined before it is known. */
export function requestIdOf(asked: object | undefined): string | undefined {
  return asked && known.get(asked)
}

/** A context with the id and nothing else of the request. */
export function contextOfId(asked: object | undefined): RequestContext {
  return { ...noRequest, requestId: requestIdOf(asked) ?? null }
}

/** Gives the connection of an upgrade, which has no response, the id of its request. */
export function noteUpgrade(request: IncomingMessage): void {
  const id = known.get(request)
  if (id !== undefined) known.set(request.socket, id)
}

/**
 * The id comes from the host's function, else from `request.id`, which loggers set, else from the
 * header `X-Request-Id`, else it is random.
 */
export function createIdOfRequest(
  given: ReadRequestId | undefined,
  warnOnce: WarnOnce,
): IdOfRequest {
  const byHost = given === undefined ? () => null : careful(given, warnOnce)
  return function idOfRequest(request) {
    const before = known.get(request)
    if (before !== undefined) return before
    const id =
      byHost(request) ??
      formed(request.id) ??
      formed(ownHeader(request, 'x-request-id')) ??
      randomUUID()
    known.set(request, id)
    return id
  }
}

// A request must not fail because of its id.
function careful(
  given: ReadRequestId,
  warnOnce: WarnOnce,
): (request: IncomingMessage) => string | null {
  return (request) => {
    const answer = attempt(() => given(request))
    if (answer === null || answer === undefined) return null
    const id = formed(answer)
    if (id === null)
      warnOnce({
        code: 'MAR_NO_REQUEST_ID',
        level: 'warn',
        message:
          'requestId() threw, or answered neither a whole number nor a text of 1 to 128 letters, ' +
          'digits and . _ : -, so requests are called as without it. ' +
          'Remedy: answer such a text, or null.',
      })
    return id
  }
}

const failed = Symbol('failed')

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch {
    return failed
  }
}

// A client may set the header, so an id that could forge a log line or a header is ignored.
function formed(given: unknown): string | null {
  if (Number.isSafeInteger(given)) return String(given)
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}
