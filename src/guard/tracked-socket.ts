import type { Principal } from '../principal/principal.js'

/** What is needed of a `ws` socket. */
export interface ClosableSocket {
  close(code: number, reason: string): void
  terminate(): void
  once(event: 'close', listener: () => void): unknown
  on(event: 'error', listener: () => void): unknown
  /** 2 and 3 mean that it is closing or closed. */
  readonly readyState?: number
}

/** A socket under watch. */
export interface TrackedSocket {
  /** Who holds it, by the newest token presented on it. */
  readonly principal: Principal
  /**
   * Takes a newer token of the same session, sent by the client over the socket, and keeps the
   * socket open until that one ends. Rejects with `AuthError` for any other token, and on a socket
   * that has been closed; the socket then stays as it is.
   */
  renew(token: string): Promise<Principal>
}
