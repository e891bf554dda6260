import type { CallWire } from './authorised.js'
import type { Retry } from './retry.js'
import type { SignIn } from './sign-in.js'
import type { TokenKeeper } from './token-keeper.js'
import type { Transport } from './transport.js'

/** What the entries beside the core build on: no promise to anybody else. */
export interface ClientParts {
  readonly baseUrl: string
  readonly keeper: TokenKeeper
  /** Asks an endpoint in the name of whoever is signed in. */
  readonly call: CallWire
  /** Asks in nobody's name, below `baseUrl`. */
  readonly transport: Transport
  /** The same below another address. */
  readonly transportTo: (baseUrl: string) => Transport
  readonly withRetry: Retry['withRetry']
  readonly signInBy: SignIn['signInBy']
  readonly clock: () => Date
}

// Of the registry: a page may have loaded the core twice, in two bundles.
const name: unique symbol = Symbol.for('messaging-auth-router/client')

/** A client with its parts. */
export interface WithParts {
  readonly [name]: ClientParts
}

/** Hands them over, as a member that no name leads to. */
export function withParts(parts: ClientParts): WithParts {
  return { [name]: parts }
}

/** The parts of a client. */
export function partsOf(client: object): ClientParts {
  const parts = (client as Partial<WithParts>)[name]
  if (parts === undefined) throw new TypeError('This is no client of createAuthClient().')
  return parts
}
