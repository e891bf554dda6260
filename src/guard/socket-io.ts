import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import { isForClient } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import { contextOfId } from '../http/request-context.js'
import { checkOptions, optionsOf } from '../lib/check-options.js'
import { describeFailure } from '../lib/host-call.js'
import type { Principal } from '../principal/principal.js'
import { reportRefusal, reportUnlessAllowed } from './authenticate.js'
import type { GuardKit } from './guard-kit.js'
import type { SocketEntry, TrackedConnection, TrackedSocket } from './open-sockets.js'
import { isOfPage, readPageSocket } from './page-socket.js'
import { type Required, type ScopeOptions, scopeRules } from './scope.js'
import { type CredentialsFrom, from, requirePages } from './token-from.js'

/**
 * The part that is used of a Socket.IO 4 socket. Typed here, so that the package does not depend on
 * Socket.IO.
 */
export interface SocketIoSocket {
  readonly request: IncomingMessage
  readonly handshake: { readonly auth: Readonly<Record<string, unknown>> }
  /** The namespace. */
  readonly nsp: object
  /** Whether it recovered after a disconnect (`connectionStateRecovery`). */
  readonly recovered?: boolean
  /** It has any type that the host gave its server. */
  data: unknown
  emit(event: string, ...values: unknown[]): unknown
  disconnect(): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

/** Socket.IO middleware. */
export type SocketIoGuard = (socket: SocketIoSocket, next: (error?: Error) => void) => void

/** How `sockets.socketIo` finds the credentials, and what it requires of them. */
export interface SocketIoOptions extends ScopeOptions {
  /**
   * The place of the credentials: `auth.token` or the headers, the cookie of your pages, or either.
   * The last two need `pagesOrigin`, and the cookie counts only for pages of that origin. With
   * `cookie`, nothing else is read. With `either`, a token comes first and is judged alone. The
   * cookie is the one sent when the connection began. Default `headers`.
   */
  readonly from?: CredentialsFrom
}

const rules = {
  factory: 'sockets.socketIo',
  schema: optionsOf({ ...scopeRules, from }),
}

/**
 * The token comes in `auth: { token }` of the client's options or in the headers; `from` may name
 * the cookie of the host's pages instead. A refusal reaches the client as `connect_error` with
 * `data: { code, status }`. The end of a session reaches it as the event `auth.ended` with `{ code:
 * 4401 | 4408, reason }` and a disconnect after which the client does not reconnect. Only guarded
 * namespaces end: the connection may carry others. Socket.IO checks origins itself (`cors`), except
 * when the cookie counts.
 *
 * @param trackedSocket - makes the view of a tracked socket that the host gets
 */
export function createSocketIoGuards(
  kit: GuardKit,
  trackedSocket: (entry: SocketEntry) => TrackedSocket,
): (server?: object, options?: SocketIoOptions) => SocketIoGuard {
  const { authenticate, registry, contexts, audit } = kit
  const admitted = new WeakMap<object, SocketEntry>()
  const watched = new WeakSet<object>()
  const warn = warnOnce()
  const recovered = createRecoveredSockets(principalIn, registry.mayReturn)

  // Only a connected socket emits `disconnect`. A socket that a later middleware refuses emits
  // nothing.
  function watch(namespace: object): void {
    if (watched.has(namespace)) return
    watched.add(namespace)
    const { prependListener } = namespace as {
      prependListener(event: 'connect', listener: (socket: object) => void): void
    }
    prependListener.call(namespace, 'connect', (socket) => {
      const entry = admitted.get(socket)
      if (entry === undefined || !admitted.delete(socket)) return
      ;(socket as SocketIoSocket).once('disconnect', () => registry.remove(entry))
      registry.add(entry)
    })
  }

  async function admit(
    socket: SocketIoSocket,
    required: Required,
    read: ReadSocketIo,
  ): Promise<void> {
    requireSocketIo4(socket)
    recovered.guard(socket.nsp)
    const context = contexts.ofUpgrade(contexts.of(socket.request))
    const principal = await reportRefusal(audit, context, async () => {
      const credentials = read(socket)
      if (credentials === null) throw notSignedIn('no credentials')
      const { principal } = await authenticate(credentials, context)
      if (socket.recovered !== true || principalIn(socket.data)?.sessionId === principal.sessionId)
        return principal
      // It has the rooms of another session. The next attempt starts without them.
      recovered.forget(socket.data as object)
      throw notSignedIn('recovered socket belongs to another session')
    })
    await reportUnlessAllowed(audit, context, principal, required)
    const entry: SocketEntry = { principal, required, connection: asConnection(socket) }
    Object.assign(socket.data as object, { auth: principal, authSocket: trackedSocket(entry) })
    admitted.set(socket, entry)
    watch(socket.nsp)
  }

  function refusalOf(error: unknown, context: RequestContext): Error {
    if (error instanceof AuthError && isForClient(error)) return asConnectError(error)
    audit({ type: 'host.failed', ...describeFailure('sockets.socketIo', error) }, context)
    if (error instanceof AuthConfigError) warn(error)
    return asConnectError(new AuthError('configuration', { cause: error }))
  }

  return (server, options) => {
    const { from, ...required } = checkOptions(rules, options)
    const read = socketReader(from, kit.pages)
    if (server !== undefined) requireGuardedRecovery(server)
    return (socket, next) => {
      admit(socket, required, read).then(
        () => next(),
        (error: unknown) => next(refusalOf(error, contextOfId(socket.request))),
      )
    }
  }
}

function principalIn(data: unknown): Principal | null {
  const { authSocket } = (data ?? {}) as { authSocket?: Partial<TrackedSocket> }
  return authSocket?.principal ?? null
}

function requireSocketIo4({ handshake, data, nsp }: SocketIoSocket): void {
  if (handshake.auth instanceof Object && data instanceof Object && nsp instanceof Object) return
  throw new AuthConfigError(
    'sockets.socketIo()',
    'was given a socket without handshake.auth or without data, as those of Socket.IO 2 and 3 are.',
    'use it with Socket.IO 4 on the server; its allowEIO3 admits older clients.',
  )
}

type ReadSocketIo = (socket: SocketIoSocket) => PresentedCredentials | null

function socketReader(from: CredentialsFrom, given: Pages | undefined): ReadSocketIo {
  if (from === 'headers') return readToken
  const pages = requirePages(given, `sockets.socketIo({ from: '${from}' })`)
  if (from === 'cookie') return ({ request }) => readPageSocket(request, pages)
  // A client without a token that is not one of our pages is anonymous, whatever cookie it sends.
  return (socket) =>
    readToken(socket) ??
    (isOfPage(socket.request, pages.origin) ? readPageSocket(socket.request, pages) : null)
}

function readToken({ handshake: { auth }, request }: SocketIoSocket): PresentedCredentials | null {
  const { token, userId } = auth
  const inHeaders = readCredentials(request)
  if (token === undefined) return inHeaders
  // Two parts of a system could pick different tokens.
  if (inHeaders !== null)
    throw invalidRequest([
      { path: 'auth.token', message: 'Send either auth.token or a header, not both.' },
    ])
  // The result is not null: with `either`, the cookie would be read next, although a token was
  // presented.
  if (!isShortText(token) || (userId !== undefined && !isShortText(userId)))
    throw notSignedIn('no credentials')
  return { sentAs: 'token', token, userId: userId ?? null }
}

// A Socket.IO packet may be a megabyte long; all headers of a request together are limited to this.
function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 16_384
}

function asConnection(socket: SocketIoSocket): TrackedConnection {
  return {
    close(code, reason) {
      socket.emit('auth.ended', { code, reason })
      // Only the namespace is disconnected: the connection may carry namespaces of the host.
      socket.disconnect()
      // Host code that still holds the socket would write to that connection, and its client may
      // still be reading.
      socket.emit = () => true
    },
    // A disconnect needs no cooperation of the client.
    terminate: () => void socket.disconnect(),
  }
}

function asConnectError({ clientMessage, code, status }: AuthError): Error {
  return Object.assign(new Error(clientMessage), { data: { code, status } })
}

// A host without logger and events must learn of it as well.
function warnOnce(): (error: AuthConfigError) => void {
  let warned = false
  return ({ message }) => {
    if (warned) return
    warned = true
    process.emitWarning(`${message} Until then nobody can connect.`, {
      code: 'MAR_SOCKET_IO_REFUSED',
    })
  }
}

/** The part we read of what Socket.IO keeps of a disconnected socket. */
interface RecoverableState {
  readonly data: unknown
}

/** The part we use of Socket.IO's in-memory adapter. */
interface RecoveringAdapter {
  restoreSession(id: string, offset: string): Promise<RecoverableState | null>
}

/**
 * The principal that the guard stored in the data of an admitted socket; null if it did not admit
 * it.
 */
type AdmittedPrincipal = (data: unknown) => Principal | null

/** Lets disconnected sockets recover only while their session is alive. */
interface RecoveredSockets {
  /**
   * From now on a socket of this namespace recovers only while its session is alive. Throws
   * `AuthConfigError` if that cannot be enforced.
   */
  guard(namespace: object): void
  /** The kept state of this socket is never restored again. */
  forget(data: object): void
}

const option = 'Server.connectionStateRecovery (Socket.IO)'

/**
 * Socket.IO sends a recovered socket the packets it missed before any middleware runs, and by
 * default it runs no middleware at all. So we withhold the state unless its user is still signed
 * in.
 */
function createRecoveredSockets(
  admitted: AdmittedPrincipal,
  mayReturn: (principal: Principal) => Promise<boolean>,
): RecoveredSockets {
  const guarded = new WeakSet<object>()
  const forgotten = new WeakSet<object>()

  async function isAlive({ data }: RecoverableState): Promise<boolean> {
    const principal = admitted(data)
    return principal !== null && !forgotten.has(data as object) && (await mayReturn(principal))
  }

  return {
    guard(namespace) {
      const { server, adapter } = namespace as { server?: object; adapter?: object }
      if (!requireGuardedRecovery(server) || guarded.has(adapter ?? namespace)) return
      if (!keepsStatesItself(adapter)) {
        throw new AuthConfigError(
          option,
          'keeps its states in an adapter of its own, which the guard cannot check.',
          'leave it out.',
        )
      }
      const restore = adapter.restoreSession.bind(adapter)
      adapter.restoreSession = async (id, offset) => {
        const state = await restore(id, offset)
        // The state is read again: packets sent during the session check were missed as well.
        return state !== null && (await isAlive(state)) ? restore(id, offset) : null
      }
      guarded.add(adapter)
    },
    forget: (data) => void forgotten.add(data),
  }
}

/**
 * Whether the server lets sockets recover. Throws `AuthConfigError` if they would skip all
 * middleware.
 */
function requireGuardedRecovery(server: object | undefined): boolean {
  // Private in Socket.IO's types, but present in all releases of Socket.IO 4.
  const { opts } = (server ?? {}) as {
    opts?: { connectionStateRecovery?: { skipMiddlewares?: unknown } }
  }
  if (opts === undefined)
    throw new AuthConfigError(
      'sockets.socketIo(server)',
      'is no Socket.IO server.',
      'pass the Server of Socket.IO 4.',
    )
  const recovery = opts.connectionStateRecovery
  if (!recovery) return false
  if (recovery.skipMiddlewares === false) return true
  throw new AuthConfigError(
    option,
    'lets sockets come back without asking any middleware, also after their session has ended.',
    'set connectionStateRecovery: { skipMiddlewares: false }, or leave it out.',
  )
}

// Another adapter may restore a state in a process that has not guarded a socket yet.
function keepsStatesItself(adapter: object | undefined): adapter is RecoveringAdapter {
  return (
    adapter !== undefined &&
    'restoreSession' in adapter &&
    'sessions' in adapter &&
    adapter.sessions instanceof Map
  )
}
