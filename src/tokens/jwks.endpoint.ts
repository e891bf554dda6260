import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { HostCall } from '../lib/host-call.js'
import type { TokenSigner } from '../signers/contract.js'

/** `GET /auth/jwks.json`: the keys with which others may check our tokens, RFC 7517 §5. Empty when there are none to publish. */
export function jwksEndpoint(signer: TokenSigner, call: HostCall): Endpoint {
  return async () => {
    const keySet = await call('signer.publicKeys', async () => (await signer.publicKeys?.()) ?? { keys: [] })
    return ok(keySet)
  }
}
