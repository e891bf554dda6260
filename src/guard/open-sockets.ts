import type { Principal } from '../principal/principal.js'
import type { Required } from './scope.js'
/** A socket as the registry sees it. */
export interface TrackedConnection {
  close(code: number, reason: string): void
  /** Cuts the connection, for a client that does not answer a close. */
  terminate(): void
}

/** One tracked socket. */
export interface SocketEntry {
  principal: Principal
  /** A renewed token must meet this as well. */
  readonly required: Required
  readonly connection: TrackedConnection
}

/** The sockets of one session, and the data attached to them. */
export interface SessionSockets<Attached> {
  readonly entries: Set<SocketEntry>
  readonly attached: Attached
}

/** Open sockets by session. A session without sockets has no entry. */
export interface OpenSockets<Attached>
  extends Iterable<[sessionId: string, sockets: SessionSockets<Attached>]> {
  add(entry: SocketEntry): void
  remove(entry: SocketEntry): void
  has(entry: SocketEntry): boolean
  /** The sockets of a session, as a copy. */
  of(sessionId: string): SocketEntry[]
  /** The sockets of all sessions, as a copy. */
  all(): SocketEntry[]
  count(sessionId: string): number
  readonly size: number
  readonly sessions: number
}

/** `attach` makes the data kept with a session's sockets, when the first one opens. */
export function createOpenSockets<Attached>(attach: () => Attached): OpenSockets<Attached> {
  const bySession = new Map<string, SessionSockets<Attached>>()
  const entriesOf = (sessionId: string) => bySession.get(sessionId)?.entries
  return {
    add(entry) {
      const { sessionId } = entry.principal
      const sockets = bySession.get(sessionId) ?? { entries: new Set(), attached: attach() }
      sockets.entries.add(entry)
      bySession.set(sessionId, sockets)
    },
    remove(entry) {
      const { sessionId } = entry.principal
      const entries = entriesOf(sessionId)
      if (entries?.delete(entry) === true && entries.size === 0) bySession.delete(sessionId)
    },
    has: (entry) => entriesOf(entry.principal.sessionId)?.has(entry) === true,
    of: (sessionId) => [...(entriesOf(sessionId) ?? [])],
    all: () => [...bySession.values()].flatMap(({ entries }) => [...entries]),
    count: (sessionId) => entriesOf(sessionId)?.size ?? 0,
    get size() {
      return [...bySession.values()].reduce((sum, { entries }) => sum + entries.size, 0)
    },
    get sessions() {
      return bySession.size
    },
    [Symbol.iterator]: () => bySession.entries(),
  }
}

/** The part of a `ws` socket that is used here. */
export interface ClosableSocket {
  close(code: number, reason: string): void
  terminate(): void
  once(event: 'close', listener: () => void): unknown
  on(event: 'error', listener: () => void): unknown
  /** 2: closing. 3: closed. */
  readonly readyState?: number
}

/** A socket that is closed when its session ends or its token expires. */
export interface TrackedSocket {
  /** The user of the socket, by the newest token presented on it. */
  readonly principal: Principal
  /**
   * Accepts a newer token of the same session, sent by the client over the socket, and keeps the
   * socket open until that token expires. Rejects with `AuthError` for any other token and on a
   * closed socket; the socket then stays unchanged.
   */
  renew(token: string): Promise<Principal>
}
