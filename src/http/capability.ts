import type { Routes } from './endpoint.js'

/**
 * One capability of the router, mounted by the map. Each has one `createX` in its folder; its
 * result also has the functions for the host's own code.
 */
export interface Capability {
  /** Its HTTP routes. */
  readonly routes: Routes
  /** Stops timers and other work; absent if there is none. */
  close?(): void
}
