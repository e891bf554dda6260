import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import { ownHeader } from './cookies.js'
import type { WarnOnce } from './warn-once.js'

/** Says what the host's own log calls a request. */
export type ReadRequestId = (request: IncomingMessage) => string | number | null | undefined

/** What a request is called in events; the same whenever it is asked. */
export type IdOfRequest = (request: IncomingMessage & { readonly id?: unknown }) => string

// By request, and for upgrades by connection: whoever writes an answer finds it here, however far
// from who has read the request.
const known = new WeakMap<object, string>()

/** What this request is called, or the upgrade on this connection; undefined before it is read. */
export function requestIdOf(asked: object | undefined): string | undefined {
  return asked && known.get(asked)
}

/** The same as the context of an event that tells nothing else of the request. */
export function contextOfId(asked: object | undefined): RequestContext {
  return { ...noRequest, requestId: requestIdOf(asked) ?? null }
}

/** Calls the connection of an upgrade, which has no response, as its request is called. */
export function noteUpgrade(request: IncomingMessage): void {
  const id = known.get(request)
  if (id !== undefined) known.set(request.socket, id)
}

/**
 * Makes it: by the host's function, else what the host's logger has put into `request.id`, else the
 * header `X-Request-Id`, else a new one.
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

// A request must not fail for its name.
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

// Anything that could forge a log line, or a header, is not taken over. A header may be a
// stranger's.
function formed(given: unknown): string | null {
  if (Number.isSafeInteger(given)) return String(given)
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}
