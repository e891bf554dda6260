import type { Pages, SignInUrl } from '../http/page-origin.js'
import type { SessionKit } from '../kits/session-kit.js'
import type { Authentication } from './authenticate.js'
import type { SocketRegistry } from './socket-closing.js'

/** The parts that guards need, besides sessions. */
export interface GuardKit extends SessionKit, Authentication {
  readonly registry: SocketRegistry
  /** Undefined: a page must come from the host that it connects to. */
  readonly allowedOrigins: readonly string[] | undefined
  /** Undefined if no pages of the host send a cookie. */
  readonly pages: Pages | undefined
  /** Undefined without the option `oauth`. */
  readonly metadataUrls: MetadataUrls | undefined
  /** The sign-in page for a page of the host; undefined without the option `oauth`. */
  readonly signInUrl: SignInUrl | undefined
}

/**
 * The addresses where clients read how to get a token: the metadata of the server's APIs, RFC 9728
 * §3.1.
 */
export interface MetadataUrls {
  readonly own: string
  /** The addresses for further APIs, by their `resource`. */
  readonly further: ReadonlyMap<string, string>
}
