import type { CallWire } from './authorised.js'
import type { SignIn } from './sign-in.js'
import type { TokenKeeper } from './token-keeper.js'
import type { Retry, Transport } from './transport.js'

/** Internal parts that the other entry points of the client use. Not part of the API. */
export interface ClientParts {
  readonly baseUrl: string
  readonly keeper: TokenKeeper
  /** Requests an endpoint as the signed-in user. */
  readonly call: CallWire
  /** Sends requests without a token, below `baseUrl`. */
  readonly transport: Transport
  /** Sends requests without a token, below another address. */
  readonly transportTo: (baseUrl: string) => Transport
  readonly withRetry: Retry['withRetry']
  readonly signInBy: SignIn['signInBy']
  readonly clock: () => Date
}

// The symbol is in the global registry: a page may have loaded the core twice, in two bundles.
const name: unique symbol = Symbol.for('messaging-auth-router/client')

/** A client with its internal parts. */
export interface WithParts {
  readonly [name]: ClientParts
}

/** The parts as a member under a symbol, hidden from users of the client. */
export function withParts(parts: ClientParts): WithParts {
  return { [name]: parts }
}

/** The parts of a client. */
export function partsOf(client: object): ClientParts {
  const parts = (client as Partial<WithParts>)[name]
  if (parts === undefined) throw new TypeError('This is no client of createAuthClient().')
  return parts
}
