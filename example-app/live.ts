import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { AuthError, type AuthRouter } from 'messaging-auth-router'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Message } from './rooms.js'

/** New messages, pushed to every signed-in client that listens at `/ws`. */
export interface Live {
  /** The server's `upgrade` handler. */
  accept(auth: AuthRouter): (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  broadcast(message: Message): void
  /** Hangs up on a session that has ended. */
  endSession(sessionId: string): void
  close(): void
}

interface Listener {
  readonly request: IncomingMessage
  readonly sessionId: string
}

const secondsBetweenChecks = 60
const mostUnsentBytes = 1024 * 1024
const policyViolation = 1008
const goingAway = 1001

/** Makes the live channel. Clients only listen: what they send is dropped, and more than a little of it ends the connection. */
export function createLive(): Live {
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 1024 })
  const listeners = new Map<WebSocket, Listener>()
  let checks: NodeJS.Timeout | undefined

  function listen(socket: WebSocket, listener: Listener): void {
    listeners.set(socket, listener)
    socket.on('close', () => listeners.delete(socket))
    // Without a handler, one broken client would end the process.
    socket.on('error', () => socket.terminate())
  }

  return {
    accept(auth) {
      checks ??= setInterval(() => checkAll(listeners, auth), secondsBetweenChecks * 1000).unref()
      return (request, socket, head) => {
        socket.on('error', () => socket.destroy())
        if (request.url?.split('?')[0] !== '/ws') return refuse(socket, 404)
        // Before the handshake, so that a stranger gets a plain HTTP refusal and never a WebSocket.
        auth
          .authenticate(request)
          .then(({ sessionId }) => sockets.handleUpgrade(request, socket, head, (client) => listen(client, { request, sessionId })))
          .catch((error: unknown) => {
            if (!(error instanceof AuthError)) process.stderr.write(`an upgrade failed: ${String(error)}\n`)
            refuse(socket, error instanceof AuthError ? error.status : 500, error)
          })
      }
    },

    broadcast(message) {
      const text = JSON.stringify({ type: 'message', message })
      for (const socket of listeners.keys()) {
        // A client that does not read must not fill the memory.
        if (socket.bufferedAmount > mostUnsentBytes) socket.terminate()
        else socket.send(text)
      }
    },

    endSession(sessionId) {
      for (const [socket, listener] of listeners) if (listener.sessionId === sessionId) socket.close(policyViolation, 'signed out')
    },

    close() {
      clearInterval(checks)
      sockets.close()
      for (const socket of listeners.keys()) socket.close(goingAway)
      setTimeout(() => [...listeners.keys()].forEach((socket) => void socket.terminate()), 1000).unref()
    },
  }
}

// A token ends and a user is disabled without any event, and a connection would outlive both.
function checkAll(listeners: ReadonlyMap<WebSocket, Listener>, auth: AuthRouter): void {
  for (const [socket, { request }] of listeners) {
    auth.authenticate(request).catch((error: unknown) => {
      // An outage is not a verdict on the client.
      if (error instanceof AuthError && error.status < 500) socket.close(policyViolation, 'signed out')
    })
  }
}

function refuse(socket: Duplex, status: number, error?: unknown): void {
  const known = error instanceof AuthError ? error : undefined
  const body = JSON.stringify({ error: known?.code ?? 'refused', message: known?.clientMessage ?? STATUS_CODES[status] })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(status === 401 ? ['WWW-Authenticate: Bearer'] : []),
      ...(status === 503 ? [`Retry-After: ${known?.retryAfter ?? 2}`] : []),
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  )
}
