import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AuthError, type AuthRouter, type TrackedSocket } from 'messaging-auth-router'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Message } from './messages.js'

/** New messages, pushed to every signed-in client that listens at `/ws`. */
export interface Live {
  /** The server's `upgrade` handler. */
  accept(request: IncomingMessage, connection: Duplex, head: Buffer): void
  broadcast(message: Message): void
  close(): void
}

const mostReceivedBytes = 8 * 1024
const mostUnsentBytes = 1024 * 1024
const goingAway = 1001
/** Proxies close what is silent, nginx after 60 seconds. */
const pingInterval = 30_000

/**
 * Makes the live channel. Clients listen; all that they can say is `{"type":"renew","token":"…"}`,
 * to stay on with a newer token, and `{"type":"ping"}`, to hear whether the connection is still
 * there.
 */
export function createLive(
  { sockets: guard }: Pick<AuthRouter, 'sockets'>,
  pingEvery = pingInterval,
): Live {
  const server = new WebSocketServer({ noServer: true, maxPayload: mostReceivedBytes })
  // WebSocket's own ping, which clients answer by themselves. A page cannot see it, and hidden
  // pages cannot keep time.
  const pinging = setInterval(
    () => [...server.clients].forEach((socket) => void socket.ping()),
    pingEvery,
  ).unref()

  return {
    accept(request, connection, head) {
      // Without a handler, a client that hangs up while it is being judged would end the process.
      connection.on('error', () => connection.destroy())
      if (request.url?.split('?')[0] !== '/ws') return guard.refuse(connection, noSuchAddress())
      // Before the handshake, so that a stranger gets a plain HTTP refusal and never a WebSocket.
      guard.authenticate(request).then(
        (principal) =>
          server.handleUpgrade(request, connection, head, (socket) =>
            serve(socket, guard.track(socket, principal)),
          ),
        (error: unknown) => guard.refuse(connection, error),
      )
    },

    broadcast(message) {
      const text = JSON.stringify({ type: 'message', message })
      for (const socket of server.clients) send(socket, text)
    },

    close() {
      clearInterval(pinging)
      server.close()
      for (const socket of server.clients) socket.close(goingAway)
      setTimeout(
        () => [...server.clients].forEach((socket) => void socket.terminate()),
        1000,
      ).unref()
    },
  }
}

function serve(socket: WebSocket, tracked: TrackedSocket): void {
  // Without a handler, one broken client would end the process.
  socket.on('error', () => socket.terminate())
  socket.on('message', (data) => {
    const { type, token } = parse(data)
    if (type === 'ping') return send(socket, '{"type":"pong"}')
    if (type !== 'renew' || typeof token !== 'string') return
    tracked.renew(token).then(
      () => send(socket, '{"type":"renewed"}'),
      () => send(socket, '{"type":"refused"}'),
    )
  })
}

function parse(data: RawData): { type?: unknown; token?: unknown } {
  try {
    return JSON.parse(String(data)) ?? {}
  } catch {
    return {}
  }
}

function send(socket: WebSocket, text: string): void {
  // A client that does not read must not fill the memory.
  if (socket.bufferedAmount > mostUnsentBytes) socket.terminate()
  else socket.send(text)
}

function noSuchAddress(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such address.' })
}
