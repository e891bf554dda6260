import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { readCredentials, singleHeader } from '../http/credentials.js'
import { isForClient } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import { writeRawProblem } from '../http/problem.js'
import type { Contexts } from '../http/request-context.js'
import { contextOfId, noteUpgrade } from '../http/request-id.js'
import { describeFailure } from '../lib/host-call.js'
import type { Principal } from '../principal/principal.js'
import { type AttachedServer, createAttach, type UpgradingServer } from './attach.js'
import { type Authenticate, reportRefusal } from './authenticate.js'
import { requirePages } from './credentials-from.js'
import type { SocketEntry } from './open-sockets.js'
import { refuseForeignOrigin } from './own-origin.js'
import {
  readPageSocket,
  type SocketOptions,
  type SocketSettings,
  settingsOf,
} from './page-socket.js'
import { type RequiredScope, requiredBy, requireScope, type ScopeOptions } from './scope.js'
import type { SocketRegistry } from './socket-closing.js'
import { createSocketIoGuards, type SocketIoGuard, type SocketIoOptions } from './socket-io.js'
import type { SocketTickets } from './socket-ticket.js'
import type { ClosableSocket, TrackedSocket } from './tracked-socket.js'

/** Guards for live sockets. */
export interface Sockets {
  /**
   * Authenticates an upgrade: by the headers of any other request, or by the sub-protocol pair
   * `auth.ticket`, `<ticket>`; with `{ from: 'cookie' }` by the cookie of your pages only. Call it
   * before the handshake. Rejects with `AuthError`; pass that to `refuse`.
   */
  authenticate(request: IncomingMessage, options?: SocketOptions): Promise<Principal>
  /**
   * Answers a refused upgrade on the raw connection, before any `101`, and closes it. Errors other
   * than `AuthError` become 500.
   */
  refuse(connection: Duplex, error: unknown): void
  /**
   * Closes the socket with 4401 when its session ends, and with 4408 when its token expires. Pass
   * the `scope` that you gave `authenticate`: `renew` requires it of the newer token.
   */
  track(socket: ClosableSocket, principal: Principal, options?: ScopeOptions): TrackedSocket
  /**
   * Guards the upgrades of one path for a `ws` server. Other `upgrade` listeners do not see them,
   * and upgrades of other paths are left alone. Admitted sockets reach `wsServer.on('connection',
   * (socket, request, tracked) => …)`, already tracked; `tracked.principal` is their user.
   *
   * `path` is compared exactly, without the query. Make `wsServer` with `noServer: true`. Throws
   * `AuthConfigError` for another kind of server, for an invalid path, and for a path already
   * attached. If nobody else listens for upgrades, those of other paths are answered 404. `scope`
   * and `from` as in `authenticate`.
   *
   * @example
   * ```ts
   * import type { Server } from 'node:http'
   * import type { AuthRouter, TrackedSocket } from 'messaging-auth-router'
   * import { type WebSocket, WebSocketServer } from 'ws'
   *
   * declare const server: Server
   * declare const auth: AuthRouter
   * const sockets = new WebSocketServer({ noServer: true })
   * sockets.on('connection', (socket: WebSocket, _request: unknown, tracked: TrackedSocket) => {
   *   socket.send(`hello ${tracked.principal.userId}`)
   * })
   * auth.sockets.attach(server, '/ws', sockets)
   * ```
   */
  attach(
    server: AttachedServer,
    path: string,
    wsServer: UpgradingServer,
    options?: SocketOptions,
  ): void
  /**
   * Middleware for Socket.IO 4: `io.use(auth.sockets.socketIo(io))`. It guards the one namespace
   * that uses it: `io.use` is `/`, `io.of('/admin').use` another. Sets `socket.data.auth` to the
   * principal, and `socket.data.authSocket` to the tracked socket, whose `renew(token)` keeps it
   * open with a newer token.
   *
   * Pass `server` to check its settings at once; without it they are checked at the first
   * connection, and wrong settings then refuse every connection. `connectionStateRecovery` needs
   * `skipMiddlewares: false` and Socket.IO's own adapter. Throws `AuthConfigError`. `scope` and
   * `from` as in `requireAuth`.
   */
  socketIo(server?: object, options?: SocketIoOptions): SocketIoGuard
}

export interface SocketsDeps {
  readonly authenticate: Authenticate
  /** Undefined if the host stores no tickets. */
  readonly tickets: SocketTickets | undefined
  readonly registry: SocketRegistry
  /** Undefined: a page must come from the host that it connects to. */
  readonly allowedOrigins: readonly string[] | undefined
  /** Undefined: the host has no pages that send a cookie. */
  readonly pages: Pages | undefined
  readonly contexts: Contexts
  readonly audit: Audit
}

export function createSockets(deps: SocketsDeps): Sockets {
  const { registry, pages, contexts, audit } = deps
  const surviveReset = createSurviveReset()

  const trackedSocket = (entry: SocketEntry): TrackedSocket => ({
    get principal() {
      return entry.principal
    },
    renew: (token) => reportRefusal(audit, noRequest, () => renew(deps, entry, token)),
  })

  function track(
    connection: ClosableSocket,
    principal: Principal,
    scope: RequiredScope,
  ): TrackedSocket {
    // An `error` event without a listener ends the process, and any client can cause one by
    // breaking the protocol.
    connection.on('error', () => connection.terminate())
    const entry = { connection, principal, scope }
    registry.add(entry)
    connection.once('close', () => registry.remove(entry))
    // Closed during the handshake: there will be no `close` event.
    if ((connection.readyState ?? 0) >= 2) registry.remove(entry)
    return trackedSocket(entry)
  }

  async function authenticateRequest(
    request: IncomingMessage,
    { scope, from }: SocketSettings,
  ): Promise<Principal> {
    surviveReset(request.socket)
    contexts.idOf(request)
    noteUpgrade(request)
    const context = contexts.of(request)
    return reportRefusal(audit, context, async () => {
      const principal = await authenticateUpgrade(deps, request, contexts.ofUpgrade(context), from)
      requireScope(principal, scope)
      return principal
    })
  }

  function refuse(connection: Duplex, error: unknown): void {
    surviveReset(connection)
    if (isForClient(error)) {
      writeRawProblem(connection, error)
      return
    }
    audit({ type: 'host.failed', ...describeFailure('upgrade', error) }, contextOfId(connection))
    writeRawProblem(connection, new AuthError('configuration', { cause: error }))
  }

  return {
    async authenticate(request, options) {
      return authenticateRequest(request, settingsOf('sockets.authenticate', options))
    },
    refuse,
    track: (socket, principal, options) =>
      track(socket, principal, requiredBy('sockets.track', options)),
    attach: createAttach({
      requirePlace({ from }) {
        if (from === 'cookie') requirePages(pages, "sockets.attach({ from: 'cookie' })")
      },
      authenticate: authenticateRequest,
      refuse,
      track,
    }),
    socketIo: createSocketIoGuards({ ...deps, trackedSocket }),
  }
}

// Node removes its own `error` listener for an upgrade, so a client that aborts during it would end
// the process. Once per connection: a kept-alive one may try many times.
function createSurviveReset(): (connection: Duplex) => void {
  const surviving = new WeakSet<Duplex>()
  return (connection) => {
    if (typeof connection.on !== 'function' || surviving.has(connection)) return
    surviving.add(connection)
    connection.on('error', () => connection.destroy())
  }
}

async function renew(
  { authenticate, registry }: SocketsDeps,
  entry: SocketEntry,
  token: string,
): Promise<Principal> {
  if (typeof token !== 'string') throw notSignedIn('no token')
  const presented = { sentAs: 'token', token, userId: entry.principal.userId } as const
  const { principal: newer } = await authenticate(presented, noRequest)
  if (newer.sessionId !== entry.principal.sessionId)
    throw notSignedIn('token belongs to another session')
  requireScope(newer, entry.scope)
  if (!registry.has(entry)) throw notSignedIn('socket was closed')
  // An older token that arrives late must not shorten the time.
  if (newer.expiresAt > entry.principal.expiresAt) entry.principal = newer
  return entry.principal
}

async function authenticateUpgrade(
  deps: SocketsDeps,
  request: IncomingMessage,
  context: RequestContext,
  from: 'headers' | 'cookie',
): Promise<Principal> {
  if (from === 'cookie') {
    const pages = requirePages(deps.pages, "sockets.authenticate({ from: 'cookie' })")
    return (await deps.authenticate(readPageSocket(request, pages), context)).principal
  }
  refuseForeignOrigin(request, deps.allowedOrigins)
  const credentials = readCredentials(request)
  const ticket = ticketOf(request)
  if (ticket === null) {
    if (credentials === null) throw notSignedIn('no credentials')
    return (await deps.authenticate(credentials, context)).principal
  }
  if (credentials !== null)
    throw invalidRequest([
      { path: 'Sec-WebSocket-Protocol', message: 'Send either a ticket or a token, not both.' },
    ])
  if (deps.tickets === undefined) throw notSignedIn('no ticket store')
  return deps.tickets.redeem(ticket, context)
}

// The longest list of protocols that is searched for a ticket.
const maxProtocolCharacters = 4096

function ticketOf(request: IncomingMessage): string | null {
  const protocols = singleHeader(request, 'sec-websocket-protocol')
  if (protocols === null) return null
  if (protocols.length > maxProtocolCharacters)
    throw invalidRequest([
      {
        path: 'Sec-WebSocket-Protocol',
        message: `Send at most ${maxProtocolCharacters} characters.`,
      },
    ])
  const offered = protocols.split(',').map((name) => name.trim())
  const at = offered.indexOf('auth.ticket')
  return at < 0 ? null : (offered[at + 1] ?? '')
}
