import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { JsonWebKeySet, TokenSigner } from '../signers/contract.js'

/** `GET /auth/jwks.json` */
export function createPublishedKeys(signer: TokenSigner, call: HostCall): Capability {
  const endpoints = { GET: jwksEndpoint(signer, call) }
  return { routes: [['/auth/jwks.json', endpoints, 'plain', 'every-origin']] }
}

/** The keys that verify our tokens, RFC 7517 §5; empty if the signer publishes none. */
function jwksEndpoint(signer: TokenSigner, call: HostCall): Endpoint {
  return async () => {
    return ok(
      await call('signer.publicKeys', async () =>
        publicKeySet((await signer.publicKeys?.()) ?? { keys: [] }),
      ),
    )
  }
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

// A signer of the host may return a private key by mistake; it must not be published.
function publicKeySet(answer: unknown): JsonWebKeySet {
  const keys: unknown = (answer as { keys?: unknown } | null)?.keys
  const isPublic = (key: unknown) =>
    typeof key === 'object' && key !== null && !privateMembers.some((name) => name in key)
  if (Array.isArray(keys) && keys.every(isPublic)) return { keys }
  throw new UnexpectedAnswer('the signer answered something that is not a set of public keys')
}
