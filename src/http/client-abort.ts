import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// One listener for each connection: a client may send a thousand requests on it before it reads the
// first answer.
const waitingOn = new WeakMap<Socket, Set<AbortController>>()

/**
 * A signal that is aborted when the client disconnects, or was answered. The request's own `close`
 * comes when its body was read, and an answer that waits for those before it on its connection has
 * no `close` at all: so the connection is listened to.
 */
export function clientAborted(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (response.destroyed || request.socket.destroyed) {
    left.abort()
    return left.signal
  }
  const waiting = waitingOn.get(request.socket) ?? listenTo(request.socket)
  waiting.add(left)
  response.once('close', () => {
    waiting.delete(left)
    left.abort()
  })
  return left.signal
}

function listenTo(socket: Socket): Set<AbortController> {
  const waiting = new Set<AbortController>()
  // Requests of frameworks that imitate Node's may have no more of a socket than its address.
  if (typeof socket.once !== 'function') return waiting
  waitingOn.set(socket, waiting)
  socket.once('close', () => {
    for (const left of waiting) left.abort()
  })
  return waiting
}

/** Work for a request that somebody else will answer. */
export interface WatchedRequest {
  /** Is aborted when the client disconnects, or the work is over. */
  readonly signal: AbortSignal
  /** The work is over. */
  end(): void
}

/** The same for a request that the host's own code handles, and whose answer is not at hand. */
export function watchRequest({ socket }: IncomingMessage): WatchedRequest {
  const left = new AbortController()
  if (socket.destroyed) left.abort()
  const waiting = waitingOn.get(socket) ?? listenTo(socket)
  waiting.add(left)
  return {
    signal: left.signal,
    end() {
      waiting.delete(left)
      left.abort()
    },
  }
}
