import type { Principal } from '../principal/principal.js'

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
