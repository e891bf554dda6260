import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AuthConfigError, AuthError } from '../errors.js'
import type { Principal } from '../principal/principal.js'
import { type SocketOptions, type SocketSettings, settingsOf } from './page-socket.js'
import type { RequiredScope } from './scope.js'
import type { ClosableSocket, TrackedSocket } from './tracked-socket.js'

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

export interface AttachDeps {
  /** Throws if the settings name the cookie of pages and the host has none. */
  requirePlace(settings: SocketSettings): void
  authenticate(request: IncomingMessage, settings: SocketSettings): Promise<Principal>
  refuse(connection: Duplex, error: unknown): void
  track(socket: ClosableSocket, principal: Principal, scope: RequiredScope): TrackedSocket
}

type OnUpgrade = (request: IncomingMessage, connection: Duplex, head: Buffer) => void

/** The attached paths of each server, for all routers of the process. */
const attached = new WeakMap<AttachedServer, Map<string, OnUpgrade>>()

export function createAttach({ requirePlace, authenticate, refuse, track }: AttachDeps) {
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
            wsServer.emit('connection', socket, request, track(socket, principal, settings.scope))
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
