import { ofOneUser } from '../authorised.js'
import type { AuthClient } from '../client.js'
import { isRefusal } from '../errors.js'
import { partsOf } from '../parts.js'
import { fraction, platform } from '../platform.js'
import type { TokenKeeper } from '../token-keeper.js'

/**
 * The members of a socket of socket.io-client 4 used here. Typed here, so that the client does not
 * depend on that package.
 */
export interface SocketIoClientSocket {
  on(event: string, listener: (...values: never[]) => void): unknown
  connect(): unknown
  disconnect(): unknown
  /** Whether it reconnects by itself. */
  readonly active: boolean
}

/** Options of {@link socketIoAuth}. */
export interface SocketIoAuthOptions {
  /**
   * Sends a newer token to the host's server, which passes it to `renew`; the socket then outlives
   * its first token. Default: none; the socket reconnects when its token expires.
   */
  readonly renew?: (socket: SocketIoClientSocket, accessToken: string) => void
  /** Called when the session of this socket has ended. */
  readonly onEnded?: () => void
}

/** Socket.IO as the signed-in user. */
export interface SocketIoAuth {
  /** For the options of `io()`: socket.io-client calls it for a token at each connection. */
  readonly auth: (this: unknown, hand: (auth: { token?: string }) => void) => void
  /**
   * Reconnects a refused socket while its session is alive, and stops when the session has ended.
   * Until then, or until `disconnect()` of the connected socket, it belongs to the user of its
   * first connection: it ends if another user signs in. Returns the socket.
   */
  watch<Socket extends SocketIoClientSocket>(socket: Socket): Socket
}

const tokenExpired = 4408
/** Seconds. */
const longestPause = 30

/**
 * Authenticates socket.io-client by a client of the router, for servers with
 * `auth.sockets.socketIo()`.
 *
 * @example
 * ```ts
 * import { createAuthClient } from 'messaging-auth-router/client'
 * import { socketIoAuth } from 'messaging-auth-router/client/socket-io'
 * import { io } from 'socket.io-client'
 *
 * const client = createAuthClient({ baseUrl: 'https://chat.example.com/api/v1' })
 * const { auth, watch } = socketIoAuth(client)
 * const socket = watch(io('https://chat.example.com', { auth }))
 * ```
 */
export function socketIoAuth(client: AuthClient, options: SocketIoAuthOptions = {}): SocketIoAuth {
  const { keeper } = partsOf(client)
  const owners = new WeakMap<object, Owner>()
  return {
    // socket.io-client calls it as a method of the socket.
    auth(hand) {
      const owner = owners.get(Object(this))
      // Without a token the server refuses it, and `connect_error` below handles that.
      void (owner?.fresh() ?? keeper.fresh()).then(
        ({ accessToken }) => hand({ token: accessToken }),
        () => hand({}),
      )
    },
    watch(socket) {
      const owner = createOwner(keeper)
      owners.set(socket, owner)
      watchSocket(client, owner, options, socket)
      return socket
    },
  }
}

/** The user of one socket. */
interface Owner {
  fresh(): ReturnType<TokenKeeper['fresh']>
  /** The next connection may belong to another user. */
  leave(): void
}

function createOwner(keeper: Pick<TokenKeeper, 'read' | 'fresh'>): Owner {
  let own = ofOneUser(keeper)
  return {
    fresh: () => own(),
    leave() {
      own = ofOneUser(keeper)
    },
  }
}

interface Refusal extends Error {
  readonly data?: { readonly code?: string; readonly status?: number }
}

function watchSocket(
  client: Pick<AuthClient, 'check' | 'watchToken'>,
  owner: Owner,
  { renew, onEnded }: SocketIoAuthOptions,
  socket: SocketIoClientSocket,
): void {
  let failures = 0
  let hasExpired = false
  let timer: unknown
  let stopRenewing = () => {}

  const forget = () => {
    platform.clearTimeout(timer)
    stopRenewing()
  }

  function again(): void {
    const pause = Math.min(2 ** failures, longestPause) * (0.5 + fraction())
    failures += 1
    timer = platform.setTimeout(() => void socket.connect(), pause * 1000)
  }

  // Asks the server whether the session has ended: the token may just have been too old.
  async function judge(): Promise<void> {
    await client.check()
    const isOver = await owner.fresh().then(
      () => false,
      (error: unknown) => isRefusal(error, 'Unauthorized'),
    )
    if (!isOver) return again()
    forget()
    socket.disconnect()
    owner.leave()
    onEnded?.()
  }

  socket.on('connect', () => {
    failures = 0
    forget()
    if (renew !== undefined) stopRenewing = client.watchToken((token) => renew(socket, token))
  })
  // After a disconnect by the server, socket.io-client does not reconnect by itself.
  socket.on('disconnect', () => {
    forget()
    if (hasExpired) socket.connect()
    else if (!socket.active) owner.leave()
    hasExpired = false
  })
  socket.on('connect_error', ({ data }: Refusal) => {
    // After a failed connection, socket.io-client tries again by itself.
    if (socket.active) return
    if (data?.status === 401) void judge().catch(again)
    else again()
  })
  // The payload may have any form; an exception here would end a program.
  socket.on('auth.ended', (told?: { readonly code?: unknown } | null) => {
    hasExpired = told?.code === tokenExpired
    if (!hasExpired) endOf(client, onEnded)
  })
}

function endOf(client: Pick<AuthClient, 'check'>, onEnded: (() => void) | undefined): void {
  void client.check().catch(() => {})
  onEnded?.()
}
