import type { Routes } from './endpoint.js'

/**
 * What the map mounts: one thing that the router can do. Each has one `createX` in its folder,
 * whose result adds the functions that the host's own code calls.
 */
export interface Capability {
  /** What it answers over HTTP. */
  readonly routes: Routes
  /** Ends what it has started. Left out where it starts nothing. */
  close?(): void
}
