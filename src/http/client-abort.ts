import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// Made once: with its stack, it costs more than all else of a signal, and every answer aborts one.
const gone = new DOMException('the client has gone, or has its answer', 'AbortError')

// One listener for each connection: a client may pipeline a thousand requests on it.
const waitingOn = new WeakMap<Socket, Set<AbortController>>()

/**
 * A signal that aborts when the client disconnects or the answer is sent. It listens to the
 * connection: `close` of the request fires once its body is read, and a pipelined answer that waits
 * for earlier ones fires no `close` at all.
 */
export function clientAborted(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (response.destroyed || request.socket.destroyed) {
    left.abort(gone)
    return left.signal
  }
  const waiting = waitingOn.get(request.socket) ?? listenTo(request.socket)
  waiting.add(left)
  response.once('close', () => {
    waiting.delete(left)
    left.abort(gone)
  })
  return left.signal
}

function listenTo(socket: Socket): Set<AbortController> {
  const waiting = new Set<AbortController>()
  // A framework that imitates Node's requests may give the socket nothing but an address.
  if (typeof socket.once !== 'function') return waiting
  waitingOn.set(socket, waiting)
  socket.once('close', () => {
    for (const left of waiting) left.abort(gone)
  })
  return waiting
}

/** Work for a request that the host's own code answers. */
export interface WatchedRequest {
  /** Aborts when the client disconnects or the work ends. */
  readonly signal: AbortSignal
  /** Call it when the work ends. */
  end(): void
}

/** Like {@link clientAborted}, without access to the response. */
export function watchRequest({ socket }: IncomingMessage): WatchedRequest {
  const left = new AbortController()
  if (socket.destroyed) left.abort(gone)
  const waiting = waitingOn.get(socket) ?? listenTo(socket)
  waiting.add(left)
  return {
    signal: left.signal,
    end() {
      waiting.delete(left)
      left.abort(gone)
    },
  }
}
