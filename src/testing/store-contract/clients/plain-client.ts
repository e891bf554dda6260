import type { OAuthClient } from '../../../stores/client-contract.js'

/** The client without what a store may leave out: no secrets, and not being disabled. */
export function plainClient(client: OAuthClient | null | undefined): unknown {
  const { secretHashes = [], disabled = false, ...rest } = client ?? {}
  return {
    ...rest,
    ...(secretHashes.length === 0 ? {} : { secretHashes }),
    ...(disabled ? { disabled } : {}),
  }
}
