import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type Audit, noRequest, type RequestContext } from '../events.js'
import { readCredentials, singleHeader } from '../http/credentials.js'
import { contextOf } from '../http/endpoint.js'
import { writeRawProblem } from '../http/problem.js'
import { type JudgeCredentials, reportRefusal } from './authenticate.js'
import type { Principal } from './principal.js'
import { createSocketIoGuard, type SocketIoGuard } from './socket-io.js'
import type { SocketEntry, SocketRegistry } from './socket-registry.js'
import type { SocketTickets } from './socket-ticket.js'
import type { ClosableSocket, TrackedSocket } from './tracked-socket.js'

/** Guards for live sockets. */
export interface Sockets {
  /**
   * Who asks for an upgrade: by the headers of any other request, or by the sub-protocol pair `auth.ticket`, `<ticket>`. Ask before the
   * handshake. Rejects with `AuthError`; hand it to `refuse`.
   */
  authenticate(request: IncomingMessage): Promise<Principal>
  /** Answers a refused upgrade on the bare connection, before any `101`, and hangs up. Errors that are not `AuthError` become 500. */
  refuse(connection: Duplex, error: unknown): void
  /** Closes the socket with 4401 when its session ends, and with 4408 when its token does. */
  track(socket: ClosableSocket, principal: Principal): TrackedSocket
  /**
   * Middleware for Socket.IO 4: `io.use(auth.sockets.socketIo())`. Sets `socket.data.auth` to the principal, and `socket.data.authSocket`
   * to the tracked socket, whose `renew(token)` keeps it open with a newer token.
   */
  socketIo(): SocketIoGuard
}

/** What guarding sockets needs. */
export interface SocketsDeps {
  readonly judge: JudgeCredentials
  /** Null when the host keeps no tickets. */
  readonly tickets: SocketTickets | null
  readonly registry: SocketRegistry
  /** Null: a browser must come from the host it connects to. */
  readonly allowedOrigins: readonly string[] | null
  readonly audit: Audit
}

/** Makes the guards for sockets. */
export function createSockets(deps: SocketsDeps): Sockets {
  const { registry, judge, audit } = deps

  function track(connection: ClosableSocket, principal: Principal): TrackedSocket {
    // An `error` that nobody listens to ends the process, and any client can raise one by breaking the protocol.
    connection.on('error', () => connection.terminate())
    const entry = registry.add(connection, principal)
    connection.once('close', () => registry.remove(entry))
    // Closed during the handshake: it will not say so again.
    if ((connection.readyState ?? 0) >= 2) registry.remove(entry)
    return {
      get principal() {
        return entry.principal
      },
      renew: (token) => reportRefusal(audit, noRequest, () => renew(deps, entry, token)),
    }
  }

  return {
    authenticate(request) {
      surviveReset(request.socket)
      const context = contextOf(request)
      // A bare upgrade knows nothing of the host's proxies, so its address is no news of the session.
      return reportRefusal(audit, context, () => judgeUpgrade(deps, request, { ...context, ip: null }))
    },
    refuse(connection, error) {
      surviveReset(connection)
      if (error instanceof AuthError) return writeRawProblem(connection, error)
      audit({ type: 'host.failed', operation: 'upgrade', error: error instanceof Error ? error.name : typeof error }, noRequest)
      writeRawProblem(connection, new AuthError('configuration', { cause: error }))
    },
    track,
    socketIo: () => createSocketIoGuard(judge, track),
  }
}

// With an upgrade Node takes its own listener away, and a client that hangs up in the middle of it would end the process.
function surviveReset(connection: Duplex): void {
  if (typeof connection.on === 'function') connection.on('error', () => connection.destroy())
}

async function renew({ judge, registry }: SocketsDeps, entry: SocketEntry, token: string): Promise<Principal> {
  const { principal: newer } = await judge({ token, userId: entry.principal.userId }, noRequest)
  if (newer.sessionId !== entry.principal.sessionId) throw notSignedIn('token belongs to another session')
  if (!registry.has(entry)) throw notSignedIn('socket was closed')
  // An older token, sent late, must not shorten what a newer one has extended.
  if (newer.expiresAt > entry.principal.expiresAt) entry.principal = newer
  return entry.principal
}

async function judgeUpgrade(deps: SocketsDeps, request: IncomingMessage, context: RequestContext): Promise<Principal> {
  refuseForeignOrigin(request, deps.allowedOrigins)
  const credentials = readCredentials(request)
  const ticket = ticketOf(request)
  if (ticket === null) {
    if (credentials === null) throw notSignedIn('no credentials')
    return (await deps.judge(credentials, context)).principal
  }
  if (credentials !== null)
    throw invalidRequest([{ path: 'Sec-WebSocket-Protocol', message: 'Send either a ticket or a token, not both.' }])
  if (deps.tickets === null) throw notSignedIn('no ticket store')
  return deps.tickets.redeem(ticket, context)
}

// A page of another origin can open a socket to us without asking (RFC 6455 §10.2).
function refuseForeignOrigin(request: IncomingMessage, allowed: readonly string[] | null): void {
  const origin = singleHeader(request, 'origin')
  if (origin === null) return
  const isOurs = allowed === null ? isSameHost(origin, request.headers.host) : allowed.includes(origin)
  if (!isOurs) throw new AuthError('forbidden', { clientMessage: 'This origin is not allowed.', message: 'origin not allowed' })
}

// Both as URLs, so that a written default port, upper case and the spellings of IPv6 do not matter.
function isSameHost(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  const here = `${from.protocol}//${host}`
  return from.host !== '' && URL.canParse(here) && new URL(here).host === from.host
}

function ticketOf(request: IncomingMessage): string | null {
  const offered =
    singleHeader(request, 'sec-websocket-protocol')
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const at = offered.indexOf('auth.ticket')
  return at < 0 ? null : (offered[at + 1] ?? '')
}
