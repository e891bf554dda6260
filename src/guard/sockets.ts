import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { noRequest, type RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { ok } from '../http/answer.js'
import { readCredentials, singleHeader } from '../http/credentials.js'
import { type Endpoint, isForClient } from '../http/endpoint.js'
import { writeRawProblem } from '../http/problem.js'
import { contextOfId, noteUpgrade } from '../http/request-context.js'
import { describeFailure } from '../lib/host-call.js'
import { randomSecret, sha256 } from '../lib/secrets.js'
import { contextOf, type Principal } from '../principal/principal.js'
import type { SocketTicketStore } from '../stores/one-time-contract.js'
import { principalOf, reportRefusal, reportUnlessAllowed } from './authenticate.js'
import type { GuardKit } from './guard-kit.js'
import { keyMarkOf, noteKey } from './key-marks.js'
import type { ClosableSocket, SocketEntry, TrackedSocket } from './open-sockets.js'
import {
  readPageSocket,
  refuseForeignOrigin,
  type SocketOptions,
  type SocketSettings,
  settingsOf,
} from './page-socket.js'
import { type Required, requireAllowed, requiredBy, type ScopeOptions } from './scope.js'
import { createSocketIoGuards, type SocketIoGuard, type SocketIoOptions } from './socket-io.js'
import { requirePages } from './token-from.js'

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
   * attached. If nobody else listens for upgrades, upgrades of other paths are answered 404.
   * `scope` and `from` as in `authenticate`.
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

/** The parts that sockets need, with the tickets, if the host stores them. */
interface SocketsKit extends GuardKit {
  readonly tickets: SocketTickets | undefined
}

export function createSockets(kit: SocketsKit): Sockets {
  const { registry, pages, contexts, audit } = kit
  const surviveReset = createSurviveReset()

  const trackedSocket = (entry: SocketEntry): TrackedSocket => ({
    get principal() {
      return entry.principal
    },
    renew: (token) => reportRefusal(audit, noRequest, () => renew(kit, entry, token)),
  })

  function track(
    connection: ClosableSocket,
    principal: Principal,
    required: Required,
  ): TrackedSocket {
    // An `error` event without a listener ends the process, and any client can cause one by
    // breaking the protocol.
    connection.on('error', () => connection.terminate())
    const entry = { connection, principal, required }
    registry.add(entry)
    connection.once('close', () => registry.remove(entry))
    // Closed during the handshake: there will be no `close` event.
    if ((connection.readyState ?? 0) >= 2) registry.remove(entry)
    return trackedSocket(entry)
  }

  async function authenticateRequest(
    request: IncomingMessage,
    { from, ...required }: SocketSettings,
  ): Promise<Principal> {
    surviveReset(request.socket)
    contexts.idOf(request)
    noteUpgrade(request)
    const context = contexts.of(request)
    const principal = await reportRefusal(audit, context, () =>
      authenticateUpgrade(kit, request, contexts.ofUpgrade(context), from),
    )
    return reportUnlessAllowed(audit, context, principal, required)
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
    socketIo: createSocketIoGuards(kit, trackedSocket),
  }
}

// Node removes its own `error` listener for an upgrade, so a client that aborts during it would end
// the process. This is done once per connection: a kept-alive connection may try many times.
function createSurviveReset(): (connection: Duplex) => void {
  const surviving = new WeakSet<Duplex>()
  return (connection) => {
    if (typeof connection.on !== 'function' || surviving.has(connection)) return
    surviving.add(connection)
    connection.on('error', () => connection.destroy())
  }
}

async function renew(
  { authenticate, registry }: SocketsKit,
  entry: SocketEntry,
  token: string,
): Promise<Principal> {
  if (typeof token !== 'string') throw notSignedIn('no token')
  const presented = { sentAs: 'token', token, userId: entry.principal.userId } as const
  const { principal: newer } = await authenticate(presented, noRequest)
  if (newer.sessionId !== entry.principal.sessionId)
    throw notSignedIn('token belongs to another session')
  requireAllowed(newer, entry.required)
  if (!registry.has(entry)) throw notSignedIn('socket was closed')
  // An older token that arrives late must not shorten the time.
  if (newer.expiresAt > entry.principal.expiresAt) entry.principal = newer
  return entry.principal
}

async function authenticateUpgrade(
  kit: SocketsKit,
  request: IncomingMessage,
  context: RequestContext,
  from: 'headers' | 'cookie',
): Promise<Principal> {
  if (from === 'cookie') {
    const pages = requirePages(kit.pages, "sockets.authenticate({ from: 'cookie' })")
    return (await kit.authenticate(readPageSocket(request, pages), context)).principal
  }
  refuseForeignOrigin(request, kit.allowedOrigins)
  const credentials = readCredentials(request)
  const ticket = ticketOf(request)
  if (ticket === null) {
    if (credentials === null) throw notSignedIn('no credentials')
    return (await kit.authenticate(credentials, context)).principal
  }
  if (credentials !== null)
    throw invalidRequest([
      { path: 'Sec-WebSocket-Protocol', message: 'Send either a ticket or a token, not both.' },
    ])
  if (kit.tickets === undefined) throw notSignedIn('no ticket store')
  return kit.tickets.redeem(ticket, context)
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

/** The part that is used of the HTTP or HTTPS server whose upgrades are guarded. */
export interface AttachedServer {
  emit(event: string | symbol, ...values: unknown[]): boolean
  on(event: 'upgrade', listener: () => void): unknown
  listenerCount(event: 'upgrade'): number
}

/** The part that is used of a `WebSocketServer` of `ws`. */
export interface UpgradingServer {
  handleUpgrade(
    request: IncomingMessage,
    connection: Duplex,
    head: Buffer,
    onOpen: (socket: ClosableSocket) => void,
  ): void
  emit(event: string, ...values: unknown[]): unknown
  readonly options?: { readonly noServer?: boolean | undefined }
}

/** Handles the upgrades of an attached path. */
interface UpgradeGuard {
  /** Throws if the settings name the cookie of pages and the host has none. */
  requirePlace(settings: SocketSettings): void
  authenticate(request: IncomingMessage, settings: SocketSettings): Promise<Principal>
  refuse(connection: Duplex, error: unknown): void
  track(socket: ClosableSocket, principal: Principal, required: Required): TrackedSocket
}

type OnUpgrade = (request: IncomingMessage, connection: Duplex, head: Buffer) => void

/** The attached paths of each server, for all routers of the process. */
const attached = new WeakMap<AttachedServer, Map<string, OnUpgrade>>()

function createAttach({ requirePlace, authenticate, refuse, track }: UpgradeGuard) {
  return function attach(
    server: AttachedServer,
    path: string,
    wsServer: UpgradingServer,
    options?: SocketOptions,
  ): void {
    requireUsable(path, wsServer)
    const settings = settingsOf('sockets.attach', options)
    requirePlace(settings)
    const paths = attached.get(server) ?? takeUpgrades(server)
    if (paths.has(path))
      throw new AuthConfigError('sockets.attach()', `${path} is attached.`, 'attach a path once.')
    paths.set(path, function onUpgrade(request, connection, head) {
      authenticate(request, settings)
        .then((principal) =>
          wsServer.handleUpgrade(request, connection, head, (socket) => {
            wsServer.emit('connection', socket, request, track(socket, principal, settings))
          }),
        )
        .catch((error: unknown) => refuse(connection, error))
    })
  }

  // A listener cannot hide an event from other listeners, earlier or later ones. So the server's
  // `emit` is replaced.
  function takeUpgrades(server: AttachedServer): Map<string, OnUpgrade> {
    const paths = new Map<string, OnUpgrade>()
    attached.set(server, paths)
    const { emit } = server
    server.emit = function emitUnlessAttached(event, ...values) {
      if (event !== 'upgrade') return emit.call(server, event, ...values)
      const [request, connection, head] = values as Parameters<OnUpgrade>
      const onUpgrade = paths.get(pathOf(request))
      if (onUpgrade !== undefined) {
        onUpgrade(request, connection, head)
        return true
      }
      // Nobody else would answer it.
      if (server.listenerCount('upgrade') === 1) refuse(connection, nothingThere())
      return emit.call(server, event, ...values)
    }
    // Without any listener Node would treat an upgrade as an ordinary request.
    server.on('upgrade', function isAttached() {})
    return paths
  }
}

function nothingThere(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is nothing at this path.' })
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

function requireUsable(path: string, { handleUpgrade, options }: UpgradingServer): void {
  if (typeof path !== 'string' || !/^\/[^?#\s]*$/.test(path))
    throw new AuthConfigError('sockets.attach()', 'was given no path.', "pass one such as '/ws'.")
  if (typeof handleUpgrade === 'function' && options?.noServer !== false) return
  throw new AuthConfigError(
    'sockets.attach()',
    'was given a WebSocket server that takes all upgrades itself, or none at all.',
    'make it with new WebSocketServer({ noServer: true }).',
  )
}

/** One-time tickets for browser sockets, because browsers cannot send headers with an upgrade. */
export interface SocketTickets {
  /** Issues a ticket. The socket gets the scope and the end of the principal. Throws 429 or 503. */
  issue(
    principal: Principal,
    context: RequestContext,
  ): Promise<{ ticket: string; expiresIn: number }>
  /**
   * Redeems a ticket. Exactly one caller gets its principal; throws 401 for any other, 503 if a
   * store fails.
   */
  redeem(ticket: string, context: RequestContext): Promise<Principal>
}

const lifetimeSeconds = 30
/**
 * The secret, and a digest of the id of the key that signed the token which bought the ticket.
 * Removing that key closes the socket. Nobody can change the digest, because the ticket is found by
 * its whole text.
 */
const pattern = /^mar_wt_[\w-]{43}(?:\.([\w-]{43}))?$/

/** Issues and redeems tickets. Only their SHA-256 is stored. */
export function createSocketTickets(
  { liveSessions, takeIssue, clock }: GuardKit,
  store: SocketTicketStore,
): SocketTickets {
  return {
    async issue(principal, context) {
      const { sessionId, userId, scope, expiresAt: tokenExpiresAt } = principal
      await takeIssue('ticket', { userId, sessionId }, context)
      const mark = keyMarkOf(principal)
      const ticket = `mar_wt_${randomSecret()}${mark === null ? '' : `.${mark}`}`
      const createdAt = clock()
      const expiresAt = new Date(createdAt.getTime() + lifetimeSeconds * 1000)
      const ticketHash = sha256(ticket)
      await store.save({
        ticketHash,
        sessionId,
        userId,
        scope: scope.join(' '),
        tokenExpiresAt,
        createdAt,
        expiresAt,
      })
      return { ticket, expiresIn: lifetimeSeconds }
    },

    async redeem(ticket, context) {
      const shape = pattern.exec(ticket)
      const result =
        shape === null
          ? { outcome: 'unknown' as const }
          : await store.consume(sha256(ticket), clock())
      if (result.outcome === 'unknown') throw notSignedIn('ticket unknown, used or expired')
      if (result.ticket.tokenExpiresAt <= clock()) throw notSignedIn('token of the ticket expired')
      const live = await liveSessions.require(result.ticket.sessionId, context)
      const principal = principalOf(live, result.ticket.scope, result.ticket.tokenExpiresAt)
      noteKey(principal, shape?.[1] ?? null)
      return principal
    },
  }
}

/**
 * `POST /auth/socket-ticket`: a ticket that opens one socket within 30 seconds, so that no token
 * has to be put into a URL.
 */
export function socketTicketEndpoint({ signedIn }: GuardKit, tickets: SocketTickets): Endpoint {
  return async ({ incoming, context }) => {
    const { principal } = await signedIn(incoming, context, 'complete', 'every-kind')
    const data = await tickets.issue(principal, contextOf(principal, context))
    return ok({ status: 'success', data })
  }
}
