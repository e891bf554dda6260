import type { IncomingMessage } from 'node:http'
import { type Audit, noRequest } from '../audit/events.js'
import { AuthConfigError, AuthError, invalidRequest, notSignedIn } from '../errors.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import { isForClient } from '../http/endpoint.js'
import type { Contexts } from '../http/request-context.js'
import { describeFailure } from '../lib/host-call.js'
import type { Principal } from '../principal/principal.js'
import { type Authenticate, reportRefusal } from './authenticate.js'
import type { SocketEntry, TrackedConnection } from './open-sockets.js'
import { createRecoveredSockets, requireGuardedRecovery } from './recovered-sockets.js'
import { type RequiredScope, requiredBy, requireScope, type ScopeOptions } from './scope.js'
import type { SocketRegistry } from './socket-closing.js'
import type { TrackedSocket } from './tracked-socket.js'

/**
 * What is needed of a Socket.IO 4 socket. Typed by what is called, so that the package does not
 * depend on it.
 */
export interface SocketIoSocket {
  readonly request: IncomingMessage
  readonly handshake: { readonly auth: Readonly<Record<string, unknown>> }
  /** The namespace. */
  readonly nsp: object
  /** Whether it came back after its connection broke (`connectionStateRecovery`). */
  readonly recovered?: boolean
  /** Of whatever type the host gave its server. */
  data: unknown
  emit(event: string, ...values: unknown[]): unknown
  disconnect(): unknown
  once(event: 'disconnect', listener: () => void): unknown
}

/** Socket.IO middleware. */
export type SocketIoGuard = (socket: SocketIoSocket, next: (error?: Error) => void) => void

/** What guarding Socket.IO needs. */
export interface SocketIoGuardDeps {
  readonly authenticate: Authenticate
  readonly registry: SocketRegistry
  /** What the host is given of a socket under watch. */
  readonly trackedSocket: (entry: SocketEntry) => TrackedSocket
  readonly contexts: Contexts
  readonly audit: Audit
}

/**
 * Makes what makes the middleware. The token comes in `auth: { token }` of the client's options, or
 * in the headers. A refusal reaches the client as `connect_error` with `data: { code, status }`;
 * the end of the session as the event `auth.ended` with `{ code: 4401 | 4408, reason }`, and a
 * disconnect that the client does not try to mend. Only guarded namespaces end: the connection may
 * carry others. Origins are Socket.IO's own business (`cors`).
 */
export function createSocketIoGuards(
  deps: SocketIoGuardDeps,
): (server?: object, options?: ScopeOptions) => SocketIoGuard {
  const { authenticate, registry, contexts, audit } = deps
  const admitted = new WeakMap<object, SocketEntry>()
  const watched = new WeakSet<object>()
  const warn = warnOnce()
  const recovered = createRecoveredSockets(principalIn, registry.mayReturn)

  // Only a socket that is connected is sure to say when it leaves: one that a later middleware
  // refuses says nothing.
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

  async function admit(socket: SocketIoSocket, scope: RequiredScope): Promise<void> {
    requireSocketIo4(socket)
    recovered.guard(socket.nsp)
    const context = contexts.ofUpgrade(contexts.of(socket.request))
    const principal = await reportRefusal(audit, context, async () => {
      const credentials = credentialsOf(socket)
      if (credentials === null) throw notSignedIn('no credentials')
      const { principal } = await authenticate(credentials, context)
      requireScope(principal, scope)
      if (socket.recovered !== true || principalIn(socket.data)?.sessionId === principal.sessionId)
        return principal
      // It has the rooms of another session. Tried again, it begins anew.
      recovered.forget(socket.data as object)
      throw notSignedIn('recovered socket belongs to another session')
    })
    const entry: SocketEntry = { principal, scope, connection: asConnection(socket) }
    Object.assign(socket.data as object, { auth: principal, authSocket: deps.trackedSocket(entry) })
    admitted.set(socket, entry)
    watch(socket.nsp)
  }

  function refusalOf(error: unknown): Error {
    if (error instanceof AuthError && isForClient(error)) return asConnectError(error)
    audit({ type: 'host.failed', ...describeFailure('sockets.socketIo', error) }, noRequest)
    if (error instanceof AuthConfigError) warn(error)
    return asConnectError(new AuthError('configuration', { cause: error }))
  }

  return (server, options) => {
    const scope = requiredBy('sockets.socketIo', options)
    if (server !== undefined) requireGuardedRecovery(server)
    return (socket, next) => {
      admit(socket, scope).then(
        () => next(),
        (error: unknown) => next(refusalOf(error)),
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

function credentialsOf({
  handshake: { auth },
  request,
}: SocketIoSocket): PresentedCredentials | null {
  const { token, userId } = auth
  const inHeaders = readCredentials(request)
  if (token === undefined) return inHeaders
  // Two parts of a system could pick different ones.
  if (inHeaders !== null)
    throw invalidRequest([
      { path: 'auth.token', message: 'Send either auth.token or a header, not both.' },
    ])
  if (!isShortText(token) || (userId !== undefined && !isShortText(userId))) return null
  return { sentAs: 'token', token, userId: userId ?? null }
}

// A packet of Socket.IO may have a megabyte; all headers of a request together have this much room.
function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 16_384
}

function asConnection(socket: SocketIoSocket): TrackedConnection {
  return {
    close(code, reason) {
      socket.emit('auth.ended', { code, reason })
      // Not the connection: it may carry sockets of the host's own.
      socket.disconnect()
      // Whoever of the host still holds the socket would write to that connection, and its client
      // may still read there.
      socket.emit = () => true
    },
    // A disconnect asks nothing of the client.
    terminate: () => void socket.disconnect(),
  }
}

function asConnectError({ clientMessage, code, status }: AuthError): Error {
  return Object.assign(new Error(clientMessage), { data: { code, status } })
}

// To whom neither logger nor events are given must learn of it as well.
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
