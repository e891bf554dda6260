import { AuthConfigError } from '../errors.js'
import type { Principal } from '../principal/principal.js'

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
export type AdmittedPrincipal = (data: unknown) => Principal | null

/** Lets disconnected sockets recover only while their session is alive. */
export interface RecoveredSockets {
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
export function createRecoveredSockets(
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
        // Read again: packets sent during the session check were missed as well.
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
export function requireGuardedRecovery(server: object | undefined): boolean {
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
