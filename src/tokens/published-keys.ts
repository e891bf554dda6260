import type { Capability } from '../http/capability.js'
import type { HostCall } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'
import { jwksEndpoint } from './jwks.endpoint.js'

/** Makes `GET /auth/jwks.json`. */
export function createPublishedKeys(signer: TokenSigner, call: HostCall): Capability {
  return { routes: [['/auth/jwks.json', { GET: jwksEndpoint(signer, call) }]] }
}
