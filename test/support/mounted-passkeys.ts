// The option `passkeys` for hosts of tests: a router whose endpoints of passkeys are mounted.
import type { AuthRouterOptions } from '../../src/index.js'
import type { PasskeysOptions } from '../../src/passkeys/passkeys-options.js'
import { simpleWebAuthn } from '../../src/passkeys/simple-webauthn.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryPasskeyStore } from '../../src/stores/memory-sign-in-methods.js'
import { origin, rpId } from '../passkeys/authenticator.js'

/** Its library is loaded once for a whole file, by the first ceremony. */
const verifier = simpleWebAuthn()

/** Options of a router with `passkeys`, for the authenticators of `test/passkeys`. */
export function passkeyOptions(change: Partial<PasskeysOptions> = {}): Partial<AuthRouterOptions> {
  const { once } = memoryOAuthStores()
  const store = memoryPasskeyStore()
  return { passkeys: { rpId, origins: [origin], verifier, store, once, ...change } }
}
