import { AuthConfigError } from '../errors.js'
import type { Principal } from '../principal/principal.js'

/** What Socket.IO keeps of a socket whose connection broke, as far as it is read here. */
interface RecoverableState {
  readonly data: unknown
}

/** What is needed of Socket.IO's own adapter where it keeps such states. */
interface RecoveringAdapter {
  restoreSession(id: string, offset: string): Promise<RecoverableState | null>
}

/** What the guard left in the data of a socket that it admitted; null where it did not. */
export type AdmittedPrincipal = (data: unknown) => Principal | null

/** Lets sockets come back after their connection broke, and no others. */
export interface RecoveredSockets {
  /**
   * From now on a socket of this namespace comes back only while its session is alive. Throws
   * `AuthConfigError` where that cannot be had.
   */
  guard(namespace: object): void
  /** What is kept of the socket is not given out again. */
  forget(data: object): void
}

const option = 'Server.connectionStateRecovery (Socket.IO)'

/**
 * Socket.IO sends a socket that comes back what it has missed before any middleware is asked, and
 * by default asks none. So the state is kept back here unless whom it belongs to is still signed
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
          'keeps its states in an adapter of its own, out of reach.',
          'leave it out.',
        )
      }
      const restore = adapter.restoreSession.bind(adapter)
      adapter.restoreSession = async (id, offset) => {
        const state = await restore(id, offset)
        // Read once more: what was sent while the session was looked for is also missed.
        return state !== null && (await isAlive(state)) ? restore(id, offset) : null
      }
      guarded.add(adapter)
    },
    forget: (data) => void forgotten.add(data),
  }
}

/**
 * Whether the server lets sockets come back. Throws `AuthConfigError` where they would do so past
 * every middleware.
 */
export function requireGuardedRecovery(server: object | undefined): boolean {
  // Private by the types of Socket.IO, and there in all releases of Socket.IO 4.
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

// Another adapter may give a state out in a process in which no socket was guarded yet.
function keepsStatesItself(adapter: object | undefined): adapter is RecoveringAdapter {
  return (
    adapter !== undefined &&
    'restoreSession' in adapter &&
    'sessions' in adapter &&
    adapter.sessions instanceof Map
  )
}
